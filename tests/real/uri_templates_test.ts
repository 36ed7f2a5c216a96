/** Do the URI templates mean the same in every generation of BMAD? */
import assert from "node:assert/strict";
import { type Library, openLibrary, readResource, resolveEntry } from "../../src/content/library/mod.ts";
import { listFillings, URI_TEMPLATES } from "../../src/content/library/uris/uri_templates.ts";
import { installation, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { fillTemplate } from "../support/templates.ts";

const EVERY = URI_TEMPLATES.map(({ name }) => name);

const OF_SKILLS = ["skill-file"];

/** What v4 has not: its workflows have no folder of their own, and an agent's customization is in its file. */
const NOT_IN_V4 = [...OF_SKILLS, "workflow-template", "agent-customize", "customize"];

const without = (...names: readonly string[]) => EVERY.filter((name) => !names.includes(name));

const TREES: Readonly<Record<string, readonly [open: () => Promise<string>, has: readonly string[]]>> = {
  "4.44.3": [() => installation("4.44.3"), without(...NOT_IN_V4)],
  "4.44.3 with packs": [
    () => installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" }),
    without(...NOT_IN_V4),
  ],
  "sources of 6.0.0-alpha.7": [() => sourceTree("bmad-method@6.0.0-alpha.7"), without(...OF_SKILLS)],
  "6.0.4": [() => installation("6.0.4"), without(...OF_SKILLS)],
  "6.1.0": [() => installation("6.1.0"), EVERY],
  "6.2.0": [() => installation("6.2.0"), EVERY],
  "6.12.0": [() => installation("6.12.0"), EVERY],
};

async function textAt(library: Library, uri: string): Promise<string> {
  const { text, bytes } = await readResource(library, uri);
  return text ?? bytes!.toBase64();
}

for (const [name, [open, has]] of Object.entries(TREES)) {
  Deno.test(`${name}: every way to fill a template opens [resources:templates]`, async () => {
    const dir = await open();
    const library = await openLibrary([opening("cli", 2, dir)], { project: dir });
    const filled = URI_TEMPLATES.filter(({ uriTemplate }) => listFillings(library, uriTemplate).length > 0);
    assert.deepEqual(filled.map((template) => template.name), has);
    for (const { uriTemplate } of URI_TEMPLATES) {
      for (const { values, uri } of listFillings(library, uriTemplate)) {
        const asked = fillTemplate(uriTemplate, values);
        assert.equal(await textAt(library, asked), await textAt(library, uri), asked);
      }
    }
  });

  Deno.test(`${name}: one URI is Mary, by any of her names [resources:templates]`, async () => {
    const dir = await open();
    const library = await openLibrary([opening("cli", 2, dir)], { project: dir });
    const mary = resolveEntry(library, { name: "analyst", kind: "agent" });
    const source = await textAt(library, `bmad://${mary.module}/agents/analyst.md`);
    assert.match(source, /Mary/);
    for (const called of ["Mary", "ANALYST", "bmad-agent-analyst"]) {
      assert.equal(await textAt(library, `bmad://${mary.module}/agents/${called}.md`), source, called);
    }
    assert.equal(await textAt(library, `{project-root}/_bmad/${mary.module}/agents/Mary.md`), source);
    const lines = source.split("\n");
    const excerpt = await textAt(library, `bmad://${mary.module}/agents/Mary.md#lines=2-3`);
    assert.equal(excerpt, lines.slice(1, 3).join("\n"));
    await assert.rejects(
      readResource(library, `bmad://${mary.module}/agents/nobody.md`),
      /^BmadError: No resource named/,
    );
  });
}

Deno.test("a template is filled with the effective entries of every generation", async () => {
  const older = await installation("6.0.4");
  const newer = await installation("6.12.0");
  const library = await openLibrary([opening("project", 1, older), opening("cli", 2, newer)]);
  const uriOf = async (reference: string) => (await readResource(library, reference)).uri;
  assert.equal(await uriOf("bmad://bmm/agents/analyst.md"), "bmad://bmm/agents/analyst.md");
  assert.equal(
    await uriOf("bmad://bmm/workflows/dev-story/instructions.md"),
    "bmad://bmm/workflows/4-implementation/dev-story/instructions.xml",
  );
  // Only the newer one has it.
  assert.equal(
    await uriOf("bmad://bmm/workflows/walkthrough/workflow.yaml"),
    "bmad://bmm/bmad-walkthrough/SKILL.md",
  );
  assert.equal(
    await uriOf("bmad://bmm/workflows/prfaq/template.md"),
    "bmad://bmm/bmad-prfaq/assets/prfaq-template.md",
  );
  assert.equal(
    await uriOf("bmad://_cfg/agents/bmm-analyst.customize.yaml"),
    "bmad://_config/agents/bmm-analyst.customize.yaml",
  );
});
