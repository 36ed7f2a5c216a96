/** Results on stdout, everything else on stderr, and no control character of content on a terminal. */
import type { Row } from "../../app.ts";
import { fail, type Failure, failureIn, sentences } from "../../base/errors.ts";
import { itemsIn } from "../../handlers.ts";
import type { Host } from "../../process/host.ts";
import { SETTINGS } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import type { Answer } from "./session.ts";
import { fixCommand, wayOn } from "./commands_shown.ts";
import { escapeControls, oneLine, safeText } from "../../base/text.ts";
import { painter, stateNamed } from "./style.ts";
import type { Column } from "./screen.ts";
import { wrap } from "./wrap.ts";

/** 1: not found; 2: invalid usage or setting; 3: refused or unavailable; 70: a bug. */
const EXIT_CODES = {
  "not-found": 1,
  "ambiguous": 1,
  "invalid-input": 2,
  "invalid-config": 2,
  "invalid-file": 2,
  "origin-unavailable": 3,
  "memory-unavailable": 3,
  "outside-root": 3,
  "not-allowed": 3,
  "not-writable": 3,
} satisfies Record<Failure["code"], number>;

const BUG = 70;

interface FailureForm {
  readonly json: boolean;
  /** With `json`, a part of the object: lines that were held back. */
  readonly warnings?: readonly string[];
  readonly program?: string;
  readonly wish?: string;
}

export function printFailure(
  host: Pick<Host, "writeErr">,
  error: unknown,
  { json, warnings = [], program = "bmad-mcp", wish }: FailureForm = { json: false },
): number {
  const { code, message, exitCode } = factsOf(error, program, wish);
  if (json) {
    const more = warnings.length === 0 ? {} : { warnings };
    host.writeErr(`${escapeControls(JSON.stringify({ error: { code, message, exitCode }, ...more }))}\n`);
  } else host.writeErr(`bmad-mcp: ${safeText(message)}\n`);
  return exitCode;
}

function factsOf(error: unknown, program: string, wish: string | undefined) {
  const known = failureIn(error);
  if (known === undefined) {
    const details = error instanceof Error ? error.stack ?? error.message : String(error);
    return { code: "bug", message: `Internal error, please report it:\n${details}`, exitCode: BUG };
  }
  const { failure, failure: { code }, message } = known;
  const isUnknown = code === "not-found" || code === "invalid-input";
  const text = sentences(
    message + fixOf(failure, program),
    wayOn(failure, program),
    isUnknown ? wish : undefined,
  );
  return { code, message: text, exitCode: EXIT_CODES[code] };
}

function fixOf(failure: Failure, program: string): string {
  const { setting, fixes = [] } = failure.code === "not-allowed" ? failure : {};
  if (setting === "project") return ". Name one with --project DIR";
  if (setting !== undefined) return `. See ${SETTINGS[setting].flag}`;
  return fixes.length === 0 ? "" : ` (${fixes.map((fix) => fixCommand(fix, program)).join(", ")})`;
}

export async function printAnswer(host: Host, answer: Answer, json: boolean): Promise<number> {
  const { text = "", rows, list, notes = [], data, code = 0, failure } = answer;
  if (json) printJson(host, data);
  else {
    if (text !== "") printText(host, text);
    if (rows !== undefined) await printRows(host, rows, list);
    for (const note of notes) if (note) host.writeErr(`${note}\n`);
  }
  return failure === undefined ? code : fail(failure);
}

export function listed(
  all: readonly Row[],
  list: string,
  { limit, ifEmpty }: { readonly limit?: number; readonly ifEmpty?: string } = {},
): Required<Pick<Answer, "rows" | "list" | "notes">> & { readonly data: Row["data"] } {
  const rows = all.slice(0, limit);
  const isCut = rows.length < all.length && `${rows.length} of ${all.length} shown.`;
  return {
    rows,
    list,
    notes: [all.length === 0 ? ifEmpty : isCut],
    data: itemsIn(all, limit),
  };
}

/** A terminal must not obey control characters, such as those of file names. */
export function printJson(host: Host, value: unknown): void {
  host.writeOut(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
}

/** With a line end, in a pipe unchanged. Colours come last: they are control characters themselves. */
export function printText(
  host: Pick<Host, "terminal" | "writeOut">,
  text: string,
  colour: (safe: string) => string = (safe) => safe,
): void {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  host.writeOut(colour(host.terminal.stdout ? safeText(whole) : whole));
}

export function printRows(host: Host, rows: readonly Row[], list = ""): Promise<void> {
  const cellsOf = ({ name, about, why }: Row) => [name, why === undefined ? about : `${about} (${why})`];
  return printTable(host, rows, columnsOf(list, rows), cellsOf);
}

export async function printTable<T>(
  host: Host,
  rows: readonly T[],
  columns: readonly Column<T>[],
  cellsOf: (row: T) => readonly string[],
): Promise<void> {
  if (host.columns === undefined || rows.length === 0) {
    return host.writeOut(rows.map((row) => `${cellsOf(row).map(oneLine).join("\t")}\n`).join(""));
  }
  // Loaded late: it knows the width of every character, which only terminals need.
  const { renderTable } = await import("./screen.ts");
  const drawing = { columns: host.columns, paint: painter(host.colours.stdout) };
  host.writeOut(renderTable(rows, columns, drawing).map((line) => `${line}\n`).join(""));
}

export function printHeading(host: Host, heading: string): void {
  host.writeOut(`\n${painter(host.colours.stdout)("heading", heading)}\n`);
}

const MIN_VALUE = 24;

export async function printFacts(
  host: Host,
  facts: readonly (readonly [label: string, value: string])[],
): Promise<void> {
  const { columns } = host;
  if (columns === undefined) {
    return host.writeOut(facts.map(([label, value]) => `${label}\t${oneLine(value)}\n`).join(""));
  }
  const { widthOf } = await import("./screen.ts");
  const paint = painter(host.colours.stdout);
  const widest = Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  const left = Math.max(2, Math.min(widest, columns - MIN_VALUE));
  const lines = facts.flatMap(([label, value], at) => {
    const shown = facts[at - 1]?.[0] === label ? "" : label;
    const isAbove = shown.length + 2 > left;
    const parts = wrap(oneLine(value), Math.max(MIN_VALUE, columns - left), widthOf);
    return [
      ...(isAbove ? [paint("aside", shown)] : []),
      ...parts.map((line, part) => {
        const text = part > 0 ? line : line.replace(/^[a-z-]+(?=$|:| )/, (word) => {
          const state = stateNamed(word);
          return state === undefined ? word : paint(state, word);
        });
        return paint("aside", (part === 0 && !isAbove ? shown : "").padEnd(left)) + text;
      }),
    ];
  });
  host.writeOut(lines.map((line) => `${line}\n`).join(""));
}
