/**
 * What recall goes by, as the user chose it; each part is loaded when it is first needed.
 */
import type { MemoryPlan } from "../../settings/plan/mod.ts";
import type { Embedder } from "./embed/embedder.ts";
import { openEmbedder } from "./embed/built_in.ts";
import { openEndpoint } from "./embed/endpoint.ts";
import { openKernel } from "./recall/kernel.ts";
import type { Senses } from "./store/store.ts";
import { openAnalyzer } from "./words/analyzer.ts";

/** The senses of one project, to be closed. */
export interface OpenSenses extends Senses {
  /** Whether meanings are compared, and if not, why. */
  readonly meaning: string;
  close(): void;
}

/** What a user reads where memories are found by words alone. */
const WITHOUT = {
  wanted: "words alone (--no-embedder)",
  missing: "words alone: the files of the embedder are missing from this build",
};

/** Opens them. Nothing is loaded before the first text. */
export function openSenses({ embedder: wanted, contentDir }: MemoryPlan): OpenSenses {
  const embedder: Embedder | undefined = wanted === "none"
    ? undefined
    : wanted === "built-in"
    ? openEmbedder({ contentDir })
    : openEndpoint(wanted);
  const missing = wanted === "none" ? WITHOUT.wanted : WITHOUT.missing;
  return {
    analyze: openAnalyzer(contentDir),
    embedder,
    kernel: embedder && openKernel(contentDir),
    meaning: embedder === undefined ? missing : `words and meaning (${embedder.id})`,
    close: () => embedder?.close(),
  };
}
