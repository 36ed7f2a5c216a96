/**
 * Reads the facts of a release from its files: of an npm package, a checkout or an installation.
 */
import { splitLines } from "../../src/base/text.ts";
import { asText, asTexts, asValues, isValues, type Values } from "../../src/base/values.ts";
import { parseCsv, parseToml, parseYaml } from "../../src/content/parse.ts";
import {
  baseName,
  cacheListings,
  findText,
  parentPath,
  type Tree,
  walkFiles,
} from "../../src/content/tree/mod.ts";
import type { Fact, FactKind, Release } from "./facts.ts";
import { declaredNames } from "../../src/project/scripts/known.ts";
import { scriptHash } from "../../src/project/scripts/known.ts";
import { callsIn, fieldsIn, headingsIn, placeholdersIn, statusesIn } from "./texts.ts";

/** What is no part of what people install: other programs, tests, documents for visitors. */
const SKIPPED =
  /(?:^|\/)(?:node_modules|tests?|__pycache__|fixtures|docs|website|web-bundles|\.git|\.github)$/;
const TEXT = /\.(?:md|toml|ya?ml|csv|xml|txt)$/;
const SCRIPT = /(?:^|\/)scripts\/[^/]+\.(?:py|sh|[cm]?js|ts|rb|ps1)$/;
const TEMPLATE = /template[^/]*\.(?:md|ya?ml)$|(?:^|\/)templates\/[^/]+\.md$/i;

/** The facts of a release below a folder of a tree. */
export async function readRelease(given: Tree, root = ""): Promise<Release> {
  const tree = cacheListings(given);
  const paths = [...walkFiles(tree, root, (path) => SKIPPED.test(path))];
  const skills = new Map(
    paths.filter((path) => baseName(path) === "SKILL.md").map((
      path,
    ) => [parentPath(path), baseName(parentPath(path))]),
  );
  const ownerOf = (path: string): string | undefined => {
    for (let at = parentPath(path); at !== ""; at = parentPath(at)) {
      const id = skills.get(at);
      if (id !== undefined) return id;
    }
    return undefined;
  };
  const facts = new Map<FactKind, Map<string, Fact>>();
  const lines = new Map<string, Set<string>>();
  const add = (kind: FactKind, name: string, at: string, more: Pick<Fact, "value" | "skill"> = {}) => {
    const known = facts.getOrInsertComputed(kind, () => new Map());
    if (!known.has(name)) known.set(name, { kind, name, at, ...more });
  };
  for (const path of paths) {
    const skill = ownerOf(path);
    const isTool = skill === undefined && /^(?:[^/]*\/)*tools\//.test(path);
    for (const [kind, name, value] of namedFacts(path, () => findText(tree, path) ?? "")) {
      add(kind, name, path, { value });
    }
    if (isTool) continue;
    const inside = skill === undefined
      ? undefined
      : path.slice(path.lastIndexOf(`/${skill}/`) + skill.length + 2);
    if (isContent(path, skill) && !SCRIPT.test(path) && baseName(path) !== "README.md") {
      add("layout", layoutOf(path, skill, inside), path);
    }
    if (baseName(path) === "SKILL.md" && skill !== undefined) {
      add("skill", skill, path, { value: parentPath(parentPath(path)) });
    }
    const isScript = SCRIPT.test(path);
    if (!isScript && !(TEXT.test(path) && isContent(path, skill))) continue;
    const text = findText(tree, path) ?? "";
    if (isScript) {
      const name = baseName(path);
      add("script", skill === undefined ? name : `${skill}/${name}`, path, { value: await scriptHash(text) });
      const { commands, args } = declaredNames(text);
      for (const option of [...commands, ...args]) add("option", `${name} ${option}`, path);
      for (const word of statusesIn(text, path)) add("status", word, path);
      continue;
    }
    for (const call of callsIn(text)) add("call", call, path);
    for (const name of placeholdersIn(text)) add("placeholder", name, path);
    for (const word of statusesIn(text, path)) add("status", word, path);
    for (const key of fieldsIn(text)) add("field", `${fieldPlace(path)}: ${key}`, path);
    if (skill === undefined) continue;
    if (inside === "customize.toml") {
      for (const key of keysOf(parseToml(text).value)) add("customize", `${skill} ${key}`, path, { skill });
    }
    if (TEMPLATE.test(path) && path.endsWith(".md")) {
      for (const heading of headingsIn(text)) {
        add("heading", `${skill}/${inside}: ${heading}`, path, { skill });
      }
    }
    const known = lines.getOrInsertComputed(skill, () => new Set());
    for (const line of splitLines(text)) if (line.trim().length > 20) known.add(line.trim());
  }
  return { facts, lines };
}

