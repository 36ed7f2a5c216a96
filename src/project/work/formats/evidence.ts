/**
 * Runs in a story's file: "- `npm test -- login` — before: failed (exit 1); after: passed, 2026-11-18". Such a row is
 * nothing else: no line of its section, no requirement, no command to be run.
 */
import { LIMITS } from "../../limits.ts";

export interface CommandRun {
  readonly command: string;
  readonly before?: string;
  readonly after?: string;
  /** Of the last one; a person may leave it out. */
  readonly date?: string;
}

export interface NotedRun extends CommandRun {
  readonly line: number;
}

const START = /^\s{0,3}[-*+] `([^`]+)` (?:—|–|--) (?=before: |after: )/;
const DATE = /, (\d{4}-\d{2}-\d{2})$/;
const BEFORE = "before: ";
const AFTER = "after: ";

export function readRun(text: string): CommandRun | undefined {
  const [start, command] = text.length > LIMITS.documents.runRow || !text.includes("` ")
    ? []
    : START.exec(text) ?? [];
  if (start === undefined || command === undefined) return undefined;
  const rest = text.slice(start.length).trimEnd();
  const [end = "", date] = DATE.exec(rest) ?? [];
  const results = rest.slice(0, rest.length - end.length);
  const cut = results.startsWith(AFTER) ? 0 : results.indexOf(`; ${AFTER}`);
  const before = results.startsWith(BEFORE) ? results.slice(BEFORE.length, cut < 0 ? undefined : cut) : "";
  const after = cut < 0 ? "" : results.slice(results.indexOf(AFTER, cut) + AFTER.length);
  return { command, before: before || undefined, after: after || undefined, date };
}

export function runRow({ command, before, after, date }: CommandRun): string {
  const results = [before && BEFORE + before, after && AFTER + after].filter(Boolean);
  return `\`${command}\` — ${results.join("; ")}${date === undefined ? "" : `, ${date}`}`;
}

const NEGATED = /\b(?:0|no|without|zero) (?:fail(?:ed|s|ures?)|errors?)\b/gi;
const FAILED =
  /\bfail|\berror|\bred\b|\bbroken\b|\bcrash|\bkilled\b|\btimed out\b|\b(?:not|never) (?:pass|end|run|ok|succeed)|\bexit (?:code |status )?[1-9]/i;
const PASSED = /\bpass(?:ed|es)?\b|\bok\b|\bgreen\b|\bsucce|\bexit (?:code |status )?0\b/i;

export function outcomeOf(result: string): "passed" | "failed" | undefined {
  const words = result.replaceAll(NEGATED, "");
  if (FAILED.test(words)) return "failed";
  return PASSED.test(words) ? "passed" : undefined;
}
