/** The build of the embedded content puts them there. */

export const MEMORY_FILES = {
  folder: "memory",
  lexicons: ["lexicon_fr.txt", "lexicon_de.txt"],
  weights: "minilm.pack",
  /** Its kernels, the fastest first; not every processor supports that one. */
  kernels: ["minilm.relaxed-simd.wasm", "minilm.simd.wasm"],
  nearest: "nearest.wasm",
  /** The worker and its imports: a worker can only load files that we may read, which means the content folder. */
  worker: ["worker.ts", "encoder.ts", "pack.ts", "word_piece.ts", "word_vectors.ts"],
  licences: ["NOTICE", "LICENSE", "LICENSE.package"],
} as const;

export const ALL_MEMORY_FILES: readonly string[] = Object.entries(MEMORY_FILES)
  .flatMap(([what, names]) => what === "folder" ? [] : names);

export function memoryFile(contentDir: string, name: string): string {
  return `${contentDir}/${MEMORY_FILES.folder}/${name}`;
}
