/** Days of the calendar as Python's `datetime` reads and adds them. */
import { raise } from "./program.ts";
import { pythonInt, pythonPattern, quote, strip } from "./python.ts";

/** A day; months count from 1. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const MONTH = "(1[0-2]|0[1-9]|[1-9])";
/** Tried in this order; what follows a match makes it none, so that `2026-13` is no January. */
const FORMATS = [
  String.raw`^(\d\d\d\d)-${MONTH}-(3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])`,
  String.raw`^(\d\d\d\d)-${MONTH}`,
  String.raw`^(\d\d\d\d)`,
].map((format) => pythonPattern(format));

/** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; raises a ValueError for any other text. */
export function parseDay(given: string): Day {
  const text = strip(given);
  for (const format of FORMATS) {
    const [all, ...parts] = format.exec(text) ?? [];
    if (all !== text) continue;
    const [year, month = 1, day = 1] = parts.map((part) => Number(pythonInt(part)));
    if (year! > 0 && day <= daysIn(year!, month)) return { year: year!, month, day };
  }
  return raise("ValueError", `unparseable date: ${quote(text)} (want YYYY[-MM[-DD]])`);
}

/** The same day some months later, or the last one of a shorter month. */
export function addMonths({ year, month, day }: Day, months: bigint): Day {
  const total = BigInt(year) * 12n + BigInt(month - 1) + months;
  if (total < 12n || total >= 120_000n) raise("ValueError", "year is out of range");
  const [newYear, newMonth] = [Number(total / 12n), Number(total % 12n) + 1];
  return { year: newYear, month: newMonth, day: Math.min(day, daysIn(newYear, newMonth)) };
}

/** `2026-06-07`. */
export function dateText({ year, month, day }: Day): string {
  const pad = (value: number, width: number) => String(value).padStart(width, "0");
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Today in the user's time zone. */
export function today(now: number): Day {
  const date = new Date(now);
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}
