/** Whether a folder of ours can be written: a disk may be full, read-only or someone else's. */
import { systemCode } from "../base/errors.ts";

/** Whether a file can be written in a folder, which is made if it is missing. Nothing else stays of the attempt. */
export function canWriteIn(folder: string): boolean {
  const draft = `${folder}/.writable-${crypto.randomUUID()}`;
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      Deno.writeTextFileSync(draft, "yes", { createNew: true, mode: 0o600 });
    } finally {
      removeIfThere(draft);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

function removeIfThere(file: string): void {
  try {
    Deno.removeSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
