/** Is a pack worth reading: grouped by document, with what holds for every story, and smaller than the documents? */
import assert from "node:assert/strict";
import { judge, LABELLED_PROJECTS } from "../../../../bench/context_sets.ts";
import { tokensIn } from "../../../../src/base/tokens.ts";
import { packOf } from "../../../support/context_pack.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

Deno.test("stories of small projects get little else [work:context]", async () => {
  for (const project of LABELLED_PROJECTS) {
    await withTree(project.files, async (root) => {
      const judged = [];
      for (const story of project.stories) {
        const { pack } = await packOf(root, story);
        judged.push(judge(project, story, pack.taken.map(({ piece }) => piece)));
      }
      const recall = mean(judged.map((one) => one.recall));
      const precision = mean(judged.map((one) => one.precision));
      assert.ok(recall >= 0.95 && precision >= 0.53, `${project.name}: ${recall} and ${precision}`);
    });
  }
});

treeTest(
  "a pack names each document and each section once [work:context-size]",
  LABELLED_PROJECTS[0]!.files,
  async (root) => {
    for (const story of LABELLED_PROJECTS[0]!.stories) {
      const { text } = await packOf(root, story);
      const [taken, left] = text.split("\n## Left out\n");
      for (const part of [taken!, left!]) {
        const paths = part.match(/out\/plan\/[\w-]+\.md/g)!;
        assert.equal(paths.length, new Set(paths).size, `${story}: ${paths.join(", ")}`);
      }
      assert.equal(taken!.match(/Non-functional requirements$/gm)!.length, 1, text);
      const named = [...left!.matchAll(/^- (\S+):.*nearest: (.*)$/gm)].flatMap(([, path, sections]) =>
        sections!.split(/, (?=L\d)/).map((one) => `${path} ${one}`)
      );
      assert.equal(named.length, new Set(named).size, named.join("\n"));
    }
  },
);

Deno.test("a pack is no larger than its documents [work:context-size]", async () => {
  for (const project of LABELLED_PROJECTS) {
    const documents = Object.entries(project.files).filter(([path]) =>
      /\.md$/.test(path) && !/impl|\/stories\//.test(path)
    );
    const size = documents.reduce((sum, [, text]) => sum + tokensIn(text), 0);
    await withTree(project.files, async (root) => {
      for (const story of project.stories) {
        for (const budget of [300, 8_000, 100_000]) {
          const { text } = await packOf(root, story, budget);
          assert.ok(tokensIn(text) <= size, `${story}: ${tokensIn(text)} of ${size}\n${text}`);
        }
      }
    });
  }
  await withTree({
    "out/impl/sprint-status.yaml": "development_status:\n  1-1-log-in: backlog\n",
    "out/plan/prd.md":
      `# PRD\n\n## Log in\n\nMembers log in.\n\n## Log in again\n\nThey log in again.\n\n## Paint\n\n${
        "All boats are blue. ".repeat(7)
      }\n`,
  }, async (root) => {
    const { text } = await packOf(root, "1-1");
    assert.match(text, /\n\nRead these documents whole: [^\n]+\n\n- out\/plan\/prd\.md: about \d+ tokens$/);
  });
});

const GENERAL: readonly (readonly [path: string, chapter: string])[] = [
  ["out/plan/prd.md", "## Non-Functional Requirements\n\n- NFR1: WANTED\n- NFR2: WANTED\n- NFR3: WANTED"],
  ["out/plan/prd.md", "## Qualities\n\n- nfr-07: WANTED\n- nfr-08: WANTED\n- nfr-09: WANTED"],
  ["out/plan/prd.md", "## 4. NFRs\n\n### Speed\n\nWANTED\n\n### Safety\n\nWANTED"],
  ["out/plan/prd.md", "## Quality attributes\n\n| QA-1 | WANTED |\n| QA-2 | WANTED |\n| QA-3 | WANTED |"],
  ["docs/prd/non-functional.md", "## Performance\n\nWANTED"],
  ["out/plan/prd.md", "## Exigences non fonctionnelles\n\nWANTED"],
  ["out/plan/prd.md", "## Randbedingungen\n\nWANTED"],
  ["out/plan/architecture.md", "## Technical Constraints\n\n- C1: WANTED\n- C2: WANTED"],
  ["out/plan/architecture.md", "## Naming conventions\n\nWANTED"],
  ["out/plan/tech-spec.md", "## Constraints\n\nWANTED"],
];

Deno.test("what holds for every story comes first [work:context-general]", async () => {
  const login = Array.from({ length: 30 }, (_, at) => `## Log in ${at}\n\nMembers log in by a form.\n`);
  for (const [path, chapter] of GENERAL) {
    const title = path.includes("non-functional") ? "Non functional" : "Boats";
    await withTree({
      "out/impl/sprint-status.yaml": "development_status:\n  1-1-log-in: backlog\n",
      [path]: `# ${title}\n\n${
        chapter.replaceAll("WANTED", "Sails dry within a day.")
      }\n\n## Paint\n\nBlue.\n`,
      "docs/architecture.md": `# More\n\n${login.join("\n")}`,
    }, async (root) => {
      for (const budget of [200, 8_000]) {
        const { pack } = await packOf(root, "1-1", budget);
        const text = pack.taken.map(({ piece }) => piece.text).join("\n");
        assert.equal(
          text.match(/Sails dry within a day/g)?.length,
          chapter.match(/WANTED/g)!.length,
          `${chapter}\n${text}`,
        );
        assert.ok(pack.tokens <= budget && (title !== "Boats" || !/Blue/.test(text)), text);
      }
    });
  }
});

treeTest("what holds for every story takes at most half of the budget [work:context-general]", {
  "out/impl/sprint-status.yaml": "development_status:\n  1-1-log-in: backlog\n",
  "out/plan/prd.md": `# PRD\n\n## Log in\n\nMembers log in by a form.\n\n## NFRs\n\n${
    Array.from({ length: 100 }, (_, at) => `- NFR${at}: Sails dry within ${at} days.`).join("\n")
  }\n`,
  // Functional ones below a heading about both are chosen like all others.
  "docs/prd.md": "# PRD\n\n## Functional and non-functional requirements\n\n- FR1: Boats\n- FR2: Oars\n" +
    "- FR3: Ropes\n- NFR900: Quiet\n",
}, async (root) => {
  const { pack, text } = await packOf(root, "1-1", 600);
  const general = pack.taken.filter(({ why }) => why === "general");
  assert.ok(
    general.length > 10 && mean(general.map(({ piece }) => piece.tokens)) * general.length <= 300,
  );
  assert.match(text, /Members log in by a form/);
  assert.ok(!/FR1: Boats/.test(text), text);
});

Deno.test("another spec has its own constraints [work:context-general]", () => {
  const spec = (name: string) => ({
    [`out/specs/${name}/SPEC.md`]: `# ${name}\n\n## Constraints\n\nThe hull of ${name} stays dry.\n\n` +
      `## Paint\n\n${"Blue and white. ".repeat(60)}\n`,
    [`out/specs/${name}/stories.yaml`]: '- id: "1"\n  title: Log in\n',
  });
  return withTree({ ...spec("spec-boats"), ...spec("spec-oars") }, async (root) => {
    const { text } = await packOf(root, "spec-oars/1");
    assert.match(text, /The hull of spec-oars stays dry/);
    assert.ok(!text.includes("spec-boats"), text);
  });
});
