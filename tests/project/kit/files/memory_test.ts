/** Are learnings and failures read as they were written, and no example taken for one? */
import assert from "node:assert/strict";
import { readDecisions } from "../../../../src/project/kit/files/documents.ts";
import { parseLearnings } from "../../../../src/project/kit/files/learnings.ts";
import { labelsIn, linesOf, pointsIn, tablesIn } from "../../../../src/base/markdown.ts";
import { parseMuseum } from "../../../../src/project/kit/files/museum.ts";
import { createTextRanker } from "../../../../src/project/kit/memory/store/rankers.ts";
import { KIT_NAMES, kitFiles, kitTest, openKit } from "../../../support/kit.ts";
import { TERMS_ONLY } from "../../../support/memories.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

kitTest("learnings, newest or fitting [memory:agent-memory]", async (dir, names) => {
  const { learnings } = openKit(dir, names);
  const all = await learnings({ agent: "dev" });
  assert.deepEqual(all.data["learnings"], [
    {
      date: "2026-03-02",
      text: "Les migrations passent avant le déploiement,\nsinon l'ancienne version échoue",
      tags: [],
    },
    { date: "2026-03-02", text: "Le jeton d'accès expire après 15 minutes", tags: [] },
    { date: "2026-01-15", text: "Compresser les photos avant l'envoi", tags: [] },
    { text: "Relire le journal des décisions", tags: [] },
  ]);
  assert.equal(all.data["file"], `${names.base}/_memory/agent-learnings/dev.md`);
  assert.equal(
    (await learnings({ agent: "dev", limit: 1 })).text,
    "4 learnings of dev, newest first; 1 shown, raise the limit for more\n" +
      "- [2026-03-02] Les migrations passent avant le déploiement,\n  sinon l'ancienne version échoue",
  );
  const found = await learnings({ agent: "DEV", query: "expiration des jetons" });
  assert.equal(
    found.text,
    '1 of 4 learnings of dev matching "expiration des jetons", best first\n' +
      "- [2026-03-02] Le jeton d'accès expire après 15 minutes",
  );
  assert.equal(
    (await learnings({ agent: "qa" })).text,
    "0 learnings of qa, newest first; agents with learnings: dev",
  );
  assert.equal(
    (await learnings({ agent: "Amelia", aliases: ["bmad-agent-dev", "dev"] })).data["agent"],
    "dev",
  );
  await assert.rejects(learnings({ agent: "dve" }), {
    message: 'No agent with learnings named "dve". Did you mean dev? Agents with learnings: dev',
  });
});

treeTest("learnings are also read from a file beside the folder of learnings", {
  "_bmad/_memory/qa-learnings.md": "- [2026-01-02] Seed the clock\n",
}, async (dir) => {
  const { data } = await openKit(dir, KIT_NAMES[0]).learnings({ agent: "qa" });
  assert.equal(data["file"], "_bmad/_memory/qa-learnings.md");
  assert.deepEqual(data["learnings"], [{ date: "2026-01-02", text: "Seed the clock", tags: [] }]);
});

treeTest(
  "learnings come in the order of the ranker that the caller provides",
  kitFiles(KIT_NAMES[0]),
  async (dir) => {
    const asked: unknown[] = [];
    const rank = (question: string, texts: readonly string[]) => {
      asked.push(question, texts.length);
      return Promise.resolve([2, 0]);
    };
    const { data } = await openKit(dir, KIT_NAMES[0], { rank }).learnings({ agent: "dev", query: "x" });
    assert.deepEqual(asked, ["x", 4]);
    assert.deepEqual((data["learnings"] as { text: string }[]).map(({ text }) => text.split(" ")[0]), [
      "Compresser",
      "Les",
    ]);
  },
);

Deno.test("an export of several agents is read by its headings, with tags", () => {
  const text =
    "# Export\n\n## dev\n- [2026-01-01] Cacher \`le\` prix `cache` `prix`\n\n## qa\n- [2026-02-01] Tester\n";
  const exported = text.replaceAll("\\`", "`");
  assert.deepEqual(parseLearnings(exported, "dev", ["dev", "qa"]), [
    { date: "2026-01-01", text: "Cacher `le` prix", tags: ["cache", "prix"], agent: "dev" },
    { date: "2026-02-01", text: "Tester", tags: [], agent: "qa" },
  ]);
  // A chapter is not an agent, and code at the end of its lines is not a tag.
  assert.deepEqual(parseLearnings("## Base de données\n- [2026-01-01] Lancer `vacuum`\n", "dev", []), [
    { date: "2026-01-01", text: "Lancer `vacuum`", tags: [], chapter: "Base de données", agent: "dev" },
  ]);
});

