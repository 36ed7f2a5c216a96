/**
 * The passes and rows that BMAD has a reviewer write into a story's file. 6.0 writes `- [ ] [AI-Review][High] …`, 6.2
 * to 6.12 `- [ ] [Review][Patch] … [src/a.ts:4]`, a spec has a triage log with rows such as "- `[high]` `[patch]` … —
 * …", and v4 ticks a checklist. People mix them, so each row is read by its own signs.
 */
import { hashText, oneLine } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import type { StoryText } from "./document.ts";
import type { Moment, RowStyle } from "./model.ts";
import { type Box, isOpenBox, isReviewBox } from "./roles.ts";

export const SEVERITIES = ["high", "medium", "low"] as const;
export type Severity = typeof SEVERITIES[number];

/** It will be fixed, is wrong or not worth it, waits for later, or was fixed. */
export const VERDICTS = ["accepted", "rejected", "deferred", "fixed"] as const;
export type Verdict = typeof VERDICTS[number];

type Route = "undecided" | "fix" | "deferred" | "rejected";

const TAGS: Readonly<Record<string, { readonly severity?: Severity; readonly route?: Route }>> = {
  "review": {},
  "ai-review": {},
  "critical": { severity: "high" },
  "high": { severity: "high" },
  "medium": { severity: "medium" },
  "med": { severity: "medium" },
  "low": { severity: "low" },
  "false": { route: "rejected" },
  "maybe-false": {},
  "decision": { route: "undecided" },
  "decision-needed": { route: "undecided" },
  "patch": { route: "fix" },
  "bad-spec": { route: "fix" },
  "intent-gap": { route: "fix" },
  "defer": { route: "deferred" },
  "reject": { route: "rejected" },
  "dismiss": { route: "rejected" },
};

const TAG = /^(?:\*\*|`)?\[([A-Za-z][A-Za-z_-]{1,19})\](?:\*\*|`)?\s{0,4}/;
/** In a triage log: "- low: …", "- **low** …". */
const WORD =
  /^(?:(?:\*\*|`)(high|medium|low|false|maybe-false)(?:\*\*|`)\s{0,4}(?::|—|–|--|-\s)?|(high|medium|low|false|maybe-false)\s{0,4}(?::|—|–|--|-\s))\s{0,4}/i;
const LOG = /\btriage\b|\breview pass\b|\breject|\bdismissed\b/i;
const SEPARATOR = /\s(?:—|–|--)\s/g;
const SETTLED = /^(accepted|rejected|deferred|fixed|dismissed)\b[:,;.]?\s*/i;
/** When, and by whom: `fixed 2026-08-02 by Ann: a lock`. */
const DECIDED = /^(\d{4}-\d{2}-\d{2})(?: by ([^:]{1,100}))?(?::\s*|$)/;
const FOUND = /\s(?:—|–|--)\sfound (\d{4}-\d{2}-\d{2})(?: by (.{1,100}))?$/;
const LINES = /:\d[\d:,–-]{0,30}$/;
const FILE =
  /\/|^(?:Make|Docker|Gem|Rake|Proc|Jenkins|Vagrant|Just|Pip|Brew|Tilt|Caddy)file$|\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|swift|rb|php|cs|cpp|[ch]|hpp|sql|ya?ml|json|toml|md|html?|s?css|vue|svelte|sh|tf|xml|proto|dart|exs?|scala|lua|env|ini|lock)$/i;

export function findingIn(box: Box): string {
  const { text, file } = readRow(rowOf(box))!;
  return `${findingId(text, file)} ${file ?? ""}`;
}

function rowOf(box: Box): Row {
  return { line: box.line, text: box.text, label: box.heading, box };
}

/** Without the line, which changes. */
export function findingId(text: string, file: string | undefined): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return `f${hashText(`${words.join(" ")}\n${pathIn(file) ?? ""}`).toString(36).padStart(7, "0")}`;
}

export function pathIn(file: string | undefined): string | undefined {
  return file?.replace(LINES, "");
}

const OPENERS: Readonly<Record<string, string>> = { "]": "[", ")": "(", "`": "`" };

export function wordsIn(written: string): { readonly text: string; readonly file?: string } {
  const { head, file } = placeIn(written) ?? { head: written };
  return { text: oneLine(head), file };
}

export function isPlace(file: string): boolean {
  return FILE.test(file.replace(LINES, ""));
}

