/** Dates and times as the kit's files write them. */
import { localTime } from "../../../base/work.ts";
import { asText } from "../../../content/parse.ts";

/** Sorts by date, newest first; undated values last. */
export function newestFirst(a: { readonly date?: string }, b: { readonly date?: string }): number {
  const one = a.date ?? "", other = b.date ?? "";
  return one < other ? 1 : one > other ? -1 : 0;
}

/** A day at the beginning of a text, in brackets, stars or alone, or in round brackets at its end. */
const DAY = String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})`;
const FIRST = new RegExp(String.raw`^[\s[(*_\x60]*(?:${DAY})(?!\d)[\])*_\x60]*[\s:,|—–-]*`);
const LAST = new RegExp(String.raw`\s*[([](?:${DAY})[)\]]\s*$`);

/** The day that a text begins or ends with, as `2026-02-27`, and the rest of the text. */
export function takeDate(text: string): { readonly date?: string; readonly rest: string } {
  const [head, tail] = [text.slice(0, 60), text.slice(-30)];
  const first = FIRST.exec(head);
  const found = first ?? LAST.exec(tail);
  if (found === null) return { rest: text };
  const [whole, year, month, day, otherDay, otherMonth, otherYear] = found;
  const parts = [year ?? otherYear!, month ?? otherMonth!, day ?? otherDay!];
  const date = parts.map((part) => part.padStart(2, "0")).join("-");
  const rest = first === null ? text.slice(0, -whole.length) : text.slice(whole.length);
  return Number(parts[1]) > 12 || Number(parts[2]) > 31 ? { rest: text } : { date, rest: rest.trim() };
}

/** A written time in milliseconds since the epoch. */
export function timeOf(value: unknown): number | undefined {
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The time in the name of a run: `dev-story-20260227-143022`. */
export function timeInName(runId: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/.exec(runId) ?? [];
  return timeOf(year && `${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

/** The time in the name of a new run, in the user's own time zone: `20260310-120000`. */
export function localStamp(now: number): string {
  return localTime(now).slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
