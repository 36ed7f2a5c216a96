/** Where the files of memory lie, below the content folder. `deno task embed` puts them there. */

/** Names of files and of the folder they are in. */
export const MEMORY_FILES = {
  folder: "memory",
  /** French words with their English (words/glossary.ts). */
  lexicon: "lexicon_fr.txt",
  /** The weights and the vocabulary of the embedder (embed/pack.ts). */
  weights: "minilm.pack",
  /** Its kernels, the fastest first; not every processor knows the first kind. */
  kernels: ["minilm.relaxed-simd.wasm", "minilm.simd.wasm"],
  /** The kernel that compares vectors. */
  nearest: "nearest.wasm",
  /** The worker, and the modules it imports: a worker can only load what we may read, which is the content folder. */
  worker: ["worker.ts", "encoder.ts", "pack.ts", "word_piece.ts"],
  /** Whose work the weights are, and under which licences. */
  licences: ["NOTICE", "LICENSE", "LICENSE.package"],
} as const;

/** Names of all files that must be there. */
export const ALL_MEMORY_FILES: readonly string[] = [
  MEMORY_FILES.lexicon,
  MEMORY_FILES.weights,
  ...MEMORY_FILES.kernels,
  MEMORY_FILES.nearest,
  ...MEMORY_FILES.worker,
  ...MEMORY_FILES.licences,
];

/** A file of memory. */
export function memoryFile(contentDir: string, name: string): string {
  return `${contentDir}/${MEMORY_FILES.folder}/${name}`;
}
