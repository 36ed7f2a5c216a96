/**
 * The steps of a project: those that help catalogues name, in order; without a catalogue, its workflows by phase.
 *
 * Phases follow each other; within a phase the order is that of the file, except where a catalogue puts a step before or
 * after another. Steps for any time come last. Whether a step was taken only the project shows.
 */
import { servedFor, visibleEntries } from "../../catalog/mod.ts";
import { openTurns } from "../../../base/work.ts";
import { type HelpStep, readSteps as parseSteps } from "../../inventory/mod.ts";
import { phaseCategory } from "../../../base/generations.ts";
import { type Entry, isHidden, isOf } from "../../../base/model.ts";
import { textAt } from "../files/references.ts";
import { moduleCatalogues } from "../delivery/help.ts";
import { type Library, type LibrarySource, perLibraryPaced } from "../library.ts";
import { CATEGORIES } from "../rows/filter.ts";
import { flatSteps } from "./flat_steps.ts";
import { phaseSteps } from "./phase_steps.ts";
import { v4Steps } from "./v4_steps.ts";
import { resolveModuleConfig } from "../values/config.ts";
import type { Values } from "../../../base/values.ts";

/** One step: an entry, with the row of a catalogue about it. */
export interface Step {
  readonly entry: Entry;
  /** An entry can be several steps, which differ in their action. */
  readonly help: HelpStep;
  /** The module of the catalogue, which may differ from the entry's. */
  readonly module: string;
  /** Whether it belongs to a phase, and not to any time. */
  readonly isInPhase: boolean;
  /** What is configured for its module. */
  readonly config: Values;
}

/** A step that is not in its place yet. */
type Row = Pick<Step, "entry" | "help" | "module">;

/** Of all catalogues: steps are compared with each other. */
const MAX_STEPS = 2_000;

/** Every step with a served entry: first those in phases, in order, then those for any time. */
export const stepsOf = perLibraryPaced(readSteps);

async function readSteps(library: Library): Promise<readonly Step[]> {
  const entries = visibleEntries(library.effective);
  const steps: Row[] = [];
  for (const source of library.sources) {
    const found: Row[] = [];
    for (const { module, text } of cataloguesOf(source)) {
      // The embedded content is of one release and must not speak for a module that is installed in another.
      if (source.origin.kind === "package" && steps.some((step) => step.module === module)) continue;
      for (const help of await parseSteps(text)) {
        const entry = entryFor(entries, help) ?? overriderOf(library, help);
        if (entry !== undefined) found.push({ entry, help, module: module || entry.module });
      }
    }
    const isKnown = (one: Row) =>
      steps.some(({ module, help }) => module === one.module && help.skill === one.help.skill);
    steps.push(...found.filter((step) => !isKnown(step)));
  }
  const modules = new Set(steps.map(({ module }) => module));
  const others = [
    ...phaseSteps(entries, (module) => modules.has(module)),
    ...stepsOfV4(library, entries),
    ...flatSteps(library, entries),
  ];
  return inOrder(await withConfigs(library, [...steps, ...others].slice(0, MAX_STEPS)));
}

const V4 = "bmad-core";

/** The steps of v4; none where a newer generation has taken over some of its agents. */
function stepsOfV4(library: Library, entries: readonly Entry[]): readonly Row[] {
  const agents = entries.filter((entry) =>
    entry.generation === "v4" && entry.module === V4 && isOf(entry, "agent")
  );
  if (agents.length === 0) return [];
  const rows = v4Steps(resolveModuleConfig(library, V4)).map((help) => ({
    entry: agents.find(({ id }) => id === help.skill),
    help,
    module: V4,
  }));
  return rows.every((row): row is Row => row.entry !== undefined) ? rows : [];
}

async function withConfigs(library: Library, steps: readonly Row[]): Promise<readonly Step[]> {
  const modules = [...new Set(steps.map(({ module }) => module))];
  const configs: Values[] = [];
  const giveWay = openTurns();
  for (const module of modules) {
    configs.push(resolveModuleConfig(library, module));
    await giveWay();
  }
  // The core's items also write to folders that only a module configures.
  const all: Values = Object.assign({}, ...configs);
  const known = new Map(modules.map((module, at) => [module, { ...all, ...configs[at] }]));
  return steps.map((step) => {
    const isInPhase = step.help.phase !== "" && step.help.phase !== "anytime";
    return { ...step, isInPhase, config: known.get(step.module)! };
  });
}

/** The catalogue of each module, else the one that an installer joined from them. */
function cataloguesOf(source: LibrarySource): ReturnType<typeof moduleCatalogues> {
  const own = moduleCatalogues(source);
  const text = own.length > 0 ? undefined : textAt(source, "_config/bmad-help.csv");
  return text === undefined ? own : [{ module: "", text }];
}

/** The entry of a row: a skill or, in old rows, a file. */
function entryFor(entries: readonly Entry[], { skill, file }: HelpStep): Entry | undefined {
  const path = file.slice(file.indexOf("/") + 1);
  const isMeant = (entry: Entry) => path !== "" && `/${entry.file}`.endsWith(`/${path}`);
  return entries.find(({ id }) => id === skill) ?? entries.find(isMeant);
}

/** The entry that overrides the one of a row. */
function overriderOf({ manifest }: Library, { skill }: HelpStep): Entry | undefined {
  const named = skill === "" ? undefined : manifest.entries.find(({ id }) => id === skill);
  const served = named && servedFor(manifest, named);
  return served === named || served === undefined || isHidden(served) ? undefined : served;
}

/** BMAD numbers its phases; a phase without a number goes by its category. */
function phaseOrder(phase: string): number {
  const category = phaseCategory(phase);
  if (category !== "other") return CATEGORIES.indexOf(category) + 1;
  return /^\d+/.test(phase) ? Number.parseInt(phase) : CATEGORIES.length;
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  const left = steps.filter(({ isInPhase }) => isInPhase)
    .toSorted((a, b) => phaseOrder(a.help.phase) - phaseOrder(b.help.phase));
  const waitsFor = predecessors(left);
  const ordered: Step[] = [];
  while (left.length > 0) {
    // Of steps that wait for each other, the first goes ahead.
    const at = Math.max(0, left.findIndex((step) => waitsFor.get(step)!.size === 0));
    const [next] = left.splice(at, 1);
    ordered.push(next!);
    for (const others of waitsFor.values()) others.delete(next!);
  }
  return [...ordered, ...steps.filter(({ isInPhase }) => !isInPhase)];
}

/** The other steps that each step comes after. */
function predecessors(steps: readonly Step[]): ReadonlyMap<Step, Set<Step>> {
  const bySkill = Map.groupBy(steps, ({ help }) => help.skill);
  /** The steps that a list of references (`bmad-create-story:validate`) means. */
  const named = (references: string) =>
    [...new Set(references.split(/[,;|]/).map((reference) => reference.trim()))].flatMap((reference) => {
      const [id, of] = reference.split(":");
      return (bySkill.get(id!) ?? []).filter(({ help }) => of === undefined || of === help.action);
    });
  const found = new Map(steps.map((step) => [step, new Set(named(step.help.after))]));
  for (const step of steps) for (const other of named(step.help.before)) found.get(other)!.add(step);
  for (const [step, others] of found) others.delete(step);
  return found;
}
