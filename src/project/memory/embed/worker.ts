/**
 * The thread in which texts are embedded, so that the server stays responsive.
 *
 * Each message is one text, answered with its vector or a problem; the first one loads the model. This file is loaded
 * from a copy in the content folder (../files.ts), so it may only import its neighbours.
 */
/// <reference lib="deno.worker" />
import { createEncoder } from "./encoder.ts";
import { MODEL, readPack } from "./pack.ts";
import { createTokenizer } from "./word_piece.ts";

export interface EmbedRequest {
  /** Paths; the first kernel that this processor supports is used. */
  readonly weights: string;
  readonly kernels: readonly string[];
  readonly text: string;
}

export type EmbedReply = { readonly vector: Float32Array<ArrayBuffer> } | { readonly problem: string };

let embed: ((text: string) => Float32Array<ArrayBuffer>) | undefined;

self.onmessage = ({ data }: MessageEvent<EmbedRequest>) => {
  try {
    embed ??= loadModel(data);
    const vector = embed(data.text);
    reply({ vector }, [vector.buffer]);
  } catch (error) {
    reply({ problem: error instanceof Error ? error.message : String(error) });
  }
};

function reply(message: EmbedReply, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

function loadModel({ weights, kernels }: EmbedRequest): (text: string) => Float32Array<ArrayBuffer> {
  const pack = readPack(Deno.readFileSync(weights));
  const supported = kernels.map((path) => Deno.readFileSync(path)).find((bytes) =>
    WebAssembly.validate(bytes)
  );
  if (supported === undefined) throw new Error("this processor has no SIMD instructions for WebAssembly");
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  const encode = createEncoder(pack, new WebAssembly.Module(supported));
  return (text) => encode(tokenize(text, MODEL.mostTokens));
}
