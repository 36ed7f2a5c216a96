/**
 * What people see on a terminal or get in a pipe: results on stdout, everything else on stderr.
 *
 * Tables are aligned and cut to the terminal's width on a terminal, and plain lines with tabs in a pipe. The exit
 * codes stand in one table; a new failure does not compile until it has one.
 */
import type { Row } from "../app.ts";
import { BmadError, type Failure } from "../errors.ts";
import type { Host } from "../host.ts";

/** 1: nothing fits what was named; 2: it was asked wrongly; 3: it is refused or out of reach; 70: a bug. */
const EXIT_CODES = {
  "not-found": 1,
  "ambiguous": 1,
  "invalid-input": 2,
  "invalid-config": 2,
  "origin-unavailable": 3,
  "memory-unavailable": 3,
  "outside-root": 3,
  "not-allowed": 3,
} satisfies Record<Failure["code"], number>;

const BUG = 70;

/** Prints why something failed and returns the exit code for it. */
export function printFailure(host: Pick<Host, "writeErr">, error: unknown): number {
  if (error instanceof BmadError) {
    host.writeErr(`bmad-mcp: ${error.message}\n`);
    return EXIT_CODES[error.failure.code];
  }
  const details = error instanceof Error ? error.stack ?? error.message : String(error);
  host.writeErr(`bmad-mcp: internal error, please report it:\n${details}\n`);
  return BUG;
}

/** Prints a value as JSON. */
export function printJson(host: Host, value: unknown): void {
  host.writeOut(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints text, with a line end. */
export function printText(host: Host, text: string): void {
  host.writeOut(text.endsWith("\n") ? text : `${text}\n`);
}

/** Prints rows, each on one line. */
export function printRows(host: Host, rows: readonly Row[]): void {
  const lines = rows.map(({ name, about, why }) => ({
    name,
    about: about.replaceAll(/\s+/g, " ").trim(),
    why: why === undefined ? "" : ` (${why})`,
  }));
  if (host.columns === undefined) {
    host.writeOut(lines.map(({ name, about, why }) => `${name}\t${about}${why}\n`).join(""));
    return;
  }
  const width = Math.max(0, ...lines.map(({ name }) => name.length)) + 2;
  const room = Math.max(20, host.columns - width);
  host.writeOut(
    lines.map(({ name, about, why }) =>
      `${name.padEnd(width)}${cut(about, Math.max(20, room - why.length))}${why}\n`
    ).join(""),
  );
}

/** Cuts a text to a number of columns, not in the middle of a character. */
function cut(text: string, columns: number): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return characters.length <= columns ? text : `${characters.slice(0, columns - 1).join("")}…`;
}