/** At the end: `[src/a.ts:4-9]`, `(services/user.ts)`, `[file: a.js:3]`, or the same in backticks. */
function placeIn(text: string): { readonly head: string; readonly file: string } | undefined {
  const close = text.at(-1) ?? "";
  const open = OPENERS[close];
  if (open === undefined) return undefined;
  let depth = 0;
  for (let at = text.length - 2; at >= Math.max(0, text.length - LIMITS.findings.place); at--) {
    // `app/[id]/page.ts` is a path.
    if (text[at] === close && close !== open) depth++;
    if (text[at] !== open || depth-- > 0) continue;
    const file = text.slice(at + 1, -1).replace(/^file:\s?/i, "");
    const isFile = (close === "`" || !/\s/.test(file)) && isPlace(file);
    return isFile ? { head: text.slice(0, at).trimEnd(), file } : undefined;
  }
  return undefined;
}

export function tagsIn(text: string): { readonly tags: readonly string[]; readonly rest: string } {
  const tags: string[] = [];
  let rest = text;
  for (let count = 0; count < LIMITS.findings.tags; count++) {
    const [whole, name] = TAG.exec(rest) ?? [];
    const tag = name?.toLowerCase().replaceAll("_", "-");
    if (tag === undefined || !Object.hasOwn(TAGS, tag)) break;
    tags.push(tag);
    rest = rest.slice(whole!.length);
  }
  return { tags, rest };
}

export function isListOfRejected(heading: string): boolean {
  return /^\W*(?:rejected|dismissed)\b/i.test(heading);
}

interface Row extends Pick<Box, "line" | "text"> {
  readonly label: string;
  readonly box: Box | undefined;
}

function readRow({ text, label, box }: Row) {
  const isLog = LOG.test(label);
  const { tags, rest } = tagsIn(text.slice(0, LIMITS.findings.rowLength).trim());
  const [start = "", ...words] = isLog ? WORD.exec(rest) ?? [] : [];
  const word = words.find((one) => one !== undefined);
  const all = word === undefined ? tags : [...tags, word.toLowerCase()];
  const isRejectedList = isListOfRejected(label);
  if (box === undefined && all.length === 0 && !isRejectedList) return undefined;
  const isStruck = text.trimStart().startsWith("~~");
  const style = styleOf(tags, box, isLog);
  const isOpen = box !== undefined && isOpenBox(box);
  const own = rest.slice(start.length);
  const { verdict: decided, reason, settled, ...row } = splitVerdict(
    isStruck ? own.replaceAll("~~", "") : own,
    isOpen,
  );
  const [origin = "", ...moment] = FOUND.exec(row.said) ?? [];
  const said = origin === "" ? row.said : row.said.slice(0, -origin.length).trimEnd();
  const { head, detail } = splitDetail(said, style === "triage");
  const facts = all.map((tag) => TAGS[tag]!);
  const severity = facts.find((one) => one.severity !== undefined)?.severity;
  const route = isRejectedList ? "rejected" : facts.findLast((one) => one.route !== undefined)?.route;
  const verdict = decided ?? verdictOf(route, box?.isTicked);
  const told = reason || detail;
  const fix = all.findLast((tag) => TAGS[tag]!.route === "fix");
  return {
    severity,
    ...wordsIn(head),
    verdict,
    reason: told ? oneLine(told) : undefined,
    found: momentOf(moment),
    settled,
    isOpen,
    /** Says both that it counts and that it was thrown away. */
    isDismissed: style === "triage" && all.includes("reject") &&
      (severity === "high" || severity === "medium"),
    isCarried: /^carried\b/i.test(told ?? ""),
    style,
    /** If it is to be fixed: `patch`, `bad-spec`. */
    fix,
    /** With its place and detail, without verdict, finder and what strikes it out. */
    written: said,
  };
}

function styleOf(tags: readonly string[], box: Box | undefined, isLog: boolean): RowStyle {
  if (tags.includes("ai-review")) return "follow-ups";
  if (tags.includes("review")) return "findings";
  return isLog || box === undefined ? "triage" : "checklist";
}

/** `isTicked` is undefined without a box. */
function verdictOf(route: Route | undefined, isTicked: boolean | undefined): Verdict | undefined {
  if (route === "deferred" || route === "rejected") return route;
  if (route === "fix") return isTicked === false ? "accepted" : "fixed";
  return isTicked === true ? "fixed" : undefined;
}

function cutsIn(text: string): readonly RegExpExecArray[] {
  return [...text.matchAll(SEPARATOR)].slice(0, LIMITS.findings.dashes);
}

