/** Front matter, YAML, TOML and CSV as BMAD files really are: a parser returns what it understood, and the problem. */
import { splitLines } from "../base/text.ts";
import { LIMITS } from "./limits.ts";
import { dump, load, YAMLException } from "js-yaml";
import { parse as parseTables, stringify as formatTables, TomlError } from "smol-toml";
import { isTooDeep, isValues, mapLeaves, TOO_DEEP, type Values } from "../base/values.ts";

export { asList, asText, asTexts, asValues, isValues, type Values } from "../base/values.ts";

export interface Parsed<T> {
  readonly value: T;
  /** Half a sentence such as `the file is empty`; undefined when everything was understood. */
  readonly problem?: string;
  readonly at?: Position;
  readonly isLimit?: true;
}

const LIMIT = LIMITS.documents;
const ITEM = /[\n\r,]|- /g;
/** In characters: each value is merged, searched for secrets and filled in before an item is delivered. */
export const MAX_VALUES = 1 << 16;

const TOO_LONG: Parsed<Values> = {
  value: {},
  problem: `the text has more than ${LIMIT.length} characters or ${LIMIT.items} lines and items`,
  isLimit: true,
};

function isTooLong(text: string): boolean {
  return text.length > LIMIT.length ||
    (text.length > LIMIT.items && (text.match(ITEM)?.length ?? 0) > LIMIT.items);
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function parseYaml(text: string): Parsed<Values> {
  return parseYamlAs(text, isValues, {}, "a map of keys and values");
}

export function parseYamlList(text: string): Parsed<readonly unknown[]> {
  return parseYamlAs(text, Array.isArray, [], "a list");
}

function parseYamlAs<T>(text: string, isWanted: (value: unknown) => value is T, empty: T, wanted: string) {
  const { value, ...rest } = parseAnyYaml(text);
  if (isWanted(value)) return { value };
  const problem = value === undefined ? "the file is empty" : `the file is not ${wanted}`;
  return { value: empty, problem, ...rest };
}

export function parseAnyYaml(text: string): Parsed<unknown> {
  if (isTooLong(text)) return { ...TOO_LONG, value: undefined };
  const clean = normalizeText(text);
  if (splitLines(clean).every((line) => /^\s*(#|$)/.test(line))) return { value: undefined };
  try {
    const value = load(clean);
    if (clean.includes("&") && isLongerThan(value, 4 * clean.length + 1_000)) {
      return { value: undefined, problem: "its aliases expand far beyond the size of the file" };
    }
    return { value };
  } catch (error) {
    const mark = error instanceof YAMLException ? error.mark : undefined;
    const at = mark && { line: mark.line + 1, column: mark.column + 1 };
    return { value: undefined, problem: `the YAML cannot be parsed: ${firstLine(error)}`, at };
  }
}

/** Aliases can make a small file endless. */
function isLongerThan(value: unknown, limit: number): boolean {
  let left = limit;
  const visit = (value: unknown, depth: number): boolean => {
    left -= typeof value === "string" ? value.length : 1;
    return left < 0 || depth > 100 ||
      (typeof value === "object" && value !== null &&
        Object.entries(value).some((pair) => pair.some((inner) => visit(inner, depth + 1))));
  };
  return visit(value, 0);
}

export function parseToml(text: string): Parsed<Values> {
  if (isTooLong(text)) return TOO_LONG;
  try {
    const plain = normalizeText(text);
    const textOf = (leaf: unknown) => typeof leaf === "bigint" ? String(leaf) : leaf;
    // Ids of other services may be too large for a number: as a text, one of them does not cost the file.
    const value = LARGE_NUMBER.test(plain)
      ? mapLeaves(parseTables(plain, { integersAsBigInt: "asNeeded" }), textOf) as Values
      : parseTables(plain);
    return isTooDeep(value) ? { value: {}, problem: TOO_DEEP, isLimit: true } : { value };
  } catch (error) {
    const at = error instanceof TomlError ? { line: error.line, column: error.column } : undefined;
    return { value: {}, problem: `the TOML cannot be parsed: ${firstLine(error)}`, at };
  }
}

const LARGE_NUMBER = /[\da-fA-F_]{14}/;

/** TOML has no null, so null values are left out. */
export function formatToml(values: Values): string {
  return formatTables(withoutNull(values));
}

export function formatYaml(value: Values | readonly Values[]): string {
  return dump(value, { lineWidth: -1 });
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNull);
  if (!isValues(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutNull(inner)]));
}

/** Rows may differ in length. By hand: the library we tried took longer than the rest of an inventory. */
export function parseCsv(text: string): Parsed<readonly (readonly string[])[]> {
  const clean = normalizeText(text);
  const rows: string[][] = [];
  let problem: string | undefined;
  let row: string[] = [];
  let isLimit = false;
  for (let at = 0; at <= clean.length;) {
    let field: string;
    let end = clean.startsWith('"', at) ? closingQuote(clean, at) : undefined;
    if (end !== undefined) {
      field = clean.slice(at + 1, end).replaceAll('""', '"');
      end++;
    } else {
      end = fieldEnd(clean, at);
      field = clean.slice(at, end);
      // An unclosed quote takes only the rest of its field, so that the other rows survive.
      if (field.startsWith('"')) {
        problem = "the CSV has an unclosed quote";
        field = field.slice(1);
      }
    }
    if (row.length < LIMIT.columns) row.push(field);
    else isLimit = true;
    at = end + 1;
    if (clean[end] === ",") continue;
    if (row.length > 1 || row[0] !== "") {
      const isFull = rows.length * (rows[0]?.length ?? 0) >= LIMIT.cells;
      isLimit ||= isFull;
      if (isFull) break;
      rows.push(row);
    }
    row = [];
  }
  if (!isLimit) return { value: rows, problem: rows.length === 0 ? "the file is empty" : problem };
  return {
    value: rows,
    problem: `only the first ${LIMIT.columns} columns and ${LIMIT.cells} cells are read`,
    isLimit,
  };
}

function closingQuote(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text[at + 1] === '"') at++;
    else return at + 1 === text.length || text[at + 1] === "," || text[at + 1] === "\n" ? at : undefined;
  }
  return undefined;
}

function fieldEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== "," && text[at] !== "\n") at++;
  return at;
}

export function parseTable(text: string): Parsed<readonly Readonly<Record<string, string>>[]> {
  const { value: [header = [], ...rows], ...rest } = parseCsv(text);
  const value = rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ""])));
  return { value, ...rest };
}

export function parseFrontMatter(text: string): Parsed<Values> {
  const whole = normalizeText(text);
  const { frontMatter } = LIMIT;
  const lines = splitLines(whole.slice(0, frontMatter));
  if (lines[0] !== "---") return { value: {} };
  const end = lines.indexOf("---", 1);
  if (end < 0) {
    return whole.includes("\n---\n", frontMatter - 4)
      ? { value: {}, problem: `the front matter is longer than ${frontMatter} characters`, isLimit: true }
      : { value: {}, problem: "the front matter is not closed" };
  }
  const block = lines.slice(1, end).join("\n");
  if (block.trim() === "") return { value: {} };
  const { value, problem } = parseYaml(block);
  if (problem === undefined) return { value };
  // Name and description can be rescued from a block that is not YAML: `description: Use "x": y`.
  const rescued = block.matchAll(/^(name|description|title):[ \t]*(.*)$/gm);
  return {
    value: Object.fromEntries(Array.from(rescued, ([, key, rest]) => [key, unquote(rest!.trim())])),
    // The block starts on the second line of the file.
    problem: problem.replace("the YAML", "the front matter")
      .replace(/\((\d+)(?=:\d+\)$)/, (_, line: string) => `(${Number(line) + 1}`),
  };
}

export function isOnlyFrontMatter(text: string): boolean {
  const lines = splitLines(normalizeText(text).trimEnd());
  return lines[0] === "---" && lines.length > 1 && lines.indexOf("---", 1) === lines.length - 1;
}

/** `title: Pay: by card` is a title for BMAD's own scripts, although YAML refuses it. */
export function parseDocumentFront(text: string): Parsed<Values> {
  const strict = parseFrontMatter(text);
  if (strict.problem === undefined || strict.isLimit) return strict;
  const lines = splitLines(normalizeText(text).slice(0, LIMIT.frontMatter));
  const end = lines.indexOf("---", 1);
  if (end < 0) return strict;
  const block = lines.slice(0, end + 1);
  const quoted = block.map((line, at) => /^\s/.test(block[at + 1] ?? "") ? line : quoteText(line));
  const { value, problem } = parseFrontMatter(quoted.join("\n"));
  return problem === undefined ? { value } : strict;
}

function quoteText(line: string): string {
  const [, key, rest] = /^(\w[\w-]*):[ \t]+(\S.*)$/.exec(line) ?? [];
  if (key === undefined) return line;
  const text = rest!.split("   #")[0]!.trimEnd();
  const isOdd = /:(?:\s|$)|^[@`%&*!|>?,"'-]|^[[{].*[\]}]./.test(text);
  return isOdd && !WHOLE.test(text) ? `${key}: ${JSON.stringify(text)}` : line;
}

/** A quoted text, a list or a map that ends where the line does, but for a comment. */
const WHOLE = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[[^\]]*\]|\{[^}]*\})(?:\s+#.*)?$/;

export function findHeading(text: string): string | undefined {
  return /^# +(.+)$/m.exec(normalizeText(text))?.[1]?.trim();
}

export function normalizeText(text: string): string {
  const unmarked = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return unmarked.includes("\r") ? unmarked.replaceAll(/\r\n?/g, "\n") : unmarked;
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function firstLine(error: unknown): string {
  return splitLines(error instanceof Error ? error.message : String(error))[0]!;
}
