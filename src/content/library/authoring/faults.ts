/** Faults of content, as its author wants to see them: file, line, what is wrong and how to fix it. */
import type { Entry } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import type { Parsed } from "../../parse.ts";
import type { Library, LibrarySource } from "../library.ts";
import { maskValue } from "../files/secrets.ts";
import { LIMITS } from "../../limits.ts";

export const RULES = {
  "syntax": "Correct the file so that it can be read",
  "front-matter": "Begin the file with front matter that has a name and a description",
  "name": "Use lower-case letters, digits and hyphens, at most 64 characters, as in the name of the folder",
  "description": "Say in 1 to 1024 characters what it does and when to use it",
  "missing-key": "Add the key",
  "wrong-type": "Give a value of that type",
  "unknown-key": "Correct the key, or remove it: nothing reads it",
  "menu": "Give each menu item a code of its own, a description and one target",
  "menu-target": "Correct the target, or add what it names",
  "reference": "Correct the path, or add the file",
  "help-column": "Use the columns of the help catalogue",
  "help-row": "Correct the row",
  "record": "Correct the record of the module",
  "not-found": "Correct the name, or add what it names",
  "customization": "Declare the value in customize.toml, or correct its name",
  "duplicate": "Rename one of them",
  "name-taken": "Choose another name: where both are served, this one hides BMAD's own",
  "size": "Shorten the file, or split it into files that are opened when they are needed",
  "link": "Replace the link with a copy of what it leads to",
  "unreadable": "Make the file readable",
  "no-content": "Name a module, a BMAD root, a skill or a project",
} as const satisfies Readonly<Record<string, string>>;

export type RuleName = keyof typeof RULES;

export interface Fault {
  readonly rule: string;
  readonly path: string;
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
  readonly known?: string;
}

type At = number | string | undefined;

export interface Subject {
  readonly library: Library;
  readonly source: LibrarySource;
  readonly items: readonly Entry[];
  hasItem(id: string): boolean;
  hasAgent(id: string): boolean;
  report(rule: RuleName, path: string, message: string, line?: number): void;
}

export interface CheckedFile {
  readonly subject: Subject;
  readonly path: string;
  readonly text: string;
  /** Reports a fault at a line, or at the first of some texts that the file has. */
  fault(rule: RuleName, message: string, ...at: readonly At[]): void;
}

export function openFile(subject: Subject, path: string): CheckedFile | undefined {
  const text = findText(subject.source.tree, path);
  if (text === undefined) return undefined;
  const fault: CheckedFile["fault"] = (rule, message, ...at) =>
    subject.report(rule, path, message, findLine(text, ...at));
  return { subject, path, text, fault };
}

/** The path that a text means from the folder of its file; undefined if it leads out of the tree. */
export function besidePath(file: CheckedFile, path: string): string | undefined {
  return normalizePath(joinPath(parentPath(file.path), path));
}

export function hasFile({ subject }: CheckedFile, path: string | undefined): boolean {
  return path !== undefined && subject.source.tree.stat(path) !== undefined;
}

/** Undefined if the file cannot be parsed: that is its only fault then. */
export function parsed<T>(file: CheckedFile, parse: (text: string) => Parsed<T>): T | undefined {
  const { value, problem, at, isLimit } = parse(file.text);
  if (problem === undefined) return value;
  file.fault(isLimit ? "size" : "syntax", problem, at?.line ?? lineIn(problem));
  return undefined;
}

export function lineIn(problem: string): number | undefined {
  const [, line] = /\((\d{1,7}):\d{1,7}\)/.exec(problem) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** The ways in which a key or a name is written, the clearest one first. */
export function placesOf(name: string | undefined): readonly string[] {
  return name === undefined
    ? []
    : [`[[${name}]]`, `[${name}]`, `${name}:`, `"${name}"`, `: ${name}`, `- ${name}`, name];
}

export function findLine(text: string, ...places: readonly At[]): number | undefined {
  for (const at of places) {
    if (typeof at === "number") return at;
    const found = at === undefined || at === "" ? -1 : text.indexOf(at);
    if (found < 0) continue;
    let line = 1;
    for (let end = text.indexOf("\n"); end >= 0 && end < found; end = text.indexOf("\n", end + 1)) line++;
    return line;
  }
  return undefined;
}

/** Ends a check that has found as many faults as it may report: each of them takes time. */
export class EnoughFaults extends Error {}

export function openFaults(): {
  readonly faults: readonly Fault[];
  add(fault: Omit<Fault, "fix" | "rule"> & { readonly rule: RuleName }): void;
} {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  return {
    faults,
    add: (given) => {
      const message = shorten(maskValue(given.message), 300);
      const { rule, path, line } = given;
      const key = rule === "syntax" ? `${rule}\n${path}` : [rule, path, line, message].join("\n");
      if (seen.has(key)) return;
      seen.add(key);
      faults.push({ ...given, message, fix: RULES[rule] });
      if (faults.length === LIMITS.validation.faults) throw new EnoughFaults();
    },
  };
}