Deno.test("a rare term counts for more, and endings do not matter", async () => {
  const texts = ["La base de données est lente", "La base des tests", "Données : 30 jours, base", "Rien"];
  const rank = createTextRanker(TERMS_ONLY);
  const rankByTerms = async (question: string, texts: readonly string[]) =>
    (await rank(question, texts)).map(({ id }) => id);
  assert.deepEqual(await rankByTerms("la donnée de base", texts), [2, 0, 1]);
  assert.deepEqual(await rankByTerms("tester des bases", texts), [1, 2, 0]);
  assert.deepEqual(await rankByTerms("TESTS", texts), [1]);
  assert.deepEqual(await rankByTerms("", texts), []);
});

kitTest("failures, by severity [memory:failure-museum]", async (dir, names) => {
  const { failures } = openKit(dir, names);
  assert.deepEqual((await failures({})).data, {
    file: `${names.base}/_memory/failure-museum.md`,
    problem: undefined,
    total: 4,
    fitting: 4,
    failures: [
      {
        severity: "critical",
        date: "2026-03-01",
        agent: "qa",
        category: "HALLUCINATION",
        title: "Route inventée",
        facts: { lesson: "lire le code" },
      },
      {
        severity: "critical",
        date: "2026-02-12",
        agent: "dev",
        category: "CC-FAIL",
        title: "Tests oubliés avant « terminé »",
        facts: {
          happened: "la livraison est partie sans tests",
          cause: "hâte",
          impact: "retour arrière,\nune journée perdue",
          lesson: "lancer les tests",
          rule: "pas de « terminé » sans CC PASS",
        },
      },
      {
        severity: "important",
        date: "2026-03-05",
        agent: "architect",
        category: "WRONG-ASSUMPTION",
        title: "Monolithe supposé",
        facts: { lesson: "lire le contexte", Témoin: "Zoé" },
      },
      {
        severity: "minor",
        date: "2026-03-06",
        agent: "dev",
        category: "UNKNOWN",
        title: "Faute de frappe dans un titre",
        facts: { lesson: "relire" },
      },
    ],
  });
  assert.equal(
    (await failures({ category: "cc-fail" })).text.split("\n").slice(0, 3).join("|"),
    "1 failure in category CC-FAIL, most severe first||## 2026-02-12 · dev · critical · CC-FAIL: Tests oubliés avant « terminé »",
  );
  assert.match(
    (await failures({ limit: 1 })).text,
    /^4 failures, most severe first; 1 shown, raise the limit for more\n/,
  );
  await assert.rejects(failures({ category: "OOPS" }), {
    message: /^Unknown category "OOPS"\. Use one of all, CC-FAIL/,
  });
});

Deno.test("a museum that is fresh, missing or cut off has no entries", async () => {
  const fresh =
    "## 🔴 Top\n<!-- Exemple :\n### [2026-02-10] [dev] CC-FAIL — x\n-->\n*(Aucune)*\n\n~~~\n### [2026-01-01] [a] y\n";
  assert.deepEqual(parseMuseum(fresh), { entries: [], notes: "" });
  await withTree({}, async (dir) => {
    assert.equal(
      (await openKit(dir).failures({})).text,
      "No failures recorded: _bmad/_memory/failure-museum.md does not exist",
    );
  });
});

Deno.test("comments and fences hide just what they hold", () => {
  const text = [
    "a <!-- b --> c",
    "```",
    "<!-- in code",
    "```",
    "<!--",
    "# d",
    "--> e",
    "~~~ x",
    "# f",
    "~~~",
    "g",
  ].join("\n");
  assert.deepEqual(linesOf(text).map(({ text, isCode }) => `${isCode ? "|" : ""}${text}`), [
    "a  c",
    "|```",
    "|<!-- in code",
    "|```",
    " e",
    "|~~~ x",
    "|# f",
    "|~~~",
    "g",
  ]);
});

Deno.test("lines that are very long, and very many, are read through once", () => {
  const long = 300_000;
  const hostile = ["{", "# ", "**", "** ", "| ", "`", " `a`", "- ", "<!--", "-->", " ", "[", "—"];
  for (const piece of hostile) {
    const line = piece.repeat(long / piece.length);
    const text =
      `## dev\n### [2026-01-01] ${line}\n## 2026-01-01 ${line}\n${line}\n- ${line} x\n**a** : ${line}\n| ${line}`;
    const lines = linesOf(text);
    tablesIn(lines);
    pointsIn(lines);
    labelsIn(lines);
    parseLearnings(text, "dev", ["dev"]);
    parseMuseum(text);
    assert.ok(readDecisions(text).decisions.length <= 4);
  }
});
