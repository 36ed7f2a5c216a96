/**
 * A log on disk that rotates.
 *
 * Lines are appended to the first of some files. When it is full, each file takes the next name and the last one is
 * overwritten. Several processes may share the files: each line is appended in one write to whatever file has the first
 * name then; at worst a full file is rotated twice.
 */

/** In bytes. */
const FULL = 1 << 20;

/** Appends lines to the first of the files, given as absolute names, up to so many bytes. Throws what the system throws. */
export function openLogFile(names: readonly string[], full = FULL): (line: string) => void {
  const current = names[0]!;
  return (line) => {
    if (sizeOf(current) >= full) rotate(names);
    Deno.writeTextFileSync(current, `${line}\n`, { append: true });
  };
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

function rotate(names: readonly string[]): void {
  for (let at = names.length - 1; at > 0; at--) {
    try {
      Deno.renameSync(names[at - 1]!, names[at]!);
    } catch (error) {
      // It does not exist yet, or another process was faster.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
