/** The compiled kernel that compares vectors (vectors.ts), from the embedded content. */
import { MEMORY_FILES, memoryFile } from "../files.ts";

/** The kernel; nothing if it is missing, or this processor cannot run it. */
export function openKernel(contentDir: string): WebAssembly.Module | undefined {
  try {
    const bytes = Deno.readFileSync(memoryFile(contentDir, MEMORY_FILES.nearest));
    return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
