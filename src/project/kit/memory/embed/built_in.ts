/** The built-in embedder in a worker. Calls take turns: no question waits for a long import. */
import { pathToFileURL } from "node:url";
import { unlessMissing } from "../../../../base/absence.ts";
import { BmadError } from "../../../../base/errors.ts";
import { onAbort } from "../../../../base/work.ts";
import { MEMORY_FILES, memoryFile } from "../files.ts";
import { MODEL } from "./pack.ts";
import { ROW } from "./word_vectors.ts";
import type { EmbedReply, EmbedRequest, TextKind } from "./worker.ts";

interface Call extends PromiseWithResolvers<readonly Float32Array[]> {
  readonly texts: readonly string[];
  readonly vectors: Float32Array[];
  readonly kind: TextKind;
  readonly signal: AbortSignal | undefined;
}

const FIVE_MINUTES = 5 * 60_000;
const OWN = "the built-in embedder failed:";

export function openEmbedder(contentDir: string, idleTime = FIVE_MINUTES): Embedder | undefined {
  const weights = memoryFile(contentDir, MEMORY_FILES.weights);
  if (!unlessMissing(() => Deno.statSync(weights).isFile)) return undefined;
  const kernels = MEMORY_FILES.kernels.map((name) => memoryFile(contentDir, name));

  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let current: Call | undefined;
  const queue: Call[] = [];

  function next(): void {
    if (current !== undefined) return;
    clearTimeout(idle);
    do current = queue.shift(); while (current?.signal?.aborted);
    if (current === undefined) {
      idle = setTimeout(terminate, idleTime);
      return;
    }
    worker ??= startWorker();
    const text = current.texts[current.vectors.length]!;
    worker.postMessage({ weights, kernels, text, kind: current.kind } satisfies EmbedRequest);
  }

  function startWorker(): Worker {
    const started = new Worker(pathToFileURL(memoryFile(contentDir, MEMORY_FILES.worker[0])), {
      type: "module",
    });
    started.onmessage = ({ data }: MessageEvent<EmbedReply>) => {
      // A terminated worker may still deliver a reply.
      if (worker === started && current !== undefined) settle(current, data);
    };
    started.onerror = (event) => {
      event.preventDefault();
      failAll(event.message);
    };
    return started;
  }

  function settle(call: Call, reply: EmbedReply): void {
    current = undefined;
    if ("problem" in reply) call.reject(embedderFailed(`${OWN} ${reply.problem}`));
    else if (call.vectors.push(reply.vector) < call.texts.length) queue.push(call);
    else call.resolve(call.vectors);
    next();
  }

  function terminate(): void {
    worker?.terminate();
    worker = undefined;
  }

  function failAll(problem: string): void {
    clearTimeout(idle);
    terminate();
    for (const call of [current, ...queue.splice(0)]) call?.reject(embedderFailed(`${OWN} ${problem}`));
    current = undefined;
  }

  async function request(kind: TextKind, texts: readonly string[], signal?: AbortSignal) {
    signal?.throwIfAborted();
    const call: Call = { texts, kind, vectors: [], signal, ...Promise.withResolvers() };
    const cancel = onAbort(signal, () => call.reject(signal!.reason));
    queue.push(call);
    next();
    return await call.promise.finally(cancel);
  }

  return {
    id: MODEL.id,
    dimensions: MODEL.width,
    embed: async (texts, signal) => texts.length === 0 ? [] : await request("text", texts, signal),
    embedQuestion: async (question, signal) => (await request("question", [question], signal))[0]!,
    embedWords: async (words, signal) => {
      const [rows] = await request("words", [words.join("\n")], signal);
      return words.map((_, at) => rows!.subarray(at * ROW, (at + 1) * ROW));
    },
    close: () => failAll("the embedder was closed"),
  };
}

export function embedderFailed(reason: string, cause?: unknown): BmadError {
  return new BmadError({ code: "memory-unavailable", problem: "embedder-failed", reason }, { cause });
}

export interface Embedder {
  readonly id: string;
  /** The length of a vector; 0 for a server that has not answered yet. */
  readonly dimensions: number;
  /** In the order of the texts. Fails with `memory-unavailable`, or with the reason of the signal. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** The vector to compare texts with; missing where the embedder knows nothing about questions. */
  embedQuestion?(question: string, signal?: AbortSignal): Promise<Float32Array>;
  /** For single words a direction each, without their neighbours, and after it how much the word tells, up to 1. */
  embedWords?(words: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): void;
}
