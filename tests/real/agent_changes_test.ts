/** Does a compiled agent with a customization say the same from us as after BMAD's own installer has recompiled it? */
import assert from "node:assert/strict";
import { parseAgentFile } from "../../src/content/inventory/agent_file.ts";
import { executeEntry, openLibrary, readRaw, resolveEntry } from "../../src/content/library/mod.ts";
import { installation, runInstaller } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { copyTree, withTree } from "../support/trees.ts";

const CHANGES = `
agent:
  metadata:
    name: "Zoe"
    icon: ""
persona:
  role: "Captain & Analyst"
  identity: ""
  principles: "Map first."
critical_actions:
  - "Read {project-root}/notes.md first"
memories:
  - "Prefers tables > prose"
menu:
  - trigger: chart
    action: "#chart"
    description: "[CT] Draw a chart"
  - trigger: plan-it
    workflow: "{project-root}/custom/my.yaml"
    description: Plan it
prompts:
  - id: chart
    content: Draw <one> chart & stop.
`;

Deno.test("a customized agent is what BMAD's installer makes of it [config:agent-changes]", () =>
  withTree({ "home/": "" }, async (dir) => {
    const project = `${dir}/project`;
    await copyTree(await installation("6.0.4"), project);
    await Deno.writeTextFile(`${project}/_bmad/_config/agents/bmm-analyst.customize.yaml`, CHANGES);
    const read = async () => {
      const library = await openLibrary([opening("project", 1, project)]);
      const entry = resolveEntry(library, { name: "Zoe" });
      const executed = await executeEntry(library, entry, {});
      return { raw: await readRaw(library, entry), text: executed.slice(executed.indexOf("\n---\n") + 5) };
    };
    const edited = await read();
    assert.doesNotMatch(edited.raw, /Zoe/);
    const args = ["install", "--directory", project, "--action", "compile-agents", "--yes"];
    const { code, said } = await runInstaller("6.0.4", args, { directory: project, home: `${dir}/home` });
    const compiled = await read();
    assert.match(compiled.raw, /name="Zoe"/, `the installer ended with ${code}: ${said}`);
    assert.deepEqual(parseAgentFile(edited.text), parseAgentFile(compiled.raw));
    for (const part of [/<step n="\d+">/g, /<memory>.*/g, /<prompt id=".*/g, /<handler type="\w+"/g]) {
      assert.deepEqual(
        edited.text.match(part)?.toSorted(),
        compiled.raw.match(part)?.toSorted(),
        String(part),
      );
    }
    // What is compiled in is not applied again.
    assert.ok(compiled.text.includes(compiled.raw.trim()), "the compiled text is delivered as it is");
  }));
