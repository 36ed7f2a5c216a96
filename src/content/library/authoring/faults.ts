/**
 * Faults of content, as its author wants to see them: file, line, what is wrong and how to fix it; and the rules for the
 * values of any map.
 */
import type { Entry } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { findText } from "../../tree/mod.ts";
import type { Parsed } from "../../parse.ts";
import type { Library, LibrarySource } from "../library.ts";
import { maskValue } from "../files/secrets.ts";
import { asText, isValues, type Values } from "../../../base/values.ts";

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
  readonly path: string;
  readonly text: string;
  fault(rule: RuleName, message: string, at?: At): void;
}

export function fileOf({ source, report }: Subject, path: string): CheckedFile | undefined {
  const text = findText(source.tree, path);
  if (text === undefined) return undefined;
  return { path, text, fault: (rule, message, at) => report(rule, path, message, findLine(text, at)) };
}

/** Undefined if the file cannot be parsed: that is its only fault then. */
export function parsed<T>(file: CheckedFile, parse: (text: string) => Parsed<T>): T | undefined {
  const { value, problem, at, isLimit } = parse(file.text);
  if (problem === undefined) return value;
  file.fault(isLimit ? "size" : "syntax", problem, at?.line ?? lineIn(problem));
  return undefined;
}

/** A check of files that exist and can be parsed. */
export function checkParsed<T>(
  parse: (text: string) => Parsed<T>,
  check: (subject: Subject, file: CheckedFile, value: T) => void,
): (subject: Subject, path: string) => void {
  return (subject, path) => {
    const file = fileOf(subject, path);
    const value = file && parsed(file, parse);
    if (value !== undefined) check(subject, file!, value);
  };
}

export function lineIn(problem: string): number | undefined {
  const [, line] = /\((\d{1,7}):\d{1,7}\)/.exec(problem) ?? [];
  return line === undefined ? undefined : Number(line);
}

export function findLine(text: string, at: At): number | undefined {
  if (typeof at === "number") return at;
  const found = at === undefined || at === "" ? -1 : text.indexOf(at);
  if (found < 0) return undefined;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < found; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

const MAX_FAULTS = 1_000;

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
      if (faults.length === MAX_FAULTS) throw new EnoughFaults();
    },
  };
}

type ValueType = "a text" | "a list" | "a list of texts" | "a map" | "a list of maps";

const IS: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  "a text": (value) => asText(value) !== undefined,
  "a list": Array.isArray,
  "a list of texts": (value) => Array.isArray(value) && value.every((each) => asText(each) !== undefined),
  "a map": isValues,
  "a list of maps": (value) => Array.isArray(value) && value.every(isValues),
};

export function requireKeys(
  file: CheckedFile,
  values: Values,
  keys: readonly string[],
  where = "",
  at: string | number | undefined = where.split(".").at(-1),
): void {
  for (const key of keys) {
    const value = values[key];
    const isThere = isValues(value) || Array.isArray(value) || asText(value) !== undefined;
    if (!isThere) file.fault("missing-key", `${where === "" ? key : `${where}.${key}`} is missing`, at);
  }
}

export function checkTypes(
  file: CheckedFile,
  values: Values,
  types: Readonly<Record<string, ValueType>>,
  where = "",
): void {
  for (const [key, type] of Object.entries(types)) {
    const value = values[key];
    if (value === undefined || value === null || value === "" || IS[type](value)) continue;
    file.fault("wrong-type", `${where === "" ? key : `${where}.${key}`} is not ${type}`, key);
  }
}

export function checkKeys(
  file: CheckedFile,
  values: Values,
  known: readonly string[],
  where = "",
): void {
  for (const key of Object.keys(values).filter((key) => !known.includes(key))) {
    file.fault("unknown-key", `${where === "" ? key : `${where}.${key}`} is not a known key`, key);
  }
}

export function checkTwice(file: CheckedFile, texts: readonly (string | undefined)[], what: string): void {
  const seen = new Set<string>();
  for (const text of texts) {
    if (text === undefined || text === "") continue;
    if (seen.has(text)) file.fault("duplicate", `${what} ${text} occurs twice`, text);
    seen.add(text);
  }
}
