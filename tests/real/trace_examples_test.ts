/** Is what BMAD's own texts show as an example traced as they mean it? */
import assert from "node:assert/strict";
import { packageFolder } from "../../bmad-embedded/npm_package.ts";
import { diskTree, findText, walkFiles } from "../../src/content/tree/mod.ts";
import { traceOf } from "../support/traced.ts";
import { withTree } from "../support/trees.ts";

function linesOf(root: string, end: string): readonly string[] {
  const tree = diskTree(root);
  const path = walkFiles(tree, "src", () => false).find((path) => path.endsWith(end));
  return (findText(tree, path ?? "") ?? assert.fail(`no ${end}`)).split("\n");
}

Deno.test("examples in BMAD's own texts are traced as written [trace:graph]", async () => {
  const root = await packageFolder("bmad-method", "6.12.0", { locked: true });
  const listed = linesOf(root, "bmad-create-epics-and-stories/steps/step-01-validate-prerequisites.md")
    .filter((line) => /^N?FR\d+: /.test(line));
  const design = linesOf(root, "bmad-create-epics-and-stories/steps/step-02-design-epics.md");
  const map = design.filter((line) => /^FR\d+: Epic \d+/.test(line));
  const epics = design.filter((line) => /^### Epic \d+: |^\*\*FRs covered:\*\*/.test(line));
  assert.ok(listed.length >= 2 && map.length >= 2 && epics.length >= 4, "the examples are gone");
  const ids = listed.map((line) => line.split(":")[0]!);
  const covering = new Map(ids.map((id) => [id, new Set<string>()]));
  for (const line of map) {
    const [, id, epic] = /^(FR\d+): (Epic \d+)/.exec(line)!;
    covering.get(id!)?.add(epic!.toLowerCase());
  }
  let epic = "";
  for (const line of epics) {
    epic = /^### (Epic \d+)/.exec(line)?.[1]?.toLowerCase() ?? epic;
    for (const [id] of line.matchAll(/FR\d+/g)) covering.get(id)?.add(epic);
  }
  const numbers = [...new Set(epics.flatMap((line) => /^### Epic (\d+)/.exec(line)?.[1] ?? []))];
  const project = {
    "out/plan/epics.md": [
      "# Epics",
      "## Requirements Inventory",
      ...listed,
      "## FR Coverage Map",
      ...map,
      "## Epic List",
      ...epics,
    ].join("\n\n"),
    "out/impl/sprint-status.yaml": `development_status:\n${
      numbers.map((number) => `  epic-${number}: backlog\n  ${number}-1-first: backlog\n`).join("")
    }`,
  };
  await withTree(project, async (dir) => {
    const { requirements, stories } = await traceOf(dir);
    const told = requirements.map(({ id, by }) => [id, [...by].sort()]);
    assert.deepEqual(told, ids.map((id) => [id, [...covering.get(id)!].sort()]));
    for (const { epic, requirements } of stories) {
      const own = ids.filter((id) => covering.get(id)!.has(`epic ${epic}`));
      assert.deepEqual([...requirements].sort(), own, epic);
    }
  });
  // The template is a block of code in its file.
  const file = linesOf(root, "bmad-prd/assets/prd-template.md");
  const start = file.findIndex((line) => line.startsWith("```markdown"));
  const template = file.slice(start + 1, file.indexOf("```", start));
  const headed = template.flatMap((line) => /^#{2,6} FR-(\d+):/.exec(line)?.[1] ?? []);
  await withTree(
    { ...project, "out/plan/epics.md": "# Epics\n", "out/plan/prd.md": template.join("\n") },
    async (dir) => {
      const { requirements } = await traceOf(dir);
      const functional = requirements.filter(({ id }) => id.startsWith("FR")).map(({ id }) => id);
      assert.deepEqual(functional, headed.map((number) => `FR${number}`));
    },
  );
});
