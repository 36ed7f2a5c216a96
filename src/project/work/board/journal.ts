/**
 * Who did what with which story, one line of JSON each, committed with the project's documents; git keeps both sides'
 * lines. Kept only where the file exists.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { renderDuration, renderTime } from "../../../base/time.ts";
import { asText, asTexts, asValues, parseJson } from "../../../base/values.ts";
import type { Row } from "../../../content/library/mod.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type BoardFolders, isOver, JOURNAL_FILE, stateOf } from "../formats/mod.ts";
import type { About } from "./find.ts";

const ENTRY_KINDS = ["mark", "force", "claim", "release", "ask", "answer", "find", "settle"] as const;

export interface JournalEntry extends About {
  readonly at: string;
  readonly did: typeof ENTRY_KINDS[number];
  readonly by?: string;
  /** Unless it is the main one. */
  readonly worktree?: string;
  /** Of a claim or a release. */
  readonly forced?: true;
  /** Of a mark: the status before and after. */
  readonly from?: string;
  readonly to?: string;
  readonly reasons?: readonly string[];
  readonly question?: number;
  readonly finding?: string;
  readonly severity?: string;
  readonly verdict?: string;
  readonly text?: string;
  readonly head?: string;
  /** As the story's records name them. */
  readonly accepted?: readonly string[];
}

export function journalPath({ implementation, output, v4 }: BoardFolders): string | undefined {
  const folder = implementation[0] ?? v4?.stories ?? output;
  return folder === undefined ? undefined : joinPath(folder, JOURNAL_FILE);
}

export function lastMarkIn(text: string, { ledger, story }: Omit<About, "at">): JournalEntry | undefined {
  return readJournal(text).findLast((one) =>
    one.to !== undefined && one.ledger === ledger && one.story === story
  );
}

/** `clean` works word by word: what looks like a secret would take the rest of the file with it. */
export function readLines(text: string, max: number, clean: (text: string) => string) {
  return splitLines(text).slice(-max - 1).flatMap((line) => {
    const one = asValues(line.length > LIMITS.board.recordLine ? undefined : parseJson(line));
    const word = (key: string, length: number) => {
      const value = asText(one[key]);
      return value && shorten(value, length);
    };
    const [at, ledger, story] = [word("at", 30), word("ledger", 500), word("story", 200)];
    if (at === undefined || ledger === undefined || story === undefined) return [];
    const [by, from, to] = [word("by", MAX_OWNER), word("from", 60), word("to", 60)];
    const reasons = asTexts(one["reasons"]).slice(0, LIMITS.board.reasons).map((text) =>
      clean(shorten(text, 300))
    );
    return [{ one, word, about: { at, ledger, story }, by: clean(by ?? "") || undefined, from, to, reasons }];
  });
}

/** Oldest first, however a merge has left them. */
export function readJournal(text: string, clean = (text: string): string => text): readonly JournalEntry[] {
  return readLines(text, LIMITS.board.entries, clean).flatMap(
    ({ one, word, about, by, from, to, reasons }) => {
      const did = ENTRY_KINDS.find((entry) => entry === one["did"]);
      if (did === undefined || Number.isNaN(Date.parse(about.at))) return [];
      const facts = {
        by,
        worktree: word("worktree", MAX_OWNER),
        ...(one["forced"] === true && { forced: true as const }),
        from,
        to,
        head: word("head", 64),
        ...(Array.isArray(one["accepted"]) &&
          { accepted: asTexts(one["accepted"]).slice(0, LIMITS.ids.ofItem) }),
        question: typeof one["question"] === "number" ? one["question"] : undefined,
        finding: word("finding", 20),
        severity: word("severity", 20),
        verdict: word("verdict", 20),
        text: clean(word("text", LIMITS.questions.textLength) ?? "") || undefined,
      };
      return [{ ...about, did, ...facts, ...(reasons.length > 0 && { reasons }) }];
    },
  ).toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function entryWords(
  { by, worktree, did, forced, from, to, reasons = [], question, text, ...finding }: JournalEntry,
): string {
  const who = `${by ?? "somebody"}${worktree === undefined ? "" : ` in worktree ${worktree}`}`;
  const change = `${from ?? "none"} → ${to}`;
  const words: Readonly<Record<typeof did, string>> = {
    claim: "claimed it",
    release: "gave it back",
    ask: `asked question ${question}: ${text}`,
    answer: `answered question ${question}: ${text}`,
    find: `found ${finding.finding} (${finding.severity}): ${text}`,
    settle: `settled ${finding.finding} as ${finding.verdict}: ${text}`,
    mark: change,
    force: `${change}, forced`,
  };
  return `${who}: ${words[did]}${forced ? ", forced" : ""}${
    reasons.length === 0 ? "" : ` (${reasons.join("; ")})`
  }`;
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

/** `in-progress 2 hours, review 20 minutes`. */
export function timesIn(entries: readonly JournalEntry[], now: number): string | undefined {
  const marks = entries.filter(({ to }) => to !== undefined);
  const spent = new Map<string, number>();
  for (const [index, { to, at }] of marks.entries()) {
    const state = stateOf(to!);
    if (isOver(state)) continue;
    const next = marks[index + 1];
    const ms = (next === undefined ? now : Date.parse(next.at)) - Date.parse(at);
    const word = state ?? to!;
    spent.set(word, (spent.get(word) ?? 0) + Math.max(0, ms));
  }
  return [...spent].map(([state, ms]) => `${state} ${renderDuration(ms)}`).join(", ") || undefined;
}
