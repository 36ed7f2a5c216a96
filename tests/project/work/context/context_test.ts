/**
 * Does a story get the sections that it needs, within its budget, and is it told what was left out?
 */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { diskTree } from "../../../../src/content/tree/mod.ts";
import { findStory, readBoard } from "../../../../src/project/work/board/mod.ts";
import {
  type Embed,
  gatherContext,
  type Pack,
  reportContext,
  tokensIn,
} from "../../../../src/project/work/context/mod.ts";
import { openEmbedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import { FOLDERS } from "../../../support/board.ts";
import { clinicDocuments } from "../../../support/clinic_documents.ts";
import { germanStem, partsOfCompound } from "../../../../src/project/work/context/german.ts";
import { inEnglish } from "../../../../src/project/work/context/german_words.ts";
import { languageIn } from "../../../../src/project/work/context/pieces.ts";
import { wordsOf } from "../../../../src/base/terms.ts";
import { verifies } from "../../../support/requirements.ts";
import { type Labelled, shopDocuments } from "../../../support/shop_documents.ts";
import { transitDocuments } from "../../../support/transit_documents.ts";
import { withTree } from "../../../support/trees.ts";

const CONTENT = new URL("../../../../bmad-embedded/content", import.meta.url).pathname;
const BUDGET = 8_000;

/** The pack of a story, and how it is printed. */
async function packOf(root: string, name: string, budget = BUDGET, embed?: Embed) {
  const tree = diskTree(root);
  const board = await readBoard(tree, FOLDERS);
  const found = findStory(board, name);
  const pack = await gatherContext({ tree, board, folders: FOLDERS, ...(embed && { embed }) }, found, budget);
  return { pack, ...reportContext(found, pack, (text) => text.replaceAll("hunter2", "[removed]")) };
}

/** The built-in embedder, which is asked for each text once. */
function openCached(): Disposable & { readonly embed: Embed } {
  const embedder = openEmbedder({ contentDir: CONTENT })!;
  const vectors = new Map<string, Float32Array>();
  return {
    embed: async (texts) => {
      const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
      for (const [at, vector] of (await embedder.embed(missing)).entries()) vectors.set(missing[at]!, vector);
      return texts.map((text) => vectors.get(text)!);
    },
    [Symbol.dispose]: () => embedder.close(),
  };
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

const isIn = ({ taken }: Pack, { path, chapter, heading }: Labelled) =>
  taken.some(({ piece }) =>
    piece.path === path && piece.chain.at(-1) === heading &&
    (chapter === undefined || piece.chain.includes(chapter))
  );

Deno.test(
  verifies(
    "work:context",
    "24 stories get at least 95 % of the sections that they need, within 8,000 tokens",
  ),
  async () => {
    // Not the seed that the ranking was tuned on.
    const shop = shopDocuments(101);
    const lengthOf = (path: string) => shop.files[path]!.split("\n").length;
    assert.ok(lengthOf("out/plan/prd.md") >= 1_400 && lengthOf("out/plan/architecture.md") >= 4_800);
    using embedder = openCached();
    const { embed } = embedder;
    const [recalls, precisions, lines]: [number[], number[], string[]] = [[], [], []];
    {
      await withTree(shop.files, async (root) => {
        for (const { ref, kind, needs } of shop.stories) {
          const { pack, text } = await packOf(root, ref, BUDGET, embed);
          const found = needs.filter((one) => isIn(pack, one)).length;
          const useful = pack.taken.filter((one) =>
            needs.some((need) => isIn({ ...pack, taken: [one] }, need))
          );
          recalls.push(found / needs.length);
          precisions.push(useful.length / pack.taken.length);
          lines.push(
            `${ref} (${kind}): recall ${recalls.at(-1)!.toFixed(2)}, precision ${
              precisions.at(-1)!.toFixed(2)
            }`,
          );
          assert.ok(countTokens(text) <= BUDGET, `${ref}: ${countTokens(text)} tokens`);
        }
      });
    }
    assert.ok(mean(recalls) >= 0.95, `recall ${mean(recalls)}\n${lines.join("\n")}`);
    // Half of what a topic's sections say is beside the point, in the same words.
    assert.ok(mean(precisions) >= 0.4, `precision ${mean(precisions)}\n${lines.join("\n")}`);
  },
);

/** How much of what they need the stories of a set get, by the kind of story. */
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
Deno.test(
  verifies("work:context", "documents in another style: tables, ids of their own, many files, two languages"),
  async () => {
    for (const language of ["en", "de"] as const) {
      const recalls = await recallOf(clinicDocuments(8, language));
      const named = [...recalls].filter(([kind]) => kind !== "other words").flatMap(([, values]) => values);
      assert.ok(mean(named) >= 0.95, `${language}: ${JSON.stringify([...recalls])}`);
    }
  },
);

Deno.test(
  verifies("work:context", "documents that people wrote beforehand, in two languages"),
  async () => {
    for (const language of ["en", "de"] as const) {
      const recalls = [...await recallOf(transitDocuments(7, language))].flatMap(([, values]) => values);
      assert.ok(recalls.length === 20 && mean(recalls) >= 0.85, `${language}: ${mean(recalls)}`);
    }
  },
);

Deno.test(verifies("work:context", "forms and compounds of German words are the same word"), () => {
  for (
    const forms of [
      "Fahrschein Fahrscheine Fahrscheins",
      "buchen gebucht Buchung Buchungen",
      "erstatten Erstattung erstattet",
      "Größe Größen",
      "prüfen geprüft Prüfung Prüfer",
    ]
  ) assert.equal(new Set(wordsOf(forms).map(germanStem)).size, 1, forms);
  const words = new Set(
    ["Fahrschein", "Kauf", "Vertrag", "Dienst"].map((word) => germanStem(word.toLowerCase())),
  );
  const partsOf = (word: string) => partsOfCompound(germanStem(word), (one) => words.has(one));
  assert.deepEqual(partsOf("fahrscheinkauf"), ["fahrschei", "kauf"]);
  assert.deepEqual(partsOf("vertragsdienst"), ["vertrag", "die"]);
  assert.deepEqual(partsOf("fahrscheinautomat"), ["fahrschei"]);
  assert.deepEqual(partsOf("haltestelle"), []);
  assert.equal(
    inEnglish(wordsOf("Die Termine beim Facharzt und die Zahnarzttermine")),
    "appointment date specialist dentist appointment date",
  );
  assert.deepEqual(
    ["Die Praxis zeigt den Termin an.", "I log in with an account.", "Le patient prend un rendez-vous."].map(
      languageIn,
    ),
    ["de", "en", "fr"],
  );
});

const SMALL = {
  "out/impl/sprint-status.yaml":
    "development_status:\n  1-1-one: done\n  1-2-two: ready-for-dev\n  2-1-three: backlog\n",
  "out/impl/1-1-one.md":
    "---\nbaseline_commit: abc\n---\n# Story 1.1: One\n\nStatus: done\n\n## Dev Notes\n\nThe login form has a nonce.\n\n## Dev Agent Record\n\nAll well.\n",
  "out/impl/1-2-two.md":
    "# Story 1.2: Login\n\nStatus: ready-for-dev\n\nFR2, AD-1, [Source: docs/architecture.md#2. Sessions]\n\n" +
    "## Acceptance Criteria\n\n1. The form logs in\n",
  "out/plan/prd.md":
    "# PRD\n\n## Requirements\n\n- **FR1**: Orders\n- **FR-02**: Customers log in\n- **FR3**: Bills\n" +
    "\n## Money\n\nBills are paid in euros.\n",
  "out/plan/epics.md":
    "# Epics\n\n## Epic 1: Accounts\n\nFor all.\n\n### Story 1.2: Login\n\nThe login form.\n\n" +
    "### Story 1.1: One\n\nThe login form of others.\n\n## Epic 2: More\n\n### Story 2.1: Three\n\nThe login form again.\n",
  "docs/architecture.md":
    "# Architecture\n\n## 1. Storage\n\nTables.\n\n## 2. Sessions\n\nThey use hunter2\x1b[2J.\n\n" +
    "### Lifetime\n\nAn hour.\n\n## 3. Paint\n\nBlue.\n",
  "docs/adr/0001.md": "# Decisions\n\n## AD-1: Cookies\n\nNo tokens in the browser.\n",
  "docs/prd-validation-report.md": "# Report\n\n## Login\n\nThe login form is fine.\n",
};

Deno.test(
  verifies("work:context", "ids, references and the plan come first, each with its lines and headings"),
  () =>
    withTree(SMALL, async (root) => {
      const { pack, text, data } = await packOf(root, "1-2");
      const places = pack.taken.map(({ piece: { path, from, to }, why }) => `${path}#${from}-${to} ${why}`);
      for (
        const place of [
          "out/plan/prd.md#6-6 requirement",
          "out/plan/epics.md#3-5 plan",
          "out/plan/epics.md#7-9 plan",
          "docs/architecture.md#7-9 reference",
          "docs/architecture.md#11-13 reference",
          "docs/adr/0001.md#3-5 requirement",
          "out/impl/1-1-one.md#8-10 words",
        ]
      ) assert.ok(places.includes(place), `${place} is not in ${places.join(", ")}`);
      assert.ok(!places.some((place) => /epics\.md#1[1-9]|report/.test(place)), places.join(", "));
      assert.ok(!text.includes("baseline_commit"));
      assert.match(text, /^# Context for 1-2: Login\n/);
      assert.match(
        text,
        /\n## docs\/architecture\.md#L11-L13: Architecture > 2\. Sessions > Lifetime\n\nAn hour\.\n/,
      );
      assert.match(text, /\nThey use \[removed\]␛\[2J\.\n/);
      assert.match(
        text,
        /\n## Left out\n\n(?:- .*\n)*- docs\/architecture\.md#L15-L17: Architecture > 3\. Paint: about \d+ tokens\n/,
      );
      assert.equal((data["sections"] as unknown[]).length, pack.taken.length);
    }),
);

Deno.test(
  verifies("work:context", "a short section that shares a word is not left out while there is room"),
  () =>
    withTree({
      "out/impl/sprint-status.yaml": "development_status:\n  1-1-one: done\n  1-2-two: backlog\n",
      "out/plan/epics.md":
        "# Epics\n\n## Epic 1: Accounts\n\n### Story 1.2: Log in\n\nAs a user I want to log in with my mail address and " +
        "my password, so that I see my orders.\n\n**Acceptance Criteria:**\n\n**Given** an account **When** I log in with " +
        "the right password **Then** I get a token\n",
      "out/plan/prd.md":
        "# PRD\n\n## Log in\n\nUsers log in with their mail address and a password of twelve characters.\n\n" +
        "## Orders\n\nOrders of an account are listed by date.\n",
      "out/plan/architecture.md":
        "# Architecture\n\n## Sessions\n\nTokens live 15 minutes.\n\n## Paint\n\nAll buttons are blue.\n",
    }, async (root) => {
      const { pack } = await packOf(root, "1-2");
      const headings = pack.taken.map(({ piece }) => piece.chain.at(-1));
      assert.ok(headings.includes("Sessions"), headings.join(", "));
      assert.ok(!headings.includes("Paint"), headings.join(", "));
      // Of a list of requirements, only its own.
      await Deno.writeTextFile(
        `${root}/out/plan/prd.md`,
        "# PRD\n\n- FR1: Users log in\n- FR2: Users log out\n- FR3: Users get a password by mail\n",
      );
      const epics = await Deno.readTextFile(`${root}/out/plan/epics.md`);
      await Deno.writeTextFile(`${root}/out/plan/epics.md`, epics.replace("As a user", "FR1. As a user"));
      const own = (await packOf(root, "1-2")).pack.taken.map(({ piece }) => piece.text);
      assert.ok(
        own.some((text) => text.includes("FR1")) && !own.some((text) => /FR[23]/.test(text)),
        own.join("\n"),
      );
    }),
);

Deno.test(
  verifies("work:context", "a small budget keeps what matters most, and says what it left out"),
  () =>
    withTree(SMALL, async (root) => {
      const { pack, data } = await packOf(root, "1-2", 60);
      assert.ok(pack.tokens <= 60 && pack.taken.length > 0);
      assert.ok(pack.taken.every(({ why }) => why !== "words"));
      const { documents } = data["left"] as { documents: readonly { path: string; sections: number }[] };
      assert.ok(documents.some(({ path, sections }) => path === "docs/architecture.md" && sections > 0));
    }),
);

Deno.test("the estimate of tokens is at least what models count, and not much more", () => {
  const texts = {
    prose: shopDocuments(2).files["out/plan/prd.md"]!.slice(0, 20_000),
    table: "| Name | Type | Description |\n|------|------|-------------|\n".repeat(50),
    code: "const total = items.map(({ price }) => price * 1.19).reduce((a, b) => a + b, 0);\n".repeat(50),
    french:
      "Les utilisateurs peuvent réinitialiser leur mot de passe à l'aide d'un lien envoyé par courriel.\n"
        .repeat(50),
    japanese: "利用者はメールで届いたリンクからパスワードを再設定できます。\n".repeat(50),
  };
  for (const [name, text] of Object.entries(texts)) {
    const share = tokensIn(text) / countTokens(text);
    assert.ok(share >= 0.98 && share <= 1.8, `${name}: ${share.toFixed(2)}`);
  }
});

Deno.test(
  verifies("work:context-limits", "hostile documents are cut and ranked in bounded time"),
  async () => {
    const hostile: Readonly<Record<string, string>> = {
      headings: "## login\nx\n".repeat(30_000),
      deep: Array.from({ length: 40_000 }, (_, at) => `${"#".repeat(at % 6 + 1)} login ${at}\n`).join(""),
      line: `# a\n${"login ".repeat(150_000)}\n`,
      ids: `# a\n${"- FR1 login\n".repeat(30_000)}`,
      references: `# a\n${"a.md#b ".repeat(100_000)}\n`,
      blanks: `# a\n${" \n".repeat(100_000)}login\n`,
      words: Array.from({ length: 100_000 }, (_, at) => `w${at.toString(36)}`).join(" "),
    };
    for (const [name, text] of Object.entries(hostile)) {
      const begun = performance.now();
      await withTree({
        ...SMALL,
        "out/plan/prd.md": text,
        "docs/architecture.md": text,
        "out/impl/1-2-two.md": text,
      }, (root) => packOf(root, "1-2"));
      const took = performance.now() - begun;
      assert.ok(took < 8_000, `${name}: ${took} ms`);
    }
  },
);
