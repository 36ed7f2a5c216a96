/**
 * What a document says about a story: a story file, a build's record, or a story's part of an epics document.
 *
 * Every release writes these facts in another place: in front matter, as a labelled line or as a section. All are
 * understood everywhere, because people mix them.
 */
import { isPlain, type Line, linesOf } from "../../../base/markdown.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { asText, asTexts, type Values } from "../../../base/values.ts";
import { normalizeText, parseDocumentFront } from "../../../content/parse.ts";
import type { Boxes } from "./model.ts";
import { findIds } from "./requirement_ids.ts";

/** What lines of Markdown say about one story. */
export interface Part {
  readonly status?: { readonly word: string; readonly line: number };
  readonly owner?: string;
  readonly after: readonly string[];
  readonly covers: readonly string[];
  readonly criteria: readonly string[];
  readonly boxes: Boxes;
}

/** A whole file about one story. */
export interface StoryDocument extends Part {
  readonly path: string;
  readonly title?: string;
  /** Its front matter. */
  readonly fields: Values;
  readonly problem?: { readonly problem: string; readonly line?: number };
}

const MAX_CRITERIA = 100;
/** Of requirements or dependencies of one story. */
export const MAX_IDS = 200;
/** More often than any story names requirements. */
const MAX_NAMED = 5_000;

/** Reads a file about a story. */
export function readDocument(path: string, text: string): StoryDocument {
  const clean = normalizeText(text);
  const { fields, problem, end, statusLine } = frontMatterOf(clean);
  const { heading, ...part } = readBody(clean, end);
  const word = asText(fields["status"]);
  const title = asText(fields["title"]) ?? heading;
  return {
    path,
    ...part,
    ...(word !== undefined && { status: { word: shorten(word, 60), line: statusLine } }),
    owner: ownerOf(fields) ?? part.owner,
    after: union(AFTER.flatMap((key) => referencesIn(fields[key])), part.after),
    covers: union(COVERS.flatMap((key) => coversIn(fields[key])), part.covers),
    ...(title !== undefined && title.trim() !== "" && { title: shorten(title) }),
    fields,
    ...(problem !== undefined && { problem }),
  };
}

