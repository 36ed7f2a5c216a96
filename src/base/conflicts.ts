/** Git's marks around what two sides changed differently. */
import { splitLines } from "./text.ts";

interface Conflict {
  readonly line: number;
  readonly problem: string;
}

const MARKS = [/^<{7,}(?: |$)/, /^={7,}\s*$/, /^>{7,}(?: |$)/] as const;

/** The first one; text about git shows such marks as code. */
export function findConflict(text: string): Conflict | undefined {
  if (!text.includes("<<<<<<<")) return undefined;
  let [line, found, isCode] = [0, 0, false];
  for (const [at, one] of splitLines(text).entries()) {
    if (found === 0 && /^ {0,3}(?:```|~~~)/.test(one)) isCode = !isCode;
    if (isCode || !MARKS[found]!.test(one)) continue;
    if (found === 0) line = at + 1;
    if (++found === MARKS.length) return { line, problem: PROBLEM };
  }
  return undefined;
}

const PROBLEM =
  "a merge left git's conflict marks in it: keep the right lines, delete the marks and run git " +
  "add, or undo it all with git merge --abort, in a rebase with git rebase --abort";
