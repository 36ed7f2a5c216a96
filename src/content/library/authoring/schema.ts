/**
 * What a map of values must be like, as data: a schema. `"name!"` is a key that the map needs; the text beside a key
 * says of which type it is (`text`, `texts`, `list`), whether no two of them are the same (`unique`), and what it names
 * (`agent`, `path`). A map in it is a map with a schema, `[map]` a list of these. `"*": "unknown"` forbids other keys.
 */
import { asTables } from "../values/merge.ts";
import { baseName, normalizePath } from "../../tree/mod.ts";
import { asText, asTexts, asValues, isValues, type Values } from "../../../base/values.ts";
import { besidePath, type CheckedFile, hasFile, placesOf, type RuleName } from "./faults.ts";

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
  // A team may have all agents.
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
    isKnown: (file, path) => hasFile(file, besidePath(file, path)),
  },
  sibling: {
    problem: "is not a skill beside it",
    isKnown: (file, skill) => hasFile(file, besidePath(file, `../${skill}/SKILL.md`)),
  },
  record: {
    rule: "record",
    problem: "does not lie beside the skill",
    isKnown: (file, record) => hasFile(file, besidePath(file, `../${record}/bmod.toml`)),
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
  /** What the map is called itself, if it is one of a list. */
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
    for (const word of words) checkNames(file, asTexts(value), { kind: NAMES[word], at, map, root });
    if (words.includes("unique") && Array.isArray(value)) checkUnique(file, value, at);
    if (!isMap) continue;
    if (!Array.isArray(rule)) checkMap(file, asValues(value), rule as Schema, { path: at, root });
    else checkList(file, asTables(value), rule[0], { path: at, root });
  }
}

function checkNames(
  file: CheckedFile,
  names: readonly string[],
  { kind, at, map, root }: {
    readonly kind: NameKind | undefined;
    readonly at: string;
    readonly map: Values;
    readonly root: Values;
  },
): void {
  if (kind === undefined) return;
  for (const name of names.filter((name) => !kind.isKnown(file, name, map, root))) {
    file.fault(kind.rule ?? "not-found", `${at} names ${name}, which ${kind.problem}`, ...placesOf(name));
  }
}

function checkList(file: CheckedFile, list: readonly Values[], schema: Schema, { path, root }: Place): void {
  for (const item of list) {
    const own = [item["id"], item["code"], item["trigger"], item["title"], item["description"]]
      .map(asText).find((text) => text !== undefined);
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
