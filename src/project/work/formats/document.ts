/** A document about a story in one walk; a board skips lines that cannot have facts, a check does not. */
import { cacheTexts } from "../../../base/cache.ts";
import { isPlain, type Line, linesOf } from "../../../base/markdown.ts";
import { detached, shorten, splitLines } from "../../../base/text.ts";
import { asText, type Values } from "../../../base/values.ts";
import { normalizeText, parseDocumentFront } from "../../../content/parse.ts";
import { LIMITS } from "../../limits.ts";
import { type Box, isOpenBox, isReviewBox, type Role, roleOf } from "./roles.ts";
import { type NotedRun, readRun } from "./evidence.ts";
import { findIds } from "./requirement_ids.ts";
import { namedRef } from "./sprint_keys.ts";
import type { Boxes } from "./model.ts";

export interface DocumentStatus {
  readonly word: string;
  readonly line: number;
  /** Where it begins without comments; undefined in front matter. */
  readonly written?: { readonly text: string; readonly from: number };
}

export interface Body {
  readonly status?: DocumentStatus;
  readonly owner?: string;
  readonly after: readonly string[];
  readonly covers: readonly string[];
  readonly criteria: readonly string[];
  /** Moved by a build into its spec's matrix. */
  readonly scenarios: readonly string[];
  readonly boxes: Boxes;
  readonly openFindings: readonly Box[];
  readonly heading?: { readonly text: string; readonly line: number };
}

export interface StoryDocument extends Body {
  readonly path: string;
  readonly title?: string;
  readonly fields: Values;
  /** With both rules; 0 without front matter. */
  readonly end: number;
  readonly problem?: { readonly problem: string; readonly line?: number };
}

export interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
  readonly role?: Role;
}

export interface RoleLine {
  readonly line: number;
  readonly text: string;
  readonly label: string;
}

export interface StoryText extends StoryDocument {
  readonly allBoxes: readonly Box[];
  readonly lines: ReadonlyMap<Role, readonly RoleLine[]>;
  readonly headings: ReadonlyMap<Role, number>;
  readonly outline: readonly Heading[];
  readonly sections: ReadonlyMap<string, { readonly line: number; readonly isFilled: boolean }>;
  readonly runs: readonly NotedRun[];
  readonly statuses: readonly DocumentStatus[];
}

const documents = cacheTexts<StoryDocument>(LIMITS.documents.cachedLength);
const storyTexts = cacheTexts<StoryText>(LIMITS.documents.cachedLines);

export function readDocument(path: string, text: string): StoryDocument {
  return documents.find(path, text) ??
    documents.keep(path, text, detached(readWith(new Walk(), path, text)));
}

export function readStoryText(path: string, text: string): StoryText {
  const known = storyTexts.find(path, text);
  if (known !== undefined) return known;
  const walk = new Walk(true);
  const document = readWith(walk, path, text);
  const { allBoxes, lines, headings, outline, sections, runs, statuses } = walk;
  const places = { allBoxes, lines, headings, outline, sections, runs, statuses };
  return storyTexts.keep(path, text, { ...document, ...places });
}

export function readBody(clean: string, end: number): Body {
  return walkText(new Walk(), clean, end).result();
}

export function readPart(lines: readonly Line[]): Body {
  const walk = new Walk();
  for (const [at, line] of lines.entries()) walk.take(line, at === 0);
  return walk.result();
}

function readWith(walk: Walk, path: string, text: string): StoryDocument {
  const clean = normalizeText(text);
  const { fields, problem, end, statusLine } = frontMatterOf(clean);
  const body = walkText(walk, clean, end).result();
  const word = asText(fields["status"]);
  if (word !== undefined) walk.statuses.unshift({ word: shorten(word, 60), line: statusLine });
  const title = asText(fields["title"]) ?? body.heading?.text.trim();
  return {
    path,
    ...body,
    status: walk.statuses[0],
    title: title ? shorten(title) : undefined,
    fields,
    end,
    problem,
  };
}

export function frontMatterEnd(clean: string): number {
  const front = frontOf(clean);
  return front === undefined ? 0 : splitLines(front).length + 1;
}

