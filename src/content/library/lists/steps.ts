/**
 * The way of a project: the steps that help catalogues name, in the order in which they are taken.
 *
 * Phases come one after the other; within a phase the order is that of the file, but for steps that a catalogue puts
 * before or after each other. What can be done at any time is no step on the way. Whether a step was taken is left to
 * others.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { type HelpStep, readSteps } from "../../inventory/mod.ts";
import { categoryOf, type Entry } from "../../../base/model.ts";
import { findText } from "../../tree/mod.ts";
import { fileIn } from "../files/references.ts";
import type { Library, LibrarySource } from "../library.ts";
import { CATEGORIES } from "./filter.ts";

/** One step: a thing, and what a catalogue says about when to use it. */
export interface Step {
  /** What is executed. */
  readonly entry: Entry;
  /** A thing may be several steps, told apart by their action. */
  readonly help: HelpStep;
  /** The module whose catalogue it is from: on its way it uses things of other modules too. */
  readonly module: string;
}

/** Every step that a served thing is for: first those on the way, in order, then what can be done at any time. */
export async function stepsOf(library: Library): Promise<readonly Step[]> {
  const entries = visibleEntries(library.effective);
  const steps: Step[] = [];
  for (const source of library.sources) {
    const found: Step[] = [];
    for (const { module, text } of cataloguesOf(source)) {
      // What comes with the program is of one release: it has no say in a module that somebody has of another.
      if (source.origin.kind === "package" && steps.some((step) => step.module === module)) continue;
      for (const help of await readSteps(text)) {
        const entry = entryFor(entries, help);
        if (entry !== undefined) found.push({ entry, help, module: module || entry.module });
      }
    }
    const isTold = (one: Step) =>
      steps.some(({ module, help }) => module === one.module && help.skill === one.help.skill);
    steps.push(...found.filter((step) => !isTold(step)));
  }
  return inOrder(steps);
}

/** Whether a step is on the way, and not for any time. */
export function isInPhase({ help }: Step): boolean {
  return help.phase !== "" && help.phase !== "anytime";
}

/** The catalogue of each module or, where there is none, the one that an installer made of all. */
function cataloguesOf(source: LibrarySource): readonly { readonly module: string; readonly text: string }[] {
  const read = (module: string, path: string) => {
    const file = fileIn(source, path);
    const text = file === undefined ? undefined : findText(source.tree, file.path);
    return text === undefined ? [] : [{ module, text }];
  };
  const codes = new Set(source.inventory.modules.map(({ code }) => code));
  const own = [...codes].flatMap((code) => read(code, `${code}/module-help.csv`));
  return own.length > 0 ? own : read("", "_config/bmad-help.csv");
}

/** What a row is about: a skill or, in old rows, a file. */
function entryFor(entries: readonly Entry[], { skill, file }: HelpStep): Entry | undefined {
  const path = file.slice(file.indexOf("/") + 1);
  return entries.find(({ id }) => id === skill) ??
    (path === ""
      ? undefined
      : entries.find((entry) => entry.file === path || entry.file.endsWith(`/${path}`)));
}

/** Numbers as BMAD gives them to phases; words for those that have none. */
function phaseOrder(phase: string): number {
  const category = categoryOf(phase);
  if (category !== "other") return CATEGORIES.indexOf(category) + 1;
  return /^\d+/.test(phase) ? Number.parseInt(phase) : CATEGORIES.length;
}

/** The steps by phase, each behind those that it follows. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const onTheWay = steps.filter(isInPhase)
    .toSorted((a, b) => phaseOrder(a.help.phase) - phaseOrder(b.help.phase));
  const ordered: Step[] = [];
  const left = [...onTheWay];
  while (left.length > 0) {
    const isFree = (step: Step) => !left.some((other) => other !== step && follows(step, other));
    // Where steps wait for each other, the first does not.
    const at = Math.max(0, left.findIndex(isFree));
    ordered.push(...left.splice(at, 1));
  }
  return [...ordered, ...steps.filter((step) => !isInPhase(step))];
}

/** Whether a catalogue puts a step behind another one. */
function follows(step: Step, other: Step): boolean {
  return names(step.help.after, other) || names(other.help.before, step);
}

/** Whether one of some references (`bmad-create-story:validate`) means a step. */
function names(references: string, { help: { skill, action } }: Step): boolean {
  return references.split(/[,;|]/).some((reference) => {
    const [id, of] = reference.trim().split(":");
    return id === skill && (of === undefined || of === action);
  });
}
