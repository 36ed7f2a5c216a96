/**
 * The journal: who did what with which story, one line of JSON each.
 *
 * It lies among the project's documents and is committed with them, so that a team sees what every member and every
 * agent has done; git keeps the lines of both sides when it merges. It is kept only where the file exists.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { renderTime } from "../../../base/time.ts";
import { renderDuration } from "../../../base/time.ts";
import { asText, asTexts, asValues, parseJson } from "../../../base/values.ts";
import type { Row } from "../../../content/library/mod.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { type BoardFolders, JOURNAL_FILE, MAX_QUESTION, stateOf } from "../formats/mod.ts";
import type { About } from "./find.ts";

const ENTRY_KINDS = ["mark", "force", "claim", "release", "ask", "answer"] as const;

export interface JournalEntry extends About {
  readonly at: string;
  readonly did: typeof ENTRY_KINDS[number];
  readonly by?: string;
  /** The worktree it was done in, unless it is the main one. */
  readonly worktree?: string;
  /** Of a mark: the status before and after. */
  readonly from?: string;
  readonly to?: string;
  readonly reasons?: readonly string[];
  readonly question?: number;
  readonly text?: string;
}

const MAX_ENTRIES = 10_000;
const MAX_LINE = 20_000;
const MAX_REASONS = 20;

export function journalPath({ implementation, output, v4 }: BoardFolders): string | undefined {
  const folder = implementation[0] ?? v4?.stories ?? output;
  return folder === undefined ? undefined : joinPath(folder, JOURNAL_FILE);
}

/**
 * What the last lines of a file of JSON say, each text of bounded length; lines that name no story are left out. `clean`
 * removes secrets, word by word: what looks like one would take the rest of the file with it.
 */
export function readLines(text: string, max: number, clean: (text: string) => string) {
  return splitLines(text).slice(-max - 1).flatMap((line) => {
    const one = asValues(line.length > MAX_LINE ? undefined : parseJson(line));
    const word = (key: string, length: number) => {
      const value = asText(one[key]);
      return value === undefined ? undefined : shorten(value, length);
    };
    const [at, ledger, story] = [word("at", 30), word("ledger", 500), word("story", 200)];
    if (at === undefined || ledger === undefined || story === undefined) return [];
    const [by, from, to] = [word("by", MAX_OWNER), word("from", 60), word("to", 60)];
    const reasons = asTexts(one["reasons"]).slice(0, MAX_REASONS).map((text) => clean(shorten(text, 300)));
    return [{ one, word, about: { at, ledger, story }, by: clean(by ?? "") || undefined, from, to, reasons }];
  });
}

/** The oldest first, whatever order a merge has left them in. */
export function readJournal(text: string, clean = (text: string): string => text): readonly JournalEntry[] {
  return readLines(text, MAX_ENTRIES, clean).flatMap(({ one, word, about, by, from, to, reasons }) => {
    const did = ENTRY_KINDS.find((entry) => entry === one["did"]);
    if (did === undefined || Number.isNaN(Date.parse(about.at))) return [];
    const facts = {
      by,
      worktree: word("worktree", MAX_OWNER),
      from,
      to,
      question: typeof one["question"] === "number" ? one["question"] : undefined,
      text: clean(word("text", MAX_QUESTION) ?? "") || undefined,
    };
    return [{ ...about, did, ...facts, ...(reasons.length > 0 && { reasons }) }];
  }).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

export function renderJournalEntry(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function entryWords({ by, worktree, did, from, to, reasons = [], question, text }: JournalEntry): string {
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
export function journalLine(entry: JournalEntry): string {
  return `${renderTime(Date.parse(entry.at))} ${entryWords(entry)}`;
}

export function journalRows(entries: readonly JournalEntry[]): readonly Row[] {
  return entries.map((entry) => ({
    name: entry.story,
    about: journalLine(entry),
    data: { ...entry, time: renderTime(Date.parse(entry.at)), what: entryWords(entry) },
  }));
}

/** How long a story was in each state, from its marks: `in-progress 2 hours, review 20 minutes`. */
export function timesIn(entries: readonly JournalEntry[], now: number): string | undefined {
  const marks = entries.filter(({ to }) => to !== undefined);
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
