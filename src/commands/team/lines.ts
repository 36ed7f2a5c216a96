/**
 * Our lines in files of git, and the lines of others that contradict them: in `.gitattributes` the merge driver of
 * ledgers, in git's configuration how to start it. They lie between two comments, and can be taken out byte for byte. Git
 * hands the value of the driver to `sh`, after it has replaced what follows a percent sign.
 */
import type { Launch } from "../clients/mod.ts";
import { JOURNAL_FILE } from "../../project/work/formats/sprint_keys.ts";
import { MERGED_FILES } from "../../project/work/merge/mod.ts";
import { fail } from "../../base/errors.ts";
import { splitKeepingEnds, splitLines } from "../../base/text.ts";

const DRIVER = "bmad-ledger";

/** The files, each with its driver; git has the last one itself. */
const DRIVERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MERGED_FILES.map((name) => [name, DRIVER])),
  [JOURNAL_FILE]: "union",
};

/** Our lines. Names without a slash hold in every folder. */
export const ATTRIBUTE_LINES: readonly string[] = Object.entries(DRIVERS).map(([name, driver]) =>
  `${name} merge=${driver}`
);

export function foreignDriver(text: string): string | undefined {
  return splitLines(text).map((line) => line.trim()).find((line) => {
    const [pattern = "", ...attributes] = line.split(/\s+/);
    const own = attributes.findLast((one) => /^(?:[-!]?merge$|merge=|binary$)/.test(one));
    if (line.startsWith("#") || own === undefined) return false;
    const name = pattern.replace(/^"|"$/g, "").split("/").at(-1)!;
    return Object.entries(DRIVERS).some(([file, driver]) => fits(name, file) && own !== `merge=${driver}`);
  });
}

/** Whether a pattern of git's fits a name. A set of signs counts as any sign. */
function fits(pattern: string, name: string): boolean {
  const places = Array.from({ length: name.length + 1 }, (_, at) => at);
  // The places in the name that the signs so far can lead to.
  let reached = [0];
  for (const sign of pattern.match(/\[[^\]]{1,50}\]|\\?[^]/g) ?? []) {
    const isAny = sign === "?" || sign.startsWith("[");
    reached = sign === "*"
      ? places.filter((at) => at >= reached[0]!)
      : reached.filter((at) => at < name.length && (isAny || sign.at(-1) === name[at])).map((at) => at + 1);
  }
  return reached.includes(name.length);
}

const HEADER = `[merge "${DRIVER}"]`;

export function configLines({ command, args }: Launch): readonly string[] {
  const words = [command, ...args];
  // deno-lint-ignore no-control-regex
  if (words.some((word) => /[\x00-\x1f\x7f]/.test(word))) {
    const what = "name this program in git's configuration";
    return fail({ code: "not-allowed", what, hint: "its path has control characters" });
  }
  // A task runs in the folder of its deno.json, and git names files from where it is.
  const files = ["%O", "%A", "%B"].map((name) => args[0] === "task" ? `"$PWD"/${name}` : name);
  const line = [...words.map(shellWord), "merge-driver", ...files, "%L", "%P"].join(" ");
  return [
    HEADER,
    "\tname = BMAD ledgers, merged story by story",
    `\tdriver = "${line.replaceAll(/["\\]/g, "\\$&")}"`,
  ];
}

/** A word of a command line for `sh`, in which git replaces nothing. */
function shellWord(word: string): string {
  const kept = word.replaceAll("%", "%%");
  return /^[\w./:@+=-]+$/.test(word) ? word : `'${kept.replaceAll("'", String.raw`'\''`)}'`;
}

export function hasSection(text: string): boolean {
  return splitLines(text).some((line) => /^\s*\[\s*merge\s+"bmad-ledger"\s*\]/i.test(line.slice(0, 200)));
}

/** Whether what follows our lines would become part of another section without them. */
export function leavesKeys(after: string): boolean {
  const first = splitLines(after).find((line) => !/^\s*(?:[#;]|$)/.test(line));
  return first !== undefined && !first.trimStart().startsWith("[");
}

const BEGIN = "# bmad-mcp team: begin";
const MADE = `${BEGIN} (made this file)`;
const END = "# bmad-mcp team: end";

interface Block {
  readonly lines: readonly string[];
  readonly before: string;
  readonly after: string;
  readonly isFileOurs: boolean;
}

/** Finds our lines; undefined if there are none. Comments that do not belong together are a problem. */
export function findBlock(text: string): Block | "broken" | undefined {
  const lines = splitKeepingEnds(text);
  const plain = lines.map((line) => line.trimEnd());
  const marks = plain.flatMap((line, at) => [BEGIN, MADE, END].includes(line) ? [at] : []);
  const [start, end, ...others] = marks;
  if (start === undefined) return undefined;
  const isWhole = end !== undefined && others.length === 0 && plain[start] !== END && plain[end] === END;
  if (!isWhole) return "broken";
  const before = lines.slice(0, start).join("");
  return {
    lines: plain.slice(start + 1, end),
    // A text without a last line end has none after our lines either.
    before: lines[end]!.endsWith("\n") ? before : before.replace(/\r?\n$/, ""),
    after: lines.slice(end + 1).join(""),
    isFileOurs: plain[start] === MADE,
  };
}

/** A text with our lines, at its end or where they are; undefined for a file that does not exist. */
export function withBlock(text: string | undefined, lines: readonly string[], old?: Block): string {
  const newline = text?.includes("\r\n") ? "\r\n" : "\n";
  const begin = text === undefined || old?.isFileOurs ? MADE : BEGIN;
  const own = [begin, ...lines, END].join(newline);
  const { before, after } = old ?? { before: text ?? "", after: "" };
  if (before === "" || before.endsWith("\n")) return `${before}${own}${newline}${after}`;
  return before + newline + own + after;
}

export function withoutBlock({ before, after, isFileOurs }: Block): string | undefined {
  const rest = before + after;
  return isFileOurs && rest === "" ? undefined : rest;
}
