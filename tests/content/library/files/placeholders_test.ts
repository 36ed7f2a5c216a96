/**
 * Do texts that were never installed name the installation folder?
 */
import assert from "node:assert/strict";
import {
  executeEntry,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree } from "../../../support/trees.ts";

const AGENT =
  '<agent name="Rex" title="Scout">\nLoad {project-root}/{bmad_folder}/bmm/config.yaml\n</agent>\n';

Deno.test("an installation with `{bmad_folder}` in its texts is served with its own folder name", () =>
  withTree({
    ".bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.10\nmodules: [bmm]\n",
    ".bmad/_cfg/agent-manifest.csv": "name,title,module,path\nscout,Scout,bmm,bmad/bmm/agents/scout.md\n",
    ".bmad/bmm/agents/scout.md": AGENT,
    ".bmad/bmm/workflows/map/workflow.yaml":
      "name: map\ndescription: x\nconfig_source: '{bmad_folder}/bmm/config.yaml'\n",
    ".bmad/bmm/config.yaml": "user_name: Ada\n",
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const scout = resolveEntry(library, { name: "scout" });
    assert.match(
      await executeEntry(library, scout, {}),
      /^Load \{project-root\}\/\.bmad\/bmm\/config\.yaml$/m,
    );
    assert.equal(await executeEntry(library, scout, { raw: true }), AGENT);
    const uri = "bmad://bmm/workflows/map/workflow.yaml";
    assert.match((await readResource(library, uri)).text!, /'\.bmad\/bmm\/config\.yaml'/);
    assert.match((await readResource(library, uri, { raw: true })).text!, /'\{bmad_folder\}\/bmm/);
  }));

Deno.test("sources get the folder name that an installer would use", () =>
  withTree({
    "src/bmm/module.yaml": "code: bmm\nname: Method\n",
    "src/bmm/workflows/map/workflow.yaml": "name: map\ndescription: '{bmad_folder}/bmm'\n",
    "package.json": "{}",
  }, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
    const { text } = await readResource(library, "bmad://bmm/workflows/map/workflow.yaml");
    assert.equal(text, "name: map\ndescription: '_bmad/bmm'\n");
  }));

Deno.test("sources of v4 get the folder of the core or of their pack", () =>
  withTree({
    "bmad-core/core-config.yaml": "x: 1\n",
    "bmad-core/agents/scout.md": "```yaml\nagent: {name: Rex}\n# {root}/{type}/{name}\n```\n",
    "bmad-core/tasks/walk.md": "# Walk\n{root}/data/kb.md\n",
    "common/tasks/doc.md": "# Doc\n{root}/templates/x\n",
    "expansion-packs/bmad-sea/config.yaml": "name: bmad-sea\nversion: 1.0.0\n",
    "expansion-packs/bmad-sea/agents/diver.md": "```yaml\nagent: {name: Nemo}\n```\n",
    "expansion-packs/bmad-sea/tasks/dive.md": "# Dive\n{root}/data/sea.md\n",
    "package.json": "{}",
  }, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
    const lineOf = async (uri: string) => (await readResource(library, uri)).text!.split("\n")[1];
    assert.equal(await lineOf("bmad://bmad-core/tasks/walk.md"), ".bmad-core/data/kb.md");
    assert.equal(await lineOf("bmad://common/tasks/doc.md"), ".bmad-core/templates/x");
    assert.equal(await lineOf("bmad://bmad-sea/tasks/dive.md"), ".bmad-sea/data/sea.md");
    const scout = await executeEntry(library, resolveEntry(library, { name: "scout" }), {});
    assert.match(scout, /^# \.bmad-core\/\{type\}\/\{name\}$/m);
  }));

Deno.test(
  verifies("resources:chain", "a relative path is resolved from the item that contains it"),
  () =>
    withTree({
      "module.yaml": "code: fw\n",
      "skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Maps\n---\n",
      "skills/bmad-map/references/legend.md": "# Legend\n",
    }, async (dir) => {
      const library = await openLibrary([opening("cli", 2, dir)]);
      const of = resolveEntry(library, { name: "map" });
      assert.equal((await readResource(library, "./references/legend.md", { of })).text, "# Legend\n");
      await assert.rejects(() => readResource(library, "./references/legend.md"), /No resource named/);
    }),
);

Deno.test("variables of a workflow that double each other stay short", () =>
  withTree({
    "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.10\nmodules: [bmm]\n",
    "bmad/bmm/workflows/map/workflow.yaml": "name: map\ndescription: x\nv0: abcdefgh\n" +
      Array.from({ length: 24 }, (_, at) => `v${at + 1}: "{v${at}}{v${at}}"\n`).join(""),
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const text = await executeEntry(library, resolveEntry(library, { name: "map" }), {});
    assert.match(text, /^ {2}v1: abcdefghabcdefgh$/m);
    assert.ok(text.length < 1_000_000, `${text.length} characters`);
  }));
