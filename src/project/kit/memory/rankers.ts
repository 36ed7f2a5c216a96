/** The rankers that the user chose; each part is loaded when it is first needed. */
import type { MemoryPlan } from "../../../settings/plan/mod.ts";
import { openEmbedder } from "./embed/built_in.ts";
import { openEndpoint } from "./embed/endpoint.ts";
import { openKernel } from "./recall/kernel.ts";
import type { Rankers } from "./store/store.ts";
import { openAnalyzer } from "./words/analyzer.ts";

export interface OpenRankers extends Rankers {
  /** What memories are found by, for people. */
  readonly description: string;
  close(): void;
}

/** Nothing is loaded before the first text. */
export function openRankers({ embedder: choice, contentDir }: MemoryPlan): OpenRankers {
  const embedder = choice === "none"
    ? undefined
    : choice === "built-in"
    ? openEmbedder({ contentDir })
    : openEndpoint(choice);
  const why = choice === "none" ? "the embedder is off" : "the embedder is missing from this build";
  return {
    analyze: openAnalyzer(contentDir),
    embedder,
    kernel: embedder && openKernel(contentDir),
    description: embedder === undefined ? `keywords only (${why})` : `keywords and meaning (${embedder.id})`,
    close: () => embedder?.close(),
  };
}
