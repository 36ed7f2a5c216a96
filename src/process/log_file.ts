/** A rotating log that processes may share: a line is one write; at worst a full file is rotated twice. */
import { unlessMissing } from "../base/absence.ts";

const FULL = 1 << 20;

export function openLogFile(names: readonly string[], full = FULL): (line: string) => void {
  const current = names[0]!;
  return (line) => {
    const { size } = unlessMissing(() => Deno.statSync(current)) ?? { size: 0 };
    if (size >= full) rotate(names);
    Deno.writeTextFileSync(current, `${line}\n`, { append: true });
  };
}

function rotate(names: readonly string[]): void {
  for (let at = names.length - 1; at > 0; at--) {
    // It may not exist yet, or another process was faster.
    unlessMissing(() => Deno.renameSync(names[at - 1]!, names[at]!));
  }
}
