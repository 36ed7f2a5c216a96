/**
 * The embedder that is built in: all-MiniLM-L6-v2 in a worker of our own, without any network.
 *
 * The worker is started by the first text and has one text at a time; calls take turns, so that a question does not
 * wait for the end of a long import. After some minutes without a call it is ended and its memory, some 100 MB, is
 * free again. Where the files of the model are missing there is no embedder, and memory works by words alone.
 */
import { BmadError } from "../../../base/errors.ts";
import { MEMORY_FILES, memoryFile } from "../files.ts";
import type { Embedder } from "./embedder.ts";
import { MODEL } from "./pack.ts";
import type { Answered, Asked } from "./worker.ts";

/** Where the model is, and how long it stays in memory without being used. */
export interface EmbedderOptions {
  /** The folder of all embedded content. */
  readonly contentDir: string;
  /** In milliseconds; five minutes unless said. */
  readonly idleTime?: number;
}

/** Some texts that somebody waits for. */
interface Call extends PromiseWithResolvers<readonly Float32Array[]> {
  readonly texts: readonly string[];
  /** Those that are there already. */
  readonly vectors: Float32Array[];
  readonly signal: AbortSignal | undefined;
}

const FIVE_MINUTES = 5 * 60_000;

/** The embedder, or nothing where its files are missing. Nothing is loaded before the first text. */
export function openEmbedder({ contentDir, idleTime = FIVE_MINUTES }: EmbedderOptions): Embedder | undefined {
  const weights = memoryFile(contentDir, MEMORY_FILES.weights);
  if (!isFile(weights)) return undefined;
  const kernels = MEMORY_FILES.kernels.map((name) => memoryFile(contentDir, name));

  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  /** The call whose text the worker has, and those that wait, the next one first. */
  let current: Call | undefined;
  const waiting: Call[] = [];

  function proceed(): void {
    if (current !== undefined) return;
    clearTimeout(idle);
    do current = waiting.shift(); while (current?.signal?.aborted);
    if (current === undefined) {
      idle = setTimeout(endWorker, idleTime);
      return;
    }
    worker ??= startWorker();
    const text = current.texts[current.vectors.length]!;
    worker.postMessage({ weights, kernels, text } satisfies Asked);
  }

  function startWorker(): Worker {
    const started = new Worker(fileUrl(memoryFile(contentDir, MEMORY_FILES.worker[0])), { type: "module" });
    started.onmessage = ({ data }: MessageEvent<Answered>) => {
      const call = current;
      // What an ended worker still had to say is for nobody.
      if (worker !== started || call === undefined) return;
      current = undefined;
      if ("problem" in data) call.reject(unavailable(data.problem));
      else if (call.vectors.push(data.vector) < call.texts.length) waiting.push(call);
      else call.resolve(call.vectors);
      proceed();
    };
    started.onerror = (event) => {
      event.preventDefault();
      stop(event.message);
    };
    return started;
  }

  function endWorker(): void {
    worker?.terminate();
    worker = undefined;
  }

  function stop(reason: string): void {
    clearTimeout(idle);
    endWorker();
    for (const call of [current, ...waiting.splice(0)]) call?.reject(unavailable(reason));
    current = undefined;
  }

  return {
    id: MODEL.id,
    dimensions: MODEL.width,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      const call: Call = { texts, vectors: [], signal, ...Promise.withResolvers() };
      const giveUp = () => call.reject(signal!.reason);
      signal?.addEventListener("abort", giveUp);
      waiting.push(call);
      proceed();
      return await call.promise.finally(() => signal?.removeEventListener("abort", giveUp));
    },
    close: () => stop("the embedder was closed"),
  };
}

function unavailable(problem: string): BmadError {
  return new BmadError({ code: "memory-unavailable", reason: `texts cannot be embedded: ${problem}` });
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function fileUrl(path: string): URL {
  const parts = path.replaceAll("\\", "/").split("/").map(encodeURIComponent);
  return new URL(`file:///${parts.join("/").replace(/^\//, "").replace(/^([A-Z])%3A/i, "$1:")}`);
}
