/**
 * The calls that an answer prints, found in its own text, and what a reader makes of them.
 *
 * A gap (`<topic>`, `{doc_workspace}`, `DIR`) is filled in with a sample of that name; a gap without a sample is an error,
 * so that nothing is made up. Names that the server fills in itself stay as they are printed.
 */
import assert from "node:assert/strict";

/** A call of a tool: `bmad {"skill":…}`. */
interface PrintedCall {
  readonly tool: string;
  /** Its arguments as printed, which may have gaps. */
  readonly json: string;
}

export function toolCallsIn(text: string): readonly PrintedCall[] {
  return Array.from(
    text.matchAll(/(?<![\w/.-])(bmad|bmad_work) (?=\{)/g),
    ({ 0: name, 1: tool, index }) => ({ tool: tool!, json: objectAt(text, index + name.length) }),
  );
}

/** The JSON object that begins here; braces in its strings do not count. */
function objectAt(text: string, start: number): string {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!;
    if (isQuoted) {
      if (letter === "\\") at++;
      else isQuoted = letter !== '"';
    } else if (letter === '"') isQuoted = true;
    else if (letter === "{") depth++;
    else if (letter === "}" && --depth === 0) return text.slice(start, at + 1);
  }
  return assert.fail(`a call is not closed: ${text.slice(start, start + 200)}`);
}

export function listedLines(text: string): { readonly run: string; readonly lines: readonly string[] } {
  const [, run = "", list = ""] = /^scripts:\n {2}run: (.*)\n {2}lines:\n((?: {4}.*\n)+)/m.exec(text) ?? [];
  const lines = Array.from(list.matchAll(/^ {4}- (.*(?:\n {6}.*)*)/gm), ([, one]) => scalar(one!));
  return { run: scalar(run), lines };
}

/** A value of the block of resolved values, which is YAML. */
function scalar(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text.startsWith('"') ? JSON.parse(text) : text.replace(/^[|>]-?\n\s*/, "");
}

/** The command lines that a text spells out itself: `uv run {skill-root}/scripts/brain.py list --all`. */
export function spelledLines(text: string): readonly string[] {
  const spelled = text.matchAll(/(?<![\w-])(?:uv run|python3?) (?:[^`\n\\]|\\\n)*?\.py(?:[^`\n\\]|\\\n)*/g);
  return Array.from(spelled, ([line]) => line.replaceAll(/\\\n\s*/g, " ").trim());
}

/** The addresses that a text has its reader open; one that ends with a slash only says where files are. */
export function urisIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/bmad:\/\/[\w./-]*\w(?![/\w])/g), ([uri]) => uri);
}

/** What fills a gap, by its name; undefined for a name that nothing explains. */
export type Samples = (name: string) => string | undefined;

const GAP = /\{\{?([\w-]+(?:\.[\w-]+)?)\}?\}|<([^<>|]+)>|(?<![\w{<"'.-])(REV\.\.REV|[A-Z]{3,})(?![\w}>.-])/g;

/** The lines that a reader makes of a printed one: each alternative once, what is optional left out and put in. */
export function filledLines(line: string, samples: Samples): readonly string[] {
  return withOptions(line).flatMap(withAlternatives).map((one) =>
    one.replaceAll(/, \.\.\.(?=\])/g, "").replaceAll(
      GAP,
      (gap, named, described, capital) =>
        samples(named ?? described ?? capital) ?? assert.fail(`nothing says what ${gap} is: ${line}`),
    )
  );
}

/** A line without what is in brackets, with each of these, and with all; brackets in quotes belong to a value. */
function withOptions(line: string): readonly string[] {
  const parts = Array.from(
    line.matchAll(/'[^']*'|"[^"]*"|\[([^[\]]*)\](?:\.\.\.)?|[^'"[]+|./g),
    ({ 0: text, 1: inner }) => ({ text, inner: inner?.replace(/ ?\.\.\.$/, "") }),
  );
  const optional = parts.filter(({ inner }) => inner !== undefined);
  const variant = (taken: typeof parts) =>
    parts.map((part) => part.inner === undefined ? part.text : taken.includes(part) ? part.inner : "").join(
      "",
    )
      .replaceAll(/ +/g, " ").trim();
  return [...new Set([[], ...optional.map((one) => [one]), optional].map(variant))];
}

function withAlternatives(line: string): readonly string[] {
  const [gap, inner] = /<([^<>]*\|[^<>]*)>/.exec(line) ?? [];
  if (gap === undefined) return [line];
  return inner!.split("|").flatMap((one) => withAlternatives(line.replace(gap, () => one.trim())));
}
