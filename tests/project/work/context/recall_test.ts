/** Do context packs contain the sections that their stories need? On sets that were labelled by hand. */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Pack } from "../../../../src/project/work/context/mod.ts";
import { clinicDocuments } from "../../../support/clinic_documents.ts";
import { BUDGET, packOf } from "../../../support/context_pack.ts";
import { type Labelled, shopDocuments } from "../../../support/shop_documents.ts";
import { transitDocuments } from "../../../support/transit_documents.ts";
import { withTree } from "../../../support/trees.ts";
import { openKeptEmbedder } from "../../../support/vectors.ts";

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

const isIn = ({ taken }: Pack, { path, chapter, heading }: Labelled) =>
  taken.some(({ piece }) =>
    piece.path === path && piece.chain.at(-1) === heading &&
    (chapter === undefined || piece.chain.includes(chapter))
  );

Deno.test("24 stories get 95 % of what they need in 8,000 tokens [work:context]", async () => {
  // Not the seed that the ranking was tuned on.
  const shop = shopDocuments(101);
  const lengthOf = (path: string) => shop.files[path]!.split("\n").length;
  assert.ok(lengthOf("out/plan/prd.md") >= 1_400 && lengthOf("out/plan/architecture.md") >= 4_800);
  using embedder = await openKeptEmbedder();
  const [recalls, precisions, lines]: [number[], number[], string[]] = [[], [], []];
  await withTree(shop.files, async (root) => {
    for (const { ref, kind, needs } of shop.stories) {
      const { pack, text } = await packOf(root, ref, BUDGET, (texts) => embedder.embed(texts));
      const found = needs.filter((one) => isIn(pack, one)).length;
      const useful = pack.taken.filter((one) => needs.some((need) => isIn({ ...pack, taken: [one] }, need)));
      recalls.push(found / needs.length);
      precisions.push(useful.length / pack.taken.length);
      lines.push(
        `${ref} (${kind}): recall ${recalls.at(-1)!.toFixed(2)}, precision ${precisions.at(-1)!.toFixed(2)}`,
      );
      assert.ok(countTokens(text) <= BUDGET, `${ref}: ${countTokens(text)} tokens`);
    }
  });
  assert.ok(mean(recalls) >= 0.95, `recall ${mean(recalls)}\n${lines.join("\n")}`);
  // Half of what a topic's sections say is beside the point, in the same words.
  assert.ok(mean(precisions) >= 0.4, `precision ${mean(precisions)}\n${lines.join("\n")}`);
});

async function recallOf(
  { files, stories }: Pick<ReturnType<typeof transitDocuments>, "files"> & {
    readonly stories: readonly {
      readonly kind: string;
      readonly ref: string;
      readonly needs: readonly Labelled[];
    }[];
  },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const recalls = new Map<string, number[]>();
  await withTree(files, async (root) => {
    for (const { ref, kind, needs } of stories) {
      const { pack } = await packOf(root, ref);
      const found = needs.filter((one) => isIn(pack, one)).length;
      recalls.getOrInsertComputed(kind, () => []).push(found / needs.length);
    }
  });
  return recalls;
}

// Without the embedder, which takes its time; bench/context.ts has it.
Deno.test("documents in another style, in two languages [work:context]", async () => {
  for (const language of ["en", "de"] as const) {
    const recalls = await recallOf(clinicDocuments(8, language));
    const named = [...recalls].filter(([kind]) => kind !== "other words").flatMap(([, values]) => values);
    assert.ok(mean(named) >= 0.95, `${language}: ${JSON.stringify([...recalls])}`);
  }
});

Deno.test("documents of people, in two languages [work:context]", async () => {
  for (const language of ["en", "de"] as const) {
    const recalls = [...await recallOf(transitDocuments(7, language))].flatMap(([, values]) => values);
    assert.ok(recalls.length === 20 && mean(recalls) >= 0.85, `${language}: ${mean(recalls)}`);
  }
});
