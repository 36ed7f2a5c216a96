/** Is a delivery contract written in the kit's form, and never over another one? */
import assert from "node:assert/strict";
import { parseFrontMatter } from "../../../../src/content/parse.ts";
import { kitTest, openKit } from "../../../support/kit.ts";
import { treeTest } from "../../../support/trees.ts";

const REQUEST = {
  from: "team-vision",
  to: "team-build",
  artefacts: [
    { name: "Plan", path: "docs/plan.md", acceptance: "Relu par deux personnes", isRequired: true },
    { name: "Maquettes", path: "docs/maquettes/", isRequired: true },
    { name: "Étude", isRequired: false },
  ],
  questions: [
    { question: "Qui paie | quand ?", criticality: "critical" as const, owner: "Zoé" },
    { question: "Quelle\ncouleur ?", criticality: "minor" as const },
  ],
  decisions: [{ decision: "Go", reason: "Peu de mémoire" }],
  rejected: ["PHP — trop lent"],
  constraints: [],
  risks: ["Délai\n## Faux titre"],
  signedBy: 'Jean "PM"\nstatus: accepted',
};

kitTest("a contract has the kit's parts [runs:delivery]", async (dir, names) => {
  const runs = openKit(dir, names);
  const { text, data } = runs.deliver(REQUEST);
  assert.equal(data["path"], `${names.output}/contracts/team-vision-to-team-build-2026-03-10.md`);
  assert.equal(
    text,
    `Written: ${data["path"]} (pending-acceptance)\nTo settle before acceptance:\n` +
      "- not found: Maquettes (docs/maquettes)\n- critical question: Qui paie | quand ?",
  );
  const written = await Deno.readTextFile(`${dir}/${data["path"]}`);
  const { value, problem } = parseFrontMatter(written);
  assert.equal(problem, undefined);
  assert.deepEqual(value, {
    contract_id: "team-vision-to-team-build-2026-03-10",
    version: "1.0",
    status: "pending-acceptance",
    from_team: "team-vision",
    to_team: "team-build",
    date: "2026-03-10",
    signed_by: 'Jean "PM" status: accepted',
  });
  assert.deepEqual(written.match(/^##? .*/gm), [
    "# Contrat de livraison — team-vision → team-build",
    "## Artefacts livrés",
    "## Questions ouvertes",
    "## Critères de complétion — team-vision",
    "## Décisions clés",
    "## Contexte critique",
    "## Signature",
    "## Acceptation — team-build",
  ]);
  for (
    const line of [
      "- [x] **Plan**\n  - Chemin : `docs/plan.md`\n  - Critère d'acceptation : Relu par deux personnes\n",
      "- [ ] **Maquettes**\n  - Chemin : `docs/maquettes`\n",
      "### Optionnels\n\n- [ ] **Étude**\n",
      "| 1 | Qui paie \\| quand ? | 🔴 Critique | Zoé | ⏳ En attente |\n",
      "| 2 | Quelle couleur ? | 🟢 Mineur | — | ⏳ En attente |\n",
      "| Go | Peu de mémoire | — |\n",
      "- Délai ## Faux titre\n",
    ]
  ) assert.ok(written.includes(line), line);
  const again = runs.deliver({ ...REQUEST, questions: [], artefacts: [REQUEST.artefacts[0]!] });
  assert.equal(
    again.data["path"],
    `${names.output}/contracts/team-vision-to-team-build-2026-03-10-2.md`,
  );
  assert.match(again.text, /\nReady for acceptance$/);
  assert.equal(await Deno.readTextFile(`${dir}/${data["path"]}`), written);
});

const LANGUAGES = {
  "project-context.yaml": "user: {language: Français, document_language: English}",
  "_bmad/core/config.yaml": "document_output_language: English\n",
};

for (const [path, text] of Object.entries(LANGUAGES)) {
  treeTest(
    `a contract is in the language of the project's documents: ${path}`,
    { [path]: text },
    async (dir) => {
      const { data } = openKit(dir).deliver(REQUEST);
      const written = await Deno.readTextFile(`${dir}/${data["path"]}`);
      assert.match(written, /# Delivery contract — team-vision → team-build\n/);
      assert.match(written, /\| 1 \| Qui paie .* \| 🔴 Critical \| Zoé \| ⏳ Waiting \|/);
    },
  );
}

treeTest("a contract needs something to hand over, and takes only so much", {}, (dir) => {
  const { deliver } = openKit(dir);
  assert.throws(() => deliver({ ...REQUEST, artefacts: [] }), {
    message: "Invalid artefacts: expected at least one: no run of this session has outputs",
  });
  assert.throws(() => deliver({ ...REQUEST, risks: Array(51).fill("x") }), {
    message: "Invalid risks: expected at most 50",
  });
  assert.throws(() => deliver({ ...REQUEST, to: "../build" }), {
    message: /^Invalid receiving team: "\.\.\/build" /,
  });
  const artefacts = [{ name: "x", path: "../x", isRequired: true }];
  assert.throws(() => deliver({ ...REQUEST, artefacts }), {
    message: /"\.\.\/x" is outside the project/,
  });
  assert.deepEqual([...Deno.readDirSync(dir)], []);
});
