/**
 * A log on disk that never grows without end.
 *
 * Lines are added to the first of some files. When it is full it takes the second name, what had that the third, and
 * the last is written over. Several processes may share the files: each line is added in one go to whatever file has
 * the first name then, and at worst a full one is put aside twice.
 */

/** A file is full at so many bytes. */
const FULL = 1 << 20;

/** Adds lines to the first of the files, best given as absolute names; throws what the system says where it cannot. */
export function openLogFile(names: readonly string[]): (line: string) => void {
  const current = names[0]!;
  return (line) => {
    if (sizeOf(current) >= FULL) shift(names);
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

function shift(names: readonly string[]): void {
  for (let at = names.length - 1; at > 0; at--) {
    try {
      Deno.renameSync(names[at - 1]!, names[at]!);
    } catch (error) {
      // Not so many yet, or somebody else was faster.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
