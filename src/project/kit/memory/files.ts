/** Where the files of memory lie below the content folder; the build of the embedded content puts them there. */

/** File names, and the folder they are in. */
export const MEMORY_FILES = {
  folder: "memory",
  /** French and German words with their English (base/language). */
  lexicons: ["lexicon_fr.txt", "lexicon_de.txt"],
  /** The weights and the vocabulary of the embedder (embed/pack.ts). */
  weights: "minilm.pack",
  /** Its kernels, the fastest first; not every processor supports that one. */
  kernels: ["minilm.relaxed-simd.wasm", "minilm.simd.wasm"],
  nearest: "nearest.wasm",
  /** The worker and its imports: a worker can only load files that we may read, which means the content folder. */
  worker: ["worker.ts", "encoder.ts", "pack.ts", "questions.ts", "word_piece.ts", "word_vectors.ts"],
  /** The authors of the weights and their licences. */
  licences: ["NOTICE", "LICENSE", "LICENSE.package"],
} as const;

export const ALL_MEMORY_FILES: readonly string[] = Object.entries(MEMORY_FILES)
  .flatMap(([what, names]) => what === "folder" ? [] : names);

export function memoryFile(contentDir: string, name: string): string {
  return `${contentDir}/${MEMORY_FILES.folder}/${name}`;
}

export function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
