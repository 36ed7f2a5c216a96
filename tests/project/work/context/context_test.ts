/** Does a story get the sections that it needs, within its budget, and is it told what was left out? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { germanStem, languageOf, partsOfCompound, wordsOf } from "../../../../src/base/language/mod.ts";
import { tokensIn } from "../../../../src/base/tokens.ts";
import { packOf } from "../../../support/context_pack.ts";
import { cpuClock } from "../../../support/cpu.ts";
import { shopDocuments } from "../../../support/shop_documents.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

Deno.test("forms and compounds of German words are the same word [work:context]", () => {
  const families = [
    ...["Fahrschein Fahrscheine Fahrscheins", "buchen gebucht Buchung Buchungen", "Größe Größen"],
    ...["erstatten Erstattung erstattet", "prüfen geprüft Prüfung Prüfer"],
  ];
  for (const forms of families) assert.equal(new Set(wordsOf(forms).map(germanStem)).size, 1, forms);
  const words = new Set(["fahrschein", "kauf", "vertrag", "dienst"].map(germanStem));
  const partsOf = (word: string) => partsOfCompound(germanStem(word), (one) => words.has(one));
  assert.deepEqual(partsOf("fahrscheinkauf"), ["fahrschei", "kauf"]);
  assert.deepEqual(partsOf("vertragsdienst"), ["vertrag", "die"]);
  assert.deepEqual(partsOf("fahrscheinautomat"), ["fahrschei"]);
  assert.deepEqual(partsOf("haltestelle"), []);
  assert.equal(languageOf("Die Praxis zeigt den Termin an."), "de");
  assert.equal(languageOf("I log in with an account."), "en");
  assert.equal(languageOf("Le patient prend un rendez-vous."), "fr");
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
    "### Lifetime\n\nAn hour.\n\n## 3. Paint\n\nBlue.\n\n" +
    `## 4. Hulls\n\n${
      "Each hull of the older kind was scraped in autumn and tarred in spring. ".repeat(20)
    }\n`,
  "docs/adr/0001.md": "# Decisions\n\n## AD-1: Cookies\n\nNo tokens in the browser.\n",
  "docs/prd-validation-report.md": "# Report\n\n## Login\n\nThe login form is fine.\n",
};

treeTest("ids, references and the plan come first [work:context]", SMALL, async (root) => {
  const { pack, text, data } = await packOf(root, "1-2");
  const places = pack.taken.map(({ piece: { path, from, to }, why }) => `${path}#${from}-${to} ${why}`);
  const needed = [
    ...["out/plan/prd.md#6-6 requirement", "out/plan/epics.md#3-5 plan", "out/plan/epics.md#7-9 plan"],
    ...["docs/architecture.md#7-9 reference", "docs/architecture.md#11-13 reference"],
    ...["docs/adr/0001.md#3-5 requirement", "out/impl/1-1-one.md#8-10 words"],
  ];
  assert.deepEqual(needed.filter((place) => !places.includes(place)), [], places.join(", "));
  assert.ok(!places.some((place) => /epics\.md#1[1-9]|report/.test(place)), places.join(", "));
  assert.ok(!text.includes("baseline_commit"));
  assert.match(text, /^# Context for 1-2: Login\n/);
  assert.match(
    text,
    /\n## docs\/architecture\.md: Architecture\n[^]*\n### L11-L13: 2\. Sessions > Lifetime\n\nAn hour\.\n/,
  );
  assert.match(text, /\nThey use \[removed\]␛\[2J\.\n/);
  assert.match(
    text,
    /\n## Left out\n\n(?:- .*\n)*- docs\/architecture\.md: \d sections, about \d+ tokens; nearest: [^\n]*L15-L17 3\. Paint/,
  );
  assert.equal((data["sections"] as unknown[]).length, pack.taken.length);
});

treeTest("a short section that shares a word is not left out while there is room [work:context]", {
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
});

treeTest("a small budget keeps what matters [work:context]", SMALL, async (root) => {
  const { pack, data } = await packOf(root, "1-2", 60);
  assert.ok(pack.tokens <= 60 && pack.taken.length > 0);
  assert.ok(pack.taken.every(({ why }) => why !== "words"));
  const { documents } = data["left"] as { documents: readonly { path: string; sections: number }[] };
  assert.ok(documents.some(({ path, sections }) => path === "docs/architecture.md" && sections > 0));
});

treeTest("a pack may fill its budget to the last token [work:context]", SMALL, async (root) => {
  const full: number[] = [];
  for (let budget = 20; budget <= 120; budget++) {
    const { pack: { tokens } } = await packOf(root, "1-2", budget);
    assert.ok(tokens <= budget, `${tokens} tokens in a budget of ${budget}`);
    if (tokens === budget) full.push(budget);
  }
  assert.notDeepEqual(full, [], "no budget is used to its last token: is the limit off by one?");
});

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

Deno.test("hostile documents take bounded time [work:context-limits]", async () => {
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
    const took = cpuClock();
    const paths = ["out/plan/prd.md", "docs/architecture.md", "out/impl/1-2-two.md"];
    const files = { ...SMALL, ...Object.fromEntries(paths.map((path) => [path, text])) };
    await withTree(files, (root) => packOf(root, "1-2"));
    assert.ok(took() < 8_000, `${name}: ${took()} ms`);
  }
});
