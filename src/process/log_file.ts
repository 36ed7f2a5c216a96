/** A rotating log that processes may share: a line is one write; at worst a full file is rotated twice. */
import { unlessMissing } from "../base/absence.ts";

const FULL = 1 << 20;

export function openLogFile(names: readonly string[], full = FULL): (line: string) => void {
  const current = names[0]!;
  // What a full disk has cut off is a line of its own.
  let isCut = false;
  return (line) => {
    const { size } = unlessMissing(() => Deno.statSync(current)) ?? { size: 0 };
    if (size >= full) rotate(names);
    const text = `${isCut ? "\n" : ""}${line}\n`;
    isCut = true;
    Deno.writeTextFileSync(current, text, { append: true });
    isCut = false;
  };
}

function rotate(names: readonly string[]): void {
  for (let at = names.length - 1; at > 0; at--) {
    // It may not exist yet, or another process was faster.
    unlessMissing(() => Deno.renameSync(names[at - 1]!, names[at]!));
  }
}
