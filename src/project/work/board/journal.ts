/**
 * The journal: who did what with which story, one line of JSON each.
 *
 * It lies among the project's documents and is committed with them, so that a team sees what every member and every
 * agent has done; git keeps the lines of both sides when it merges. It is kept only where the file exists.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { renderTime } from "../../../base/work.ts";
import { renderDuration } from "../../../base/duration.ts";
import { asText, asTexts, asValues, parseJson } from "../../../base/values.ts";
import type { Row } from "../../../content/library/mod.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { type BoardFolders, JOURNAL_FILE, MAX_QUESTION, stateOf } from "../formats/mod.ts";
import type { About } from "./find.ts";

/** What can be done with a story. */
export const DEEDS = ["mark", "force", "claim", "release", "ask", "answer"] as const;

/** One line of the journal. */
export interface Deed extends About {
  /** An ISO time. */
  readonly at: string;
  readonly did: typeof DEEDS[number];
  readonly by?: string;
  /** The worktree it was done in, unless it is the main one. */
  readonly worktree?: string;
  /** Of a mark: the status before and after. */
  readonly from?: string;
  readonly to?: string;
  /** What was ignored by force. */
  readonly reasons?: readonly string[];
  /** The number of a question, and its words or those of its answer. */
  readonly question?: number;
  readonly text?: string;
}

/** More than any project does; the newest count. */
const MAX_DEEDS = 10_000;
const MAX_LINE = 20_000;
const MAX_REASONS = 20;

/** Where the journal of a project lies, if it is kept: beside the ledgers. */
export function journalPath({ implementation, output, v4 }: BoardFolders): string | undefined {
  const folder = implementation[0] ?? v4?.stories ?? output;
  return folder === undefined ? undefined : joinPath(folder, JOURNAL_FILE);
}

/** The lines that tell something, the oldest first, whatever order a merge has left them in. */
export function readJournal(
  text: string,
  clean = (text: string): string => text,
): readonly Deed[] {
  return splitLines(text).slice(-MAX_DEEDS - 1).flatMap((line): readonly Deed[] => {
    if (line.length > MAX_LINE) return [];
    const one = asValues(parseJson(line));
    const word = (key: string, max: number) => {
      const value = asText(one[key]);
      return value === undefined ? undefined : shorten(value, max);
    };
    const [at, ledger, story] = [word("at", 30), word("ledger", 500), word("story", 200)];
    const did = DEEDS.find((deed) => deed === one["did"]);
    if (at === undefined || Number.isNaN(Date.parse(at))) return [];
    if (ledger === undefined || story === undefined || did === undefined) return [];
    const facts = {
      by: clean(word("by", MAX_OWNER) ?? "") || undefined,
      worktree: word("worktree", MAX_OWNER),
      from: word("from", 60),
      to: word("to", 60),
      question: typeof one["question"] === "number" ? one["question"] : undefined,
      text: clean(word("text", MAX_QUESTION) ?? "") || undefined,
    };
    const reasons = asTexts(one["reasons"]).slice(0, MAX_REASONS).map((reason) =>
      clean(shorten(reason, 300))
    );
    return [{ at, ledger, story, did, ...facts, ...(reasons.length > 0 && { reasons }) }];
  }).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** A line of the journal. */
export function renderDeed(deed: Deed): string {
  return `${JSON.stringify(deed)}\n`;
}

/** What was done, in words: `Ann: ready-for-dev → in-progress`. */
function deedWords({ by, worktree, did, from, to, reasons = [], question, text }: Deed): string {
  const who = `${by ?? "somebody"}${worktree === undefined ? "" : ` in worktree ${worktree}`}`;
  const what = did === "claim"
    ? "claimed it"
    : did === "release"
    ? "gave it back"
    : did === "ask" || did === "answer"
    ? `${did === "ask" ? "asked" : "answered"} question ${question}: ${text}`
    : `${from ?? "none"} → ${to}${did === "force" ? ", forced" : ""}`;
  return `${who}: ${what}${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`;
}

/** `2026-11-17 22:30 UTC Ann: ready-for-dev → in-progress`. */
export function deedLine(deed: Deed): string {
  return `${renderTime(Date.parse(deed.at))} ${deedWords(deed)}`;
}

/** A row for each deed. */
export function deedRows(deeds: readonly Deed[]): readonly Row[] {
  return deeds.map((deed) => ({
    name: deed.story,
    about: deedLine(deed),
    data: { ...deed, time: renderTime(Date.parse(deed.at)), what: deedWords(deed) },
  }));
}

/** How long a story was in each state, from its marks: `in-progress 2 hours, review 20 minutes`. */
export function timesIn(deeds: readonly Deed[], now: number): string | undefined {
  const marks = deeds.filter(({ to }) => to !== undefined);
  const spent = new Map<string, number>();
  for (const [at, { to, at: time }] of marks.entries()) {
    const state = stateOf(to!) ?? to!;
    const end = marks[at + 1] === undefined ? now : Date.parse(marks[at + 1]!.at);
    if (state !== "done" && state !== "dropped") {
      spent.set(state, (spent.get(state) ?? 0) + Math.max(0, end - Date.parse(time)));
    }
  }
  return spent.size === 0
    ? undefined
    : [...spent].map(([state, ms]) => `${state} ${renderDuration(ms)}`).join(", ");
}
