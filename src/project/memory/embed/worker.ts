/**
 * The thread in which texts are embedded, so that the server answers others meanwhile.
 *
 * Each message is one text, answered by its vector or by what went wrong; the first one opens the model. The file is
 * loaded from a copy in the content folder (../files.ts), so it imports nothing but its neighbours.
 */
/// <reference lib="deno.worker" />
import { createEncoder } from "./encoder.ts";
import { MODEL, readPack } from "./pack.ts";
import { createTokenizer } from "./word_piece.ts";

/** What the worker is asked: a text, and the paths of the model's files, of the kernels those to try first first. */
export interface Asked {
  readonly weights: string;
  readonly kernels: readonly string[];
  readonly text: string;
}

/** What it answers. */
export type Answered = { readonly vector: Float32Array<ArrayBuffer> } | { readonly problem: string };

let embed: ((text: string) => Float32Array<ArrayBuffer>) | undefined;

self.onmessage = ({ data }: MessageEvent<Asked>) => {
  try {
    embed ??= open(data);
    const vector = embed(data.text);
    answer({ vector }, [vector.buffer]);
  } catch (error) {
    answer({ problem: error instanceof Error ? error.message : String(error) });
  }
};

function answer(answered: Answered, transfer: Transferable[] = []): void {
  self.postMessage(answered, transfer);
}

function open({ weights, kernels }: Asked): (text: string) => Float32Array<ArrayBuffer> {
  const pack = readPack(Deno.readFileSync(weights));
  const known = kernels.map((path) => Deno.readFileSync(path)).find((bytes) => WebAssembly.validate(bytes));
  if (known === undefined) throw new Error("this processor has no SIMD instructions for WebAssembly");
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  const encode = createEncoder(pack, new WebAssembly.Module(known));
  return (text) => encode(tokenize(text, MODEL.mostTokens));
}