/** What a text says below its front matter of so many lines; `heading` is its title. */
export function readBody(clean: string, end: number): Part & { readonly heading?: string } {
  const { lines, boxes } = isPlain(clean) ? tellingLines(clean, end) : { lines: linesOf(clean) };
  // Of a fence or a comment that begins in the front matter nothing is left below it.
  const part = readPart(end === 0 ? lines : lines.filter(({ number }) => number > end), boxes);
  const title = lines.find(({ text, number, isCode }) => number > end && !isCode && /^# /.test(text))?.text;
  const heading = title?.slice(2).replace(/^(?:story|epic)\s+[\w.-]+\s*[:–—-]?\s*/i, "");
  return { ...part, ...(heading !== undefined && { heading }) };
}

const AFTER = ["after", "depends_on", "dependencies"];
const COVERS = ["covers", "requirements"];

/** Who works on a story, by its front matter or its row in a ledger. */
export function ownerOf(fields: Values): string | undefined {
  const owner = asText(fields["owner"]) ?? asText(fields["assignee"]);
  return owner && shorten(owner, 60);
}

/** Requirements in a value: a list, or one text that is a list for people. What is not an id is kept as it is. */
export function coversIn(value: unknown): readonly string[] {
  return asTexts(value).slice(0, MAX_IDS).flatMap((text) => {
    const ids = findIds(text, { isList: true }).map(({ id }) => id);
    return ids.length === 0 ? shorten(text, 60) : ids;
  });
}

/** References in a value: a list, or one text that is a list for people. */
export function referencesIn(value: unknown): readonly string[] {
  return asTexts(value).flatMap((text) => text.split(",")).map((text) => shorten(text, 80))
    .filter((text) => text !== "" && !/^none$/i.test(text)).slice(0, MAX_IDS);
}

function frontMatterOf(text: string) {
  if (!text.startsWith("---\n")) return { fields: {}, end: 0, statusLine: 0 };
  const close = text.indexOf("\n---\n", 3);
  const stop = close < 0 ? (text.endsWith("\n---") ? text.length - 4 : undefined) : close;
  if (stop === undefined) {
    return {
      fields: {},
      end: 0,
      statusLine: 0,
      problem: { problem: "the front matter is not closed", line: 1 },
    };
  }
  const block = splitLines(text.slice(0, stop));
  const { value, problem } = parseDocumentFront(`${text.slice(0, stop)}\n---\n`);
  const statusLine = block.findIndex((line) => /^["']?status["']?\s*:/.test(line)) + 1;
  const end = block.length + 1;
  if (problem === undefined) return { fields: value, end, statusLine };
  const line = /\((\d+):\d+\)$/.exec(problem)?.[1];
  const rescued = block.flatMap((line) => {
    const [, key, rest] = /^(\w+):[ \t]+([^#]*)/.exec(line) ?? [];
    return key === undefined ? [] : [[key, rest!.trim().replace(/^(["'])(.*)\1$/, "$2")] as const];
  });
  return {
    fields: Object.fromEntries(rescued),
    end,
    statusLine,
    problem: { problem, ...(line !== undefined && { line: Number(line) }) },
  };
}

const HEADING = /^(#{1,6})\s+(\S.*)$/;
/** `Status: done`, `**Status:** done`, `- **Owner**: Ann`. */
const LABEL =
  /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z /]{1,40}?)(?:\*\*|__)?:(?:\*\*|__)?(?:\s+(.*))?$/s;
const BOX = /^\s*(?:[-*+]|\d{1,4}[.)])\s+\[([ xX])\](?:\s|$)/;
/** The same on the line that begins at `lastIndex`. */
const BOX_AT = /[^\S\n]*(?:[-*+]|\d{1,4}[.)])[^\S\n]+\[([ xX])\](?:\s|$)/y;
const CRITERIA = /^(?:acceptance criteria|acceptance criterion|acs)\b/i;
const STEP = /^\*\*(?:given|when|then|and|but)\b/i;
/** From there on a story file is about the work, and names requirements of other stories. */
const WORK = /^(?:dev notes|dev agent record|tasks|change log|qa results|senior developer)/i;

/**
 * The lines of a plain text that `readPart` looks at: of the part about the work, which is most of a long story file, only
 * headings. Its boxes are counted here.
 */
function tellingLines(
  text: string,
  frontMatter: number,
): { readonly lines: readonly Line[]; readonly boxes: Boxes } {
  const lines: Line[] = [];
  const boxes = { ticked: 0, total: 0 };
  let isSkipped = false;
  let criteriaLevel: number | undefined;
  for (let [start, number] = [0, 1]; start < text.length; number++) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const isHeading = text.charCodeAt(start) === SHARP && number > frontMatter;
    if (!isSkipped || isHeading) {
      const line = text.slice(start, end).trimEnd();
      if (line !== "") lines.push({ text: line, number, isCode: false });
      // Criteria and a status may be below a heading of the work.
      const [, signs, heading] = isHeading ? HEADING.exec(line) ?? [] : [];
      if (signs !== undefined && heading !== undefined) {
        if (criteriaLevel === undefined || signs.length <= criteriaLevel) {
          criteriaLevel = CRITERIA.test(heading) ? signs.length : undefined;
        }
        isSkipped = (isSkipped || WORK.test(heading)) && criteriaLevel === undefined &&
          !/^status/i.test(heading);
      }
    } else if (mayBeBox(text, start, end)) {
      BOX_AT.lastIndex = start;
      const mark = BOX_AT.exec(text)?.[1];
      if (mark !== undefined) boxes.total++;
      if (mark !== undefined && mark !== " ") boxes.ticked++;
    }
    start = end + 1;
  }
  return { lines, boxes };
}

const [SHARP, BRACKET] = [35, 91];

/** Whether a line has a bracket among its first characters that are not blank: `- [`, `1. [`. */
function mayBeBox(text: string, start: number, end: number): boolean {
  let signs = 0;
  for (let at = start; at < end && signs < MAX_SIGNS; at++) {
    const code = text.charCodeAt(at);
    if (code === BRACKET) return true;
    if (code > 32) signs++;
  }
  return false;
}

/** A number of four digits and its sign, before the bracket. */
const MAX_SIGNS = 6;

/** What some lines say about one story, and boxes that were counted before. */
export function readPart(lines: readonly Line[], boxes: Boxes = { ticked: 0, total: 0 }): Part {
  let status: Part["status"];
  let owner: string | undefined;
  let { ticked, total } = boxes;
  const after: string[] = [];
  const covers = new Set<string>();
  let named = 0;
  const criteria: string[] = [];
  /** The level of the heading above the criteria; 7 below a label. */
  let criteriaLevel: number | undefined;
  let heading = "";
  let isStatusSection = false;
  let isWork = false;
  for (const { text, number, isCode } of lines) {
    if (isCode || text === "") continue;
    const marked = text.startsWith("#") ? HEADING.exec(text) : null;
    if (marked !== null) {
      const signs = marked[1]!;
      heading = marked[2]!;
      if (criteriaLevel === undefined || signs.length <= criteriaLevel) {
        criteriaLevel = CRITERIA.test(heading) ? signs.length : undefined;
      }
      isStatusSection = /^status\s*(?::\s*)?$/i.test(heading);
      isWork ||= WORK.test(heading);
      const [, word] = /^status\s*:\s*(\S.*)$/i.exec(heading) ?? [];
      if (word !== undefined) status ??= { word: wordOf(word), line: number };
    }
    if (!isWork && covers.size < MAX_IDS && named < MAX_NAMED) {
      const ids = findIds(text, { heading });
      named += ids.length;
      for (const { id } of ids) if (covers.add(id).size === MAX_IDS) break;
    }
    if (marked !== null) continue;
    const box = text.includes("[") ? BOX.exec(text)?.[1] : undefined;
    if (box !== undefined) {
      total++;
      if (box !== " ") ticked++;
    }
    if (isStatusSection && text.trim() !== "") {
      status ??= { word: wordOf(text), line: number };
      isStatusSection = false;
      continue;
    }
    if (isWork && criteriaLevel === undefined) continue;
    const labelled = text.length < 1_000 && text.includes(":") ? LABEL.exec(text) : null;
    if (labelled !== null && !STEP.test(text)) {
      const [label, value] = [labelled[1]!, labelled[2] ?? ""];
      if (CRITERIA.test(label)) criteriaLevel = 7;
      else if (criteriaLevel === 7 && text.trimStart().startsWith("**")) criteriaLevel = undefined;
      if (value !== "" && !isWork) {
        if (/^status$/i.test(label)) status ??= { word: wordOf(value), line: number };
        else if (/^(?:owner|assignee)$/i.test(label)) owner ??= shorten(value, 60);
        else if (/^(?:prerequisites?|dependenc(?:y|ies)|depends on|blocked by)$/i.test(label)) {
          after.push(...Array.from(value.matchAll(/\b\d{1,4}[.-]\d{1,4}[a-z]?\b/g), ([ref]) => ref));
        }
      }
      if (CRITERIA.test(label)) continue;
    }
    if (criteriaLevel !== undefined) addCriterion(criteria, text);
  }
  return {
    ...(status !== undefined && status.word !== "" && { status }),
    owner,
    after: [...new Set(after)].slice(0, MAX_IDS),
    covers: [...covers],
    criteria: criteria.map((text) => PLAIN.test(text) ? text : shorten(text, 400)),
    boxes: { ticked, total },
  };
}

/** A line that needs no cleaning; nearly all are like that. */
const PLAIN = /^(?! )(?:[!-~]| (?! )){1,400}(?<! )$/;

/** `**Done**`, `` `done` `` → `done`. */
function wordOf(text: string): string {
  return shorten(text.replaceAll(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}(?![\p{L}\p{N}])/gu, ""), 60);
}

const ITEM = /^\s{0,3}(?:[-*+]|\d{1,4}[.):])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/** A list item or a `Given` begins a criterion; anything else goes on with the last one. */
function addCriterion(criteria: string[], text: string): void {
  if (criteria.length >= MAX_CRITERIA) return;
  const item = ITEM.exec(text)?.[1];
  const line = (item ?? text).trim().slice(0, 500);
  const last = criteria.at(-1);
  const isNew = item !== undefined ? !STEP.test(line) || /^\*\*given/i.test(line) : /^\*\*given/i.test(line);
  if (isNew || last === undefined) criteria.push(line);
  else if (last.length < 500) criteria[criteria.length - 1] = `${last} ${line}`;
}

/** The values of both lists, each once, as many as a story may have. */
export function union(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length >= MAX_IDS) return one.slice(0, MAX_IDS);
  return other.length === 0 ? one : [...new Set([...one, ...other])].slice(0, MAX_IDS);
}
