/**
 * The section of git's configuration that says how to start our merge driver.
 *
 * Git hands the value to `sh`, after it has replaced what follows a percent sign.
 */
import type { Launch } from "../clients/mod.ts";
import { fail } from "../../base/errors.ts";
import { splitLines } from "../../base/text.ts";
import { DRIVER } from "./attributes.ts";

const HEADER = `[merge "${DRIVER}"]`;

/** The lines of the section. */
export function configLines({ command, args }: Launch): readonly string[] {
  const words = [command, ...args];
  // deno-lint-ignore no-control-regex
  if (words.some((word) => /[\x00-\x1f\x7f]/.test(word))) {
    return fail({
      code: "not-allowed",
      what: "name this program in git's configuration",
      hint: "its path has control characters",
    });
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

/** Whether a text has the section. */
export function hasSection(text: string): boolean {
  return splitLines(text).some((line) => /^\s*\[\s*merge\s+"bmad-ledger"\s*\]/i.test(line.slice(0, 200)));
}

/** Whether what follows our lines would become part of another section without them. */
export function leavesKeys(after: string): boolean {
  const first = splitLines(after).find((line) => !/^\s*(?:[#;]|$)/.test(line));
  return first !== undefined && !first.trimStart().startsWith("[");
}