/** Undefined without front matter, or if it is not closed. */
export function frontOf(text: string): string | undefined {
  const close = text.startsWith("---\n") ? text.indexOf("\n---\n", 3) : undefined;
  if (close === undefined || close < 0 && !text.endsWith("\n---")) return undefined;
  return text.slice(0, close < 0 ? -4 : close);
}

function frontMatterOf(text: string) {
  const front = frontOf(text);
  if (front === undefined) {
    const problem = { problem: "the front matter is not closed", line: 1 };
    const fields: Values = {};
    return { fields, end: 0, statusLine: 0, problem: text.startsWith("---\n") ? problem : undefined };
  }
  const block = splitLines(front);
  const { value, problem } = parseDocumentFront(`${front}\n---\n`);
  const statusLine = Math.max(1, block.findIndex((line) => /^["']?status["']?\s*:/.test(line)) + 1);
  const end = block.length + 1;
  if (problem === undefined) return { fields: value, end, statusLine };
  const line = Number(/\((\d+):\d+\)$/.exec(problem)?.[1]) || undefined;
  const rescued = block.map((line) => /^(\w+):[ \t]+([^#]*)/.exec(line) ?? []).filter(({ length }) =>
    length > 0
  )
    .map(([, key, rest]) => [key!, rest!.trim().replace(/^(["'])(.*)\1$/, "$2")] as const);
  return { fields: Object.fromEntries(rescued), end, statusLine, problem: { problem, line } };
}

const HEADING = /^(#{1,6})\s+(\S.*)$/;
/** `Status: done`, `**Status:** done`, `- **Owner**: Ann`. */
const NAMED =
  /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z /]{1,40}?)(?:\*\*|__)?\s?:(?:\*\*|__)?(?:\s+(.*))?$/s;
/** `**Acceptance Criteria:**` alone on its line. */
const ALONE = /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)([^*_]{1,80})(?:\*\*|__):?$/;
const BOX = /^([ \t]*)(?:>[ \t]?)?(?:[-*+]|\d{1,4}[.)])[ \t]+\[([ xX])\](?:\s|$)/;
const ROW = /^[ \t]*\|/;
/** Cutting rows into cells takes long. */
const SIGN = /[[☐☑✅]/u;
const CELL = /^(?:\[([ xX])\]|[☐☑✅])$/u;
const STEP = /^\*\*(?:given|when|then|and|but)\b/i;
/** Here, a story file names other stories' requirements. */
const WORK = /^(?:dev notes|dev agent record|tasks|change log|qa results|senior developer)/i;

class Walk {
  readonly allBoxes: Box[] = [];
  readonly lines = new Map<Role, RoleLine[]>();
  readonly headings = new Map<Role, number>();
  readonly outline: Heading[] = [];
  readonly sections = new Map<string, { readonly line: number; isFilled: boolean }>();
  readonly runs: NotedRun[] = [];
  readonly statuses: DocumentStatus[] = [];
  #heading: Body["heading"];
  #owner: string | undefined;
  readonly #after: string[] = [];
  readonly #covers = new Set<string>();
  readonly #criteria: string[] = [];
  readonly #scenarios: string[] = [];
  #total = 0;
  #ticked = 0;
  readonly #openFindings: Box[] = [];
  readonly #names = { left: LIMITS.documents.namedIds };
  /** Outermost first; without a role, the one around counts. */
  #open: { readonly level: number; readonly text: string; readonly role?: Role }[] = [];
  #group = "";
  #role: Role | undefined;
  #isLabelled = false;
  #section: { isFilled: boolean } | undefined;
  #hasSections = false;
  #isWork = false;
  #awaitsStatus = false;

  /** A board needs only what a `Body` has. */
  constructor(readonly isComplete = false) {}

  /** Whether only headings, boxes, runs and labels without a value matter here. */
  get isSkipping(): boolean {
    if (!this.#isWork || this.#awaitsStatus) return false;
    return this.isComplete
      ? this.#role === undefined && this.#section?.isFilled !== false
      : this.#role !== "criteria";
  }

  take({ text, number, isCode }: Line, isTitle = false): void {
    if (isCode || text === "" || this.#takeRun(text, number)) return;
    const marked = text.startsWith("#") ? HEADING.exec(text) : null;
    if (marked !== null) this.#takeHeading(text, number, marked[1]!.length, marked[2]!, isTitle);
    this.#takeIds(text);
    if (marked === null) this.#takeLine(text, number);
  }

  #takeRun(text: string, line: number): boolean {
    const run = readRun(text);
    if (run === undefined) return false;
    this.runs.push({ ...run, line });
    // A record may be its log of runs alone; runs in the notes do not say what was built.
    if (this.#section !== undefined && (this.#open.at(-1)?.level ?? 0) > 2) this.#section.isFilled = true;
    return true;
  }

  #takeHeading(text: string, number: number, level: number, heading: string, isTitle: boolean): void {
    if (level === 1) this.#heading ??= { text: heading.replace(TITLE, ""), line: number };
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    const [, word] = /^status\s*:\s*(\S.*)$/i.exec(heading) ?? [];
    const own = level === 1 || isTitle || word !== undefined ? undefined : roleOf(heading);
    const role = own ?? this.#open.at(-1)?.role;
    this.#open.push({ level, text: heading, role });
    if (this.outline.length < LIMITS.documents.lines) {
      this.outline.push({ line: number, level, text: heading.trim(), role });
    }
    this.#closeLabel();
    this.#isWork ||= WORK.test(heading);
    this.#hasSections ||= level === 2;
    this.#awaitsStatus = own === "status";
    if (word !== undefined) this.#addStatus(text, number, word);
    if (own !== undefined) this.headings.getOrInsert(own, number);
    if (level === 2 && this.isComplete) {
      this.#section = this.sections.getOrInsert(heading.trim().toLowerCase(), {
        line: number,
        isFilled: false,
      });
    }
    // A criterion may be a heading of its own.
    if (role !== undefined && own === undefined && word === undefined) {
      this.#addLine(role, number, heading, "", true);
    }
  }

  #takeIds(text: string): void {
    if (this.#isWork || this.#covers.size >= LIMITS.ids.ofItem || this.#names.left <= 0) return;
    const ids = findIds(text, { heading: this.#open.at(-1)?.text ?? "", budget: this.#names });
    for (const id of ids) if (this.#covers.add(id).size === LIMITS.ids.ofItem) break;
  }

  #takeLine(text: string, number: number): void {
    if (this.#section?.isFilled === false && isWritten(text)) this.#section.isFilled = true;
    const isAwaited = this.#awaitsStatus;
    this.#awaitsStatus = false;
    if (!this.#takeBoxes(text, number)) {
      if (isAwaited) this.#addStatus(text, number, text.replace(/^\s*(?:[-*+]\s+)?/, ""));
      else if (this.#takeLabel(text, number)) return;
    }
    if (this.#role !== undefined) this.#addLine(this.#role, number, text, this.#group, false);
  }

  #closeLabel(): void {
    const { text = "", role } = this.#open.at(-1) ?? {};
    this.#group = text;
    this.#role = role;
    this.#isLabelled = false;
  }

  /** Whether it is a label or the status, and so no line of its section. */
  #takeLabel(text: string, number: number): boolean {
    const label = labelIn(text);
    if (label === undefined) return false;
    const { name, value, isItem, isBold, hasColon } = label;
    const role = roleOf(name);
    const isCriteria = role === "criteria" && (value === "" || !this.#isWork);
    if (isCriteria || value === "" && isBold) {
      if (role === undefined && this.#role === "criteria" && (isItem || !hasColon)) return false;
      this.#closeLabel();
      this.#group = name;
      this.#role = role ?? this.#role;
      this.#isLabelled = role !== undefined;
      if (role !== undefined) this.headings.getOrInsert(role, number);
      if (isCriteria && value !== "") this.#addLine(role, number, value, name, true);
      return true;
    }
    if (isBold && !isItem && this.#isLabelled && this.#role === "criteria") this.#closeLabel();
    if (value === "" || this.#isWork) return false;
    // Later ones are about something else.
    if (/^status$/i.test(name) && (this.statuses.length === 0 || !this.#hasSections)) {
      this.#addStatus(text, number, value);
      return true;
    }
    if (/^(?:owner|assignee)$/i.test(name)) this.#owner ??= shorten(value, 60);
    else if (/^(?:prerequisites?|dependenc(?:y|ies)|depends on|blocked by)$/i.test(name)) {
      this.#after.push(
        ...Array.from(value.matchAll(/\b\d{1,4}[.-]\d{1,4}[a-z]?\b/g), ([ref]) => namedRef(ref)),
      );
    }
    return false;
  }

  #addStatus(line: string, number: number, text: string): void {
    const word = wordOf(text);
    if (word === "" || this.statuses.length >= LIMITS.documents.statuses) return;
    this.statuses.push({ word, line: number, written: { text, from: line.length - text.length } });
  }

  #takeBoxes(line: string, number: number): boolean {
    const before = this.#total;
    const box = line.includes("[") ? BOX.exec(line) : null;
    if (box !== null) this.#addBox(number, line.slice(box[0].length), box[2] !== " ", box[1]!.length);
    else if (before < LIMITS.documents.boxes && line.includes("|") && SIGN.test(line) && ROW.test(line)) {
      const cells = cellsIn(line);
      const about = cells.filter((one) => !CELL.test(one)).join(" ");
      for (const cell of cells) {
        const [whole, sign] = CELL.exec(cell) ?? [];
        if (whole !== undefined) {
          this.#addBox(number, about, sign === undefined ? whole !== "☐" : sign !== " ");
        }
      }
    }
    return this.#total > before;
  }

  #addBox(line: number, text: string, isTicked: boolean, indent = 0): void {
    if (this.#total >= LIMITS.documents.boxes) return;
    this.#total++;
    if (isTicked) this.#ticked++;
    if (isTicked && !this.isComplete) return;
    const box = { line, indent, text, isTicked, heading: this.#group, role: this.#role };
    if (!isTicked && isReviewBox(box) && isOpenBox(box)) this.#openFindings.push(box);
    if (this.isComplete) this.allBoxes.push(box);
  }

  #addLine(role: Role, number: number, text: string, label: string, isNew: boolean): void {
    if (role === "criteria") addCriterion(this.#criteria, text, isNew);
    if (role === "matrix" && SCENARIOS.test(label)) addScenario(this.#scenarios, text);
    if (!this.isComplete) return;
    const own = this.lines.getOrInsertComputed(role, () => []);
    if (own.length < LIMITS.documents.lines) {
      own.push({ line: number, text: text.trim().slice(0, 2_000), label });
    }
  }

  result(): Body {
    return {
      status: this.statuses[0],
      owner: this.#owner,
      after: [...new Set(this.#after)].slice(0, LIMITS.ids.ofItem),
      covers: [...this.#covers],
      criteria: this.#criteria.map((text) => PLAIN.test(text) ? text : shorten(text, 400)),
      scenarios: this.#scenarios.map((text) => shorten(text, 400)),
      boxes: { ticked: this.#ticked, total: this.#total },
      openFindings: this.#openFindings,
      heading: this.#heading,
    };
  }
}

/** `Story 1.2: Login` → `Login`. */
const TITLE = /^(?:story|epic)\s+[\w.-]+\s*[:–—-]?\s*/i;
/** Needs no cleaning, like most lines. */
const PLAIN = /^(?! )(?:[!-~]| (?! )){1,400}(?<! )$/;

function walkText(walk: Walk, text: string, end: number): Walk {
  if (!isPlain(text)) {
    // In front matter, fences and comments are neither.
    for (const line of linesOf(text, end)) {
      if (!walk.isSkipping || maySay(line.text, 0, line.text.length)) walk.take(line);
    }
    return walk;
  }
  for (let [start, number] = [0, 1]; start < text.length; number++) {
    const found = text.indexOf("\n", start);
    const stop = found < 0 ? text.length : found;
    if (number > end && (!walk.isSkipping || maySay(text, start, stop))) {
      walk.take({ text: text.slice(start, stop).trimEnd(), number, isCode: false });
    }
    start = stop + 1;
  }
  return walk;
}

/** The start of a heading, a table row, a run of a command, or a box, at most `>1234. [`. */
const STARTS = /#|[^\S\n]*(?:\||\S[^\S\n]*`|(?:\S[^\S\n]*){0,6}?\[)/y;
/** The end of a label without a value, unless it is a sign of another script. */
const ENDS = ":*_ \t";

/** Few characters show that most lines cannot be one of these. */
function maySay(text: string, start: number, stop: number): boolean {
  const last = text[stop - 1] ?? "";
  STARTS.lastIndex = start;
  return last > "~" || ENDS.includes(last) || STARTS.test(text);
}

function labelIn(text: string) {
  const end = text.at(-1)!;
  const alone = text.length < 100 && ":*_".includes(end) ? ALONE.exec(text) : null;
  const isNamed = alone === null && text.length < 1_000 && text.includes(":");
  const label = isNamed ? NAMED.exec(text) : alone;
  if (label === null || STEP.test(text)) return undefined;
  const [, name = "", value = ""] = label;
  const start = text.trimStart();
  const isItem = /^[-*+]\s/.test(start);
  return {
    name: name.trim().replace(/:$/, ""),
    value,
    isItem,
    isBold: alone !== null || /^(?:[-*+]\s+)?(?:\*\*|__)/.test(start),
    hasColon: alone === null || end === ":" || name.endsWith(":"),
  };
}

export function cellsIn(text: string): readonly string[] {
  return text.trim().slice(0, 10_000).replace(/^\|/, "").replace(/\|$/, "").split("|").map((cell) =>
    cell.trim()
  );
}

const PLACEHOLDER =
  /^\W*(?:add acceptance criteria|tbd\b|todo\b|n\/a\b|none\b)|\{\{|\bPRECONDITION\b|^[\s\d.*()[\]|:-]*(?:…|\.\.\.)?$/i;

/** `ONE_TO_TWO_SENTENCES`, as the templates of 6.12 have it, after a label. */
const CAPITALS = /^(?:\*{1,2}[^*]{1,60}\*\*\s{0,4})?[A-Z]+(?:_[A-Z]+)+\s*$/;

export function isWritten(line: string): boolean {
  const text = line.slice(0, 2_000).replace(/^\s*(?:[-*+]|\d{1,4}[.):])\s*/, "");
  return !PLACEHOLDER.test(text) && !CAPITALS.test(text);
}

function wordOf(text: string): string {
  return shorten(text.replaceAll(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}(?![\p{L}\p{N}])/gu, ""), 60);
}

const SCENARIOS = /\bedge[ -]cases?\b|\bi\/o\b/i;
const RULE = /^\s*\|[\s:|-]+$/;

/** The row above its rule names the columns. */
function addScenario(scenarios: string[], text: string): void {
  if (RULE.test(text)) scenarios.pop();
  else if (ROW.test(text) && scenarios.length < LIMITS.documents.criteria) {
    const [name = "", ...rest] = cellsIn(text.slice(0, 1_000));
    if (!rest.includes("INPUT")) {
      scenarios.push([name, rest.filter(isWritten).join(" → ")].filter(Boolean).join(": "));
    }
  }
}

const ITEM = /^\s{0,3}(?:[-*+]|\d{1,4}[.):])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/** A list item or a `Given` begins one; other lines continue it. */
function addCriterion(criteria: string[], text: string, isHeading: boolean): void {
  if (criteria.length >= LIMITS.documents.criteria) return;
  const item = ITEM.exec(text)?.[1];
  const line = (item ?? text).trim().slice(0, 500);
  const last = criteria.at(-1);
  const isNew = isHeading || /^\*\*given/i.test(line) || item !== undefined && !STEP.test(line);
  if (isNew || last === undefined) criteria.push(line);
  else if (last.length < 500) criteria[criteria.length - 1] = `${last} ${line}`;
}
