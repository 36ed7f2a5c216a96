/** The compiled kernel that compares vectors (vectors.ts), from the embedded content. */
import { MEMORY_FILES, memoryFile, unlessMissing } from "../files.ts";

/** Undefined if the file is missing or this processor cannot run it. */
export function openKernel(contentDir: string): WebAssembly.Module | undefined {
  const bytes = unlessMissing(() => Deno.readFileSync(memoryFile(contentDir, MEMORY_FILES.nearest)));
  return bytes && WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : undefined;
}
