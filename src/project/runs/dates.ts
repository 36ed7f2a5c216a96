/** Dates and times as the kit's files write them. */
import { asText } from "../../content/parse.ts";

/** Sorts by date, newest first; undated values last. */
export function newestFirst(a: { readonly date?: string }, b: { readonly date?: string }): number {
  const one = a.date ?? "", other = b.date ?? "";
  return one < other ? 1 : one > other ? -1 : 0;
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

/** The day in the user's own time zone: `2026-03-10`. */
export function localDay(now: number): string {
  return new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
