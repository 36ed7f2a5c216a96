/**
 * Checks of content, for its authors. In a schema, `"name!"` is a key that the map needs; the text beside a key says its
 * type (`text`, `texts`, `list`), whether no two are the same (`unique`), and what it names (`agent`, `path`). A map has
 * a schema of its own, `[map]` is a list of these, and `"*": "unknown"` forbids other keys.
 */
import type { Entry } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asTexts, asValues, firstOf, isValues, type Values } from "../../../base/values.ts";
import { LIMITS } from "../../limits.ts";
import type { Parsed } from "../../parse.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { maskValue } from "../files/secrets.ts";
import type { Library, LibrarySource } from "../library.ts";
import { asTables } from "../values/merge.ts";

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
  fault(rule: RuleName, message: string, ...at: readonly At[]): void;
}

export function openFile(subject: Subject, path: string): CheckedFile | undefined {
  const text = findText(subject.source.tree, path);
  if (text === undefined) return undefined;
  const fault: CheckedFile["fault"] = (rule, message, ...at) =>
    subject.report(rule, path, message, findLine(text, ...at));
  return { subject, path, text, fault };
}

export function hasBeside(file: CheckedFile, path: string): boolean {
  return hasFile(file, normalizePath(joinPath(parentPath(file.path), path)));
}

export function hasFile({ subject }: CheckedFile, path: string | undefined): boolean {
  return path !== undefined && subject.source.tree.stat(path) !== undefined;
}

/** A file that cannot be parsed has no other fault. */
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

/** As many faults as may be reported were found: each of them takes time. */
export class EnoughFaults extends Error {}

export function openFaults() {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  return {
    faults,
    add: (given: Omit<Fault, "fix" | "rule"> & { readonly rule: RuleName }) => {
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

export interface Schema {
  readonly [key: string]: string | Schema | readonly [Schema];
}

const TYPES: Readonly<Record<string, readonly [name: string, is: (value: unknown) => boolean]>> = {
  text: ["a text", (value) => asText(value) !== undefined],
  texts: ["a list of texts", (value) => Array.isArray(value) && asTexts(value).length === value.length],
  list: ["a list", Array.isArray],
  map: ["a map", isValues],
  maps: ["a list of maps", (value) => Array.isArray(value) && value.every(isValues)],
};

interface NameKind {
  readonly rule?: RuleName;
  readonly problem: string;
  isKnown(file: CheckedFile, name: string, map: Values, root: Values): boolean;
}

const NAMES: Readonly<Record<string, NameKind>> = {
  item: { problem: "does not exist", isKnown: ({ subject }, name) => subject.hasItem(name) },
  agent: { problem: "is not an agent", isKnown: ({ subject }, name) => subject.hasAgent(name) },
  teammate: {
    problem: "is not an agent",
    isKnown: ({ subject }, name) => name.includes("*") || subject.hasAgent(baseName(name)),
  },
  // A step may be done by several agents, or by a person.
  doer: {
    problem: "is not an agent",
    isKnown: ({ subject }, name) => /^(?:various|user|system)$|[^\w-]/.test(name) || subject.hasAgent(name),
  },
  path: {
    rule: "reference",
    problem: "is missing",
    // The first flat skills say in prose which skill has their help.
    isKnown: (file, path) => /\s/.test(path) || hasBeside(file, path),
  },
  sibling: {
    problem: "is not a skill beside it",
    isKnown: (file, skill) => hasBeside(file, `../${skill}/SKILL.md`),
  },
  record: {
    rule: "record",
    problem: "does not lie beside the skill",
    isKnown: (file, record) => hasBeside(file, `../${record}/bmod.toml`),
  },
  location: {
    rule: "record",
    problem: "begins with none of github:, https://, file: and plugin:",
    isKnown: (_, source) => /^(?:github:|https:\/\/|file:|plugin:)/.test(source),
  },
  skill: {
    problem: "is not a skill",
    isKnown: (file, skill, { source }) =>
      [`${asText(source) ?? ""}/${skill}`, skill].some((path) =>
        hasFile(file, normalizePath(`${path.replace(/^\//, "")}/SKILL.md`))
      ),
  },
  member: {
    problem: "is not a member",
    isKnown: ({ subject }, name, _, root) =>
      subject.hasItem(name) ||
      asTables(root["members"]).some(({ code, skill }) => code === name || skill === name),
  },
};

interface Place {
  readonly path: string;
  readonly own?: string;
  readonly root: Values;
}

export function checkMap(
  file: CheckedFile,
  map: Values,
  schema: Schema,
  { path, own, root }: Place = { path: "", root: map },
): void {
  const [heading = ""] = path.split(".").slice(-1);
  const line = path === "" ? [1] : [...placesOf(own), ...placesOf(heading.replace("[]", ""))];
  const known = new Map(Object.entries(schema).map(([key, rule]) => [key.replace("!", ""), rule]));
  for (const key of known.get("*") === "unknown" ? Object.keys(map) : []) {
    if (known.has(key)) continue;
    file.fault("unknown-key", `${path === "" ? "" : `${path}.`}${key} is not a known key`, ...placesOf(key));
  }
  for (const [key, rule] of known) {
    const value = map[key];
    const at = path === "" ? key : `${path}.${key}`;
    if (value === undefined || value === null || asText(value) === undefined && typeof value === "string") {
      if (`${key}!` in schema) file.fault("missing-key", `${at} is missing`, ...line);
      continue;
    }
    const isMap = typeof rule === "object";
    const words = isMap ? [Array.isArray(rule) ? "maps" : "map"] : rule.split(" ");
    const wrong = words.find((word) => TYPES[word]?.[1](value) === false);
    if (wrong !== undefined) {
      file.fault("wrong-type", `${at} is not ${TYPES[wrong]![0]}`, ...placesOf(key));
    }
    for (const kind of words.map((word) => NAMES[word])) {
      for (const name of asTexts(value)) {
        if (kind === undefined || kind.isKnown(file, name, map, root)) continue;
        file.fault(kind.rule ?? "not-found", `${at} names ${name}, which ${kind.problem}`, ...placesOf(name));
      }
    }
    if (words.includes("unique") && Array.isArray(value)) checkUnique(file, value, at);
    if (!isMap) continue;
    if (!Array.isArray(rule)) checkMap(file, asValues(value), rule as Schema, { path: at, root });
    else checkList(file, asTables(value), rule[0], { path: at, root });
  }
}

function checkList(file: CheckedFile, list: readonly Values[], schema: Schema, { path, root }: Place): void {
  for (const item of list) {
    const own = firstOf(["id", "code", "trigger", "title", "description"], (key) => asText(item[key]));
    checkMap(file, item, schema, { path: `${path}[]`, own, root });
  }
  for (const [key, rule] of Object.entries(schema)) {
    if (typeof rule !== "string" || !/^(?!.*texts).*\bunique/.test(rule)) continue;
    checkUnique(file, list.map((item) => item[key.replace("!", "")]), path);
  }
}

export function checkUnique(file: CheckedFile, names: readonly unknown[], where: string): void {
  const seen = new Set<string>();
  for (const name of names.map(asText).filter((name) => name !== undefined)) {
    if (seen.has(name)) file.fault("duplicate", `${where}: ${name} occurs twice`, name);
    seen.add(name);
  }
}
