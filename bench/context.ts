/**
 * How much of what a story needs does its context pack have, by set of documents and kind of story?
 *
 *     deno run -A --config deno.dev.json bench/context.ts [SEED…]
 *
 * The ranking was tuned on the shop and the clinic, with other seeds. The company of trams and buses was written
 * before; only its total was looked at while limits were chosen.
 */
import type { Language } from "../src/base/language/mod.ts";
import { diskTree } from "../src/content/tree/mod.ts";
import { findStory, readBoard } from "../src/project/work/board/mod.ts";
import { gatherContext } from "../src/project/work/context/mod.ts";
import { openEmbedder } from "../src/project/kit/memory/embed/built_in.ts";
import { openEnglish } from "../src/project/kit/memory/words/analyzer.ts";
import { FOLDERS } from "../tests/support/board.ts";
import { clinicDocuments } from "../tests/support/clinic_documents.ts";
import { type Labelled, shopDocuments } from "../tests/support/shop_documents.ts";
import { transitDocuments } from "../tests/support/transit_documents.ts";
import { withTree } from "../tests/support/trees.ts";
import { print } from "./support.ts";

interface DocumentSet {
  readonly files: Readonly<Record<string, string>>;
  readonly stories: readonly {
    readonly kind: string;
    readonly ref: string;
    readonly needs: readonly Labelled[];
  }[];
}

const SETS: Readonly<Record<string, (seed: number) => DocumentSet>> = {
  "shop, English": shopDocuments,
  "clinic, English": (seed) => clinicDocuments(seed, "en"),
  "clinic, German": (seed) => clinicDocuments(seed, "de"),
  "trams, English": (seed) => transitDocuments(seed, "en"),
  "trams, German": (seed) => transitDocuments(seed, "de"),
};
const BUDGET = 8_000;

const contentDir = new URL("../bmad-embedded/content", import.meta.url).pathname;
const embedder = openEmbedder({ contentDir })!;
const inEnglish = openEnglish(contentDir);
const vectors = new Map<string, Float32Array>();
/** Each text once: stories of a set ask for the same chapters. */
async function embed(
  given: readonly string[],
  languages: readonly Language[],
): Promise<readonly Float32Array[]> {
  const texts = given.map((text, at) => inEnglish(text, languages[at]!));
  const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
  for (const [at, vector] of (await embedder.embed(missing)).entries()) vectors.set(missing[at]!, vector);
  return texts.map((text) => vectors.get(text)!);
}
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

const seeds = Deno.args.length === 0 ? [101, 102] : Deno.args.map(Number);
for (const [name, documentsOf] of Object.entries(SETS)) {
  const byKind = new Map<string, number[]>();
  const [tokens, useful]: [number[], number[]] = [[], []];
  for (const seed of seeds) {
    const { files, stories } = documentsOf(seed);
    await withTree(files, async (root) => {
      const tree = diskTree(root);
      const board = await readBoard(tree, FOLDERS);
      for (const { ref, kind, needs } of stories) {
        const world = { tree, board, folders: FOLDERS, embed };
        const pack = await gatherContext(world, findStory(board, ref), BUDGET);
        const places = pack.taken.map(({ piece }) => piece);
        const isOf = ({ path, chapter, heading }: Labelled, place: typeof places[number]) =>
          place.path === path && place.chain.at(-1) === heading &&
          (chapter === undefined || place.chain.includes(chapter));
        const found = needs.filter((need) => places.some((place) => isOf(need, place)));
        byKind.getOrInsertComputed(kind, () => []).push(found.length / needs.length);
        useful.push(places.filter((place) => needs.some((need) => isOf(need, place))).length / places.length);
        tokens.push(pack.tokens);
      }
    });
  }
  const kinds = [...byKind].map(([kind, values]) => `${kind} ${mean(values).toFixed(2)}`).join(", ");
  const all = mean([...byKind.values()].flat()).toFixed(3);
  print(
    `${name}: recall ${all} (${kinds}), precision ${mean(useful).toFixed(2)}, ${
      mean(tokens).toFixed(0)
    } tokens`,
  );
}
embedder.close();
