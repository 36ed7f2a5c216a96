/** The thread that embeds. Loaded from a copy in the content folder, it may only import its neighbours. */
/// <reference lib="deno.worker" />
import { createEncoder, withoutCommon } from "./encoder.ts";
import { MODEL, readPack } from "./pack.ts";
import { createTokenizer } from "./word_piece.ts";
import { createWordVectors } from "./word_vectors.ts";

export interface EmbedRequest {
  /** Paths; the first kernel that this processor supports is used. */
  readonly weights: string;
  readonly kernels: readonly string[];
  readonly text: string;
  readonly kind: TextKind;
}

export type TextKind = "text" | "question" | "words";

export type EmbedReply = { readonly vector: Float32Array<ArrayBuffer> } | { readonly problem: string };

type Embed = (text: string) => Float32Array<ArrayBuffer>;

let model: Readonly<Record<TextKind, Embed>> | undefined;

self.onmessage = ({ data }: MessageEvent<EmbedRequest>) => {
  try {
    model ??= loadModel(data);
    const vector = model[data.kind](data.text);
    reply({ vector }, [vector.buffer]);
  } catch (error) {
    reply({ problem: error instanceof Error ? error.message : String(error) });
  }
};

function reply(message: EmbedReply, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

function loadModel({ weights, kernels }: EmbedRequest): NonNullable<typeof model> {
  const pack = readPack(Deno.readFileSync(weights));
  const supported = kernels.map((path) => Deno.readFileSync(path)).find((bytes) =>
    WebAssembly.validate(bytes)
  );
  if (supported === undefined) throw new Error("this processor has no SIMD instructions for WebAssembly");
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  const encode = createEncoder(pack, new WebAssembly.Module(supported));
  const common = new Float32Array(pack("questions").slice().buffer);
  const embed: Embed = (text) => encode(tokenize(text, MODEL.mostTokens));
  let wordVectors: ReturnType<typeof createWordVectors> | undefined;
  return {
    text: embed,
    question: (text) => withoutCommon(embed(text), common),
    // Rarely needed, and the table is large: it is copied then.
    words: (text) => {
      wordVectors ??= createWordVectors(readPack(Deno.readFileSync(weights)), tokenize);
      return wordVectors(text.split("\n"));
    },
  };
}
