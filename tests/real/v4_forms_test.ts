/** Do the commands of v4 lead to what they name, and does a task arrive with its template or checklist? */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import { qualifiedName } from "../../src/base/model.ts";
import { executeEntry, openLibrary, resolveEntry } from "../../src/content/library/mod.ts";
import { installation } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { runHere } from "../support/program.ts";

const V4 = { version: "4.44.3", tools: "claude-code" } as const;
const openV4 = async () => await openLibrary([opening("project", 1, await installation(V4))]);

Deno.test("a command of v4 names a template, a checklist or a task [names:v4-forms]", async () => {
  const library = await openV4();
  const table: Readonly<Record<string, string>> = {
    "*create-doc prd-tmpl": "template prd-tmpl",
    "*create-doc prd-tmpl.yaml": "template prd-tmpl",
    "create-doc prd": "template prd-tmpl",
    "*create-doc .bmad-core/templates/story-tmpl.yaml": "template story-tmpl",
    "*execute-checklist architect-checklist": "checklist architect-checklist",
    "*execute-checklist pm": "checklist pm-checklist",
    "*checklist po-master": "checklist po-master-checklist",
    "*task shard-doc": "task shard-doc",
    "task  create-next-story.md": "task create-next-story",
    "*kb-mode": "task kb-mode-interaction",
    "*kb": "task kb-mode-interaction",
    "*agent pm": "agent pm",
    "*workflow greenfield-ui": "workflow greenfield-ui",
    "*create-doc": "task create-doc",
    "*shard-doc": "task shard-doc",
  };
  for (const [name, meant] of Object.entries(table)) {
    for (const kind of [undefined, "task"] as const) {
      if (kind !== undefined && !/^\*(create-doc|task) ./.test(name)) continue;
      const entry = resolveEntry(library, { name, kind });
      assert.equal(`${entry.kind} ${entry.id}`, meant, name);
    }
  }
  assert.throws(
    () => resolveEntry(library, { name: "*create-doc prdd" }),
    (error) => {
      assert.ok(error instanceof BmadError && error.failure.code === "not-found");
      assert.ok(error.failure.suggestions?.includes("bmad-core/prd-tmpl"), String(error.failure.suggestions));
      return true;
    },
  );
});

Deno.test("a template or checklist comes after its task [tool:execute-v4]", async () => {
  const library = await openV4();
  const table = [
    [{ name: "*create-doc prd-tmpl" }, {}, ["task", "create-doc.md"], ["template", "prd-tmpl.yaml"]],
    [{ name: "*execute-checklist pm" }, {}, ["task", "execute-checklist.md"], [
      "checklist",
      "pm-checklist.md",
    ]],
    [{ name: "pm" }, { item: "create-prd" }, ["task", "create-doc.md"], ["template", "prd-tmpl.yaml"]],
    [{ name: "sm" }, { item: "*story-checklist" }, ["task", "execute-checklist.md"], [
      "checklist",
      "story-draft-checklist.md",
    ]],
    [{ name: "bmad-master" }, { item: "create-doc architecture" }, ["task", "create-doc.md"], [
      "template",
      "architecture-tmpl.yaml",
    ]],
    [{ name: "pm" }, { item: "*execute-checklist change" }, ["task", "execute-checklist.md"], [
      "checklist",
      "change-checklist.md",
    ]],
    [{ name: "dev" }, { item: "*task shard-doc" }, ["task", "shard-doc.md"]],
    [{ name: "bmad-orchestrator" }, { item: "*kb-mode" }, ["task", "kb-mode-interaction.md"]],
    [{ name: "create-doc" }, { params: { template: "prd-tmpl.yaml" } }, ["template", "prd-tmpl.yaml"]],
    [{ name: "create-doc" }, { message: "Use the prd-tmpl, please" }, ["template", "prd-tmpl.yaml"]],
  ] as const;
  const dir = await installation(V4);
  for (const [query, request, ...parts] of table) {
    const entry = resolveEntry(library, query);
    const text = await executeEntry(library, entry, request);
    let from = 0;
    for (const [kind, file] of parts) {
      const head = `=== ${kind}: bmad://bmad-core/${kind}s/${file} ===\n`;
      const at = text.indexOf(head, from);
      assert.ok(
        at > 0,
        `${JSON.stringify([query, request])}: ${head} after ${from} in ${text.slice(0, 400)}`,
      );
      from = at + head.length;
      const own = (await Deno.readTextFile(`${dir}/.bmad-core/${kind}s/${file}`)).trimEnd();
      assert.equal(text.slice(from, from + own.length), own, file);
    }
    const own = (await Deno.readTextFile(`${dir}/${entry.file}`)).trimEnd();
    assert.equal(text.split(own).length, 2, `${qualifiedName(entry)} itself comes once`);
  }
  const plain = await executeEntry(library, resolveEntry(library, { name: "pm" }), { message: "prd-tmpl" });
  assert.ok(!plain.includes("=== "), "a message to an agent brings nothing along");
  await assert.rejects(
    executeEntry(library, resolveEntry(library, { name: "pm" }), { item: "*create-doc nothing" }),
    { name: "BmadError" },
  );
});

Deno.test("the words `create story` mean the task of v4 [tool:command-string]", async () => {
  const { stdout, stderr } = await runHere(["create", "story"], { cwd: await installation(V4) });
  assert.match(stdout, /^---\ntask: bmad-core\/create-next-story\n/, stderr);
});

Deno.test("the commands of v4 work in one string [tool:command-string]", async () => {
  const args = ["call", "bmad", '{"command":"*create-doc prd-tmpl"}'];
  const { stdout, stderr } = await runHere(args, { cwd: await installation(V4) });
  assert.match(stdout, /^---\ntemplate: bmad-core\/prd-tmpl\ntask: bmad-core\/create-doc\n/, stderr);
});