/** Facts of files that are known by their names, wherever they are. */
function namedFacts(path: string, read: () => string): readonly (readonly [FactKind, string, string?])[] {
  switch (baseName(path)) {
    case "removals.txt":
      return splitLines(read()).map((line) => line.trim()).filter((line) => /^[^#]/.test(line))
        .map((name) => ["retired", name]);
    case "retired.toml": {
      const { renamed, removed } = parseToml(read()).value;
      const pairs = (Array.isArray(renamed) ? renamed : []).map(asValues);
      return [
        ...pairs.flatMap(({ from, to }): readonly [FactKind, string, string?][] =>
          typeof from === "string" ? [["retired", from, asText(to)]] : []
        ),
        ...asTexts(removed).map((name): [FactKind, string] => ["retired", name]),
      ];
    }
    case "module.yaml": {
      const values = parseYaml(read()).value;
      const code = asText(values["code"]) ?? baseName(parentPath(path));
      return [
        ["module", code],
        ...Object.entries(values).filter(([, value]) => isValues(value)).map((
          [key, value],
        ): [FactKind, string, string] => ["config", `${code}.${key}`, defaultOf(asValues(value))]),
      ];
    }
    case "bmad-modules.yaml":
      return Object.entries(asValues(parseYaml(read()).value["modules"])).map(([name, value]) => {
        const { code, url, deprecated, "npmPackage": npm } = asValues(value);
        const state = deprecated === true ? "deprecated" : "";
        return [
          "module",
          `${asText(code) ?? name} (registry)`,
          [asText(url), asText(npm), state].filter(Boolean).join(" "),
        ];
      });
    case "platform-codes.yaml":
      return Object.entries(asValues(parseYaml(read()).value["platforms"])).map(([name, value]) => {
        const { target_dir, global_target_dir } = asValues(asValues(value)["installer"]);
        return ["target", name, [asText(target_dir), asText(global_target_dir)].filter(Boolean).join(" ")];
      });
    case "module-help.csv":
      return (parseCsv(read()).value[0] ?? []).map((column) => ["column", `module-help.csv: ${column}`]);
    default:
      return [];
  }
}

function defaultOf({ default: given }: Values): string {
  return given === undefined ? "" : JSON.stringify(given);
}

/** Whether people get the file: content, and not the README of a package. */
function isContent(path: string, skill: string | undefined): boolean {
  return skill !== undefined || /^(?:src|skills|_bmad|bmad-core|common)\//.test(path);
}

// Where a file lies, with a star for the name of its skill.
function layoutOf(path: string, skill: string | undefined, inside = ""): string {
  if (skill === undefined) return path;
  if (inside === "SKILL.md") return `${parentPath(parentPath(path))}/*/SKILL.md`;
  const [first, ...rest] = inside.split("/");
  return rest.length > 0 ? `*/${first}/` : /\.md$/.test(inside) ? "*/*.md" : `*/${inside}`;
}

function fieldPlace(path: string): string {
  return baseName(path) === "SKILL.md" ? "SKILL.md" : TEMPLATE.test(path) ? "templates" : "other files";
}

/** The dotted keys of a table; those of the tables in a list follow `[]`. */
function keysOf(values: Values, before = ""): readonly string[] {
  return Object.entries(values).flatMap(([key, value]): readonly string[] => {
    const name = `${before}${key}`;
    if (isValues(value)) return keysOf(value, `${name}.`);
    const tables = Array.isArray(value) ? value.filter(isValues) : [];
    return [name, ...new Set(tables.flatMap((table) => keysOf(table, `${name}[].`)))];
  });
}
