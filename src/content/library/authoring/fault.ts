/**
 * Faults of content, as its author wants to see them: file, line, what is wrong and what to do about it.
 */
import type { Entry } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { findText } from "../../tree/mod.ts";
import type { Parsed } from "../../parse.ts";
import type { Library, LibrarySource } from "../library.ts";
import { maskValue } from "../files/secret_patterns.ts";

/** Every rule, with what to do about a fault. */
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

/** The name of a rule. */
export type RuleName = keyof typeof RULES;

/** One fault. */
export interface Fault {
  /** The name of a rule: `menu-target`. */
  readonly rule: string;
  /** In the folder that was checked. */
  readonly path: string;
  /** Counted from 1; missing where the whole file is meant. */
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
  /** Why it stays, if it is a known fault of BMAD's own. */
  readonly known?: string;
}

/** Where in a file: a line, or the first line that holds a text. */
type At = number | string | undefined;

/** What is checked, and where its faults go. */
export interface Subject {
  readonly library: Library;
  readonly source: LibrarySource;
  /** The items of the source. */
  readonly items: readonly Entry[];
  /** Whether an item with this id exists, in the source or in what it builds on. */
  hasItem(id: string): boolean;
  /** The same for an agent. */
  hasAgent(id: string): boolean;
  report(rule: RuleName, path: string, message: string, line?: number): void;
}

/** A file that is being checked. */
export interface CheckedFile {
  readonly path: string;
  readonly text: string;
  /** Reports a fault in it. */
  fault(rule: RuleName, message: string, at?: At): void;
}

/** A file of the subject; undefined if it is missing or not text. */
export function fileOf({ source, report }: Subject, path: string): CheckedFile | undefined {
  const text = findText(source.tree, path);
  if (text === undefined) return undefined;
  return { path, text, fault: (rule, message, at) => report(rule, path, message, lineOf(text, at)) };
}

/** Parses a file of the subject. What cannot be parsed is a fault, and nothing else is said about it: undefined. */
export function parsed<T>(file: CheckedFile, parse: (text: string) => Parsed<T>): T | undefined {
  const { value, problem, at, isLimit } = parse(file.text);
  if (problem === undefined) return value;
  file.fault(isLimit ? "size" : "syntax", problem, at?.line ?? lineIn(problem));
  return undefined;
}

/** The line that a parser's message ends with: `(3:15)`. */
export function lineIn(problem: string): number | undefined {
  const [, line] = /\((\d{1,7}):\d{1,7}\)/.exec(problem) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** The number of the first line with a text; undefined if no line has it. */
export function lineOf(text: string, at: At): number | undefined {
  if (typeof at === "number") return at;
  const found = at === undefined || at === "" ? -1 : text.indexOf(at);
  if (found < 0) return undefined;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < found; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

/** More faults than anybody reads at a time. */
export const MAX_FAULTS = 1_000;

/** Ends a check that has found as many faults as it may report: each of them takes time. */
export class EnoughFaults extends Error {}

/** Collects faults, each once; of a file that cannot be parsed, one. The last one throws `EnoughFaults`. */
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
      if (faults.length === MAX_FAULTS) throw new EnoughFaults();
    },
  };
}