/** An open row can only be accepted. */
function splitVerdict(text: string, isOpen: boolean) {
  for (const { index, 0: sign } of cutsIn(text).toReversed()) {
    const reason = text.slice(index + sign.length);
    const [whole, word] = SETTLED.exec(reason) ?? [];
    if (word === undefined || isOpen && !/^accepted$/i.test(word)) continue;
    const verdict: Verdict = VERDICTS.find((one) => one === word.toLowerCase()) ?? "rejected";
    const told = reason.slice(whole!.length);
    const [moment = "", ...parts] = DECIDED.exec(told) ?? [];
    const said = text.slice(0, index).trim();
    return { said, verdict, reason: told.slice(moment.length), settled: momentOf(parts) };
  }
  return { said: text.trim() };
}

function momentOf([day, by]: readonly (string | undefined)[]): Moment | undefined {
  return day === undefined ? undefined : { day, by };
}

/** After a place, and in a triage log always, a detail follows the dash. */
function splitDetail(said: string, isLog: boolean) {
  const cuts = cutsIn(said);
  const cut = cuts.find(({ index }) => placeIn(said.slice(0, index)) !== undefined) ??
    (isLog ? cuts[0] : undefined);
  if (cut === undefined) return { head: said };
  return { head: said.slice(0, cut.index), detail: said.slice(cut.index + cut[0].length) };
}

export interface ReviewFinding extends Omit<NonNullable<ReturnType<typeof readRow>>, "isCarried"> {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  readonly pass: number;
}

export interface ReviewPass {
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  readonly lenses: readonly string[];
}

const ITEM = /^(?:[-*+]|\d{1,4}[.)])\s+/;
const PASS = /\breview (?:pass|findings|follow-ups?|date)\b|^senior developer review\b/i;

export function readReview({ path, allBoxes, lines, outline }: StoryText) {
  const boxes = allBoxes.filter(isReviewBox);
  const isBox = new Set(boxes.map(({ line }) => line));
  const rows = [
    ...boxes.map(rowOf),
    ...(lines.get("review") ?? []).filter(({ line, text }) => !isBox.has(line) && ITEM.test(text))
      .map(({ text, ...one }) => ({ ...one, text: text.replace(ITEM, ""), box: undefined })),
  ].sort((a, b) => a.line - b.line).slice(0, LIMITS.findings.rows);
  const named = outline.filter(({ role, text }) => role === "review" && PASS.test(text));
  // 6.0 writes findings into both sections.
  const isTwice = named.some(({ text }) => /^review follow-ups\b/i.test(text));
  const headings = named.filter(({ text }) => !isTwice || !/^senior developer review\b/i.test(text));
  const findings: ReviewFinding[] = [];
  const passes: ReviewPass[] = [];
  const alike = new Map<string, Map<string, string>>();
  const nameOf = (text: string, file: string | undefined) => {
    const id = findingId(text, file);
    const known = alike.getOrInsertComputed(id, () => new Map());
    return known.getOrInsertComputed(file ?? "", () => known.size === 0 ? id : `${id}-${known.size + 1}`);
  };
  let pass: typeof headings[number] | undefined;
  let isEmpty = true;
  const begin = (next: typeof headings[number]) => {
    const own = pass;
    const isPart = own !== undefined && next.level > own.level &&
      !outline.some(({ line, level }) => line > own.line && line < next.line && level <= own.level);
    // A part is the pass, not the section around it.
    if (isPart && isEmpty) passes.pop();
    passes.push({ path, line: next.line, heading: next.text, lenses: lensesIn(next.text) });
    pass = next;
    isEmpty = true;
  };
  let at = 0;
  for (const row of rows) {
    while (at < headings.length && headings[at]!.line < row.line) begin(headings[at++]!);
    const read = readRow(row);
    if (read === undefined) continue;
    const { isCarried, ...found } = read;
    const id = nameOf(found.text, found.file);
    if (isCarried && findings.some((one) => one.id === id)) continue;
    if (passes.length === 0) passes.push({ path, line: row.line, heading: row.label, lenses: [] });
    isEmpty = false;
    findings.push({ id, path, line: row.line, heading: row.label, pass: passes.length, ...found });
  }
  while (at < headings.length) begin(headings[at++]!);
  return { passes, findings };
}

/** Of two rows, the open one. */
export function uniqueFindings(findings: readonly ReviewFinding[]): readonly ReviewFinding[] {
  const rows = Map.groupBy(findings, ({ id }) => id).values();
  return [...rows].map((all) => all.find(({ isOpen }) => isOpen) ?? all[0]!);
}

function lensesIn(heading: string): readonly string[] {
  const [, inside = ""] = /\(([^()]{1,200})\)$/.exec(heading.trim()) ?? [];
  return inside.split(",").map((one) => one.trim()).filter((one) => /\p{L}/u.test(one) && one !== "AI");
}
