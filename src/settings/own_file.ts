/**
 * Changes of the user's own settings file: one key at a time, as text.
 *
 * Pure. Comments and every other line stay; a comment inside a list that is replaced moves above it.
 */
import { splitLines } from "../base/text.ts";
import { fail } from "../base/errors.ts";
import { commentOf, type FileSetting, readSettingsText } from "./settings_file.ts";

/** The text of a settings file after a key is set, or removed with undefined. `path` is for errors. */
export function withSetting(
  text: string,
  key: string,
  value: string | undefined,
  path: string,
): string {
  const [bom, body] = text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text];
  const eol = body.includes("\r\n") ? "\r\n" : "\n";
  const lines = splitLines(body);
  const rows = rowsOf(body, lines, key, path);
  const line = value === undefined ? undefined : `${key} = ${value}`;
  if (rows.length === 0 && line !== undefined) {
    const isEnded = lines.at(-1) === "";
    return bom + [...lines.slice(0, isEnded ? -1 : undefined), line, ""].join(eol);
  }
  const changed = rows.toReversed().reduce((left, { line: from, end }, at) => {
    const isKept = at === rows.length - 1;
    const replaced = rewritten(left.slice(from - 1, end), isKept ? line : undefined);
    return left.toSpliced(from - 1, end - from + 1, ...replaced);
  }, lines);
  return bom + changed.join(eol);
}

type Lines = Pick<FileSetting, "line" | "end">;

/** Where a key is set, also with a value that cannot be read. */
function rowsOf(text: string, lines: readonly string[], key: string, path: string): readonly Lines[] {
  const { rows, faults } = readSettingsText(text, path);
  const isOfKey = new RegExp(`^[ \\t]*${RegExp.escape(key)}[ \\t]*=`);
  const broken = faults.flatMap(({ line = 0 }) =>
    isOfKey.test(lines[line - 1] ?? "") && !rows.some((row) => row.line === line) ? [{ line, end: line }] : []
  );
  if (broken.some(({ line }) => /=[ \t]*\[/.test(lines[line - 1]!.split("]").at(-1)!))) {
    // Where the list ends is unknown.
    return fail({
      code: "invalid-file",
      path,
      line: broken[0]!.line,
      problem: `cannot read the list of ${key}`,
    });
  }
  return [...rows.filter((row) => row.key === key), ...broken].sort((a, b) => a.line - b.line);
}

/** The lines of a setting with another value, or without it, and with their comments. */
function rewritten(lines: readonly string[], line: string | undefined): readonly string[] {
  const comments = lines.map((line) => commentOf(line).trimEnd());
  if (lines.length === 1 && line !== undefined) {
    return [comments[0] === "" ? line : `${line} ${comments[0]}`];
  }
  return [...comments.filter((comment) => comment !== ""), ...(line === undefined ? [] : [line])];
}
