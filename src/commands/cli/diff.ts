/**
 * The change of a file as a unified diff with one hunk, which `patch` understands.
 */

import type { Painter } from "./style.ts";

const CONTEXT = 3;

/** The diff of two texts, empty if they are equal; undefined is a file that does not exist. */
export function renderDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
  paint: Painter,
): string {
  if (before === after) return "";
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let same = 0;
  while (same < Math.min(old.length, now.length) - start && old.at(-1 - same) === now.at(-1 - same)) same++;
  const from = Math.max(0, start - CONTEXT);
  const tail = Math.min(same, CONTEXT);
  const range = (lines: readonly string[]) => {
    const count = lines.length - same + tail - from;
    return `${count === 0 ? 0 : from + 1},${count}`;
  };
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - same).map((line) => paint("bad", `-${line}`)),
    ...now.slice(start, now.length - same).map((line) => paint("good", `+${line}`)),
    ...now.slice(now.length - same, now.length - same + tail).map((line) => ` ${line}`),
  ];
  return [
    paint("aside", `--- ${before === undefined ? "/dev/null" : path}`),
    paint("aside", `+++ ${after === undefined ? "/dev/null" : path}`),
    paint("aside", `@@ -${range(old)} +${range(now)} @@`),
    ...hunk,
    "",
  ].join("\n");
}

/** The lines of a text; the last one is marked if it has no line end. */
function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === ""
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}
