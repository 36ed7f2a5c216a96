/**
 * Does `show` tell what is in force, and mark what a team or a user has changed, value by value?
 */
import assert from "node:assert/strict";
import {
  executeEntry,
  type Library,
  listLibrary,
  openLibrary,
  readEntry,
  resolveEntry,
  searchLibrary,
} from "../../../../src/content/library/mod.ts";
import { opening, openShop } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree } from "../../../support/trees.ts";

Deno.test(verifies("cli:show-overrides", "every changed value is told with what it was"), async () => {
  const library = await openShop();
  const { data, sheet } = await readEntry(library, resolveEntry(library, { name: "scout" }));
  const rows = sheet.filter(({ label, text }) => label === "customized" || text.endsWith(" (customized)"));
  assert.deepEqual(rows.map(({ label, text }) => `${label} ${text}`), [
    "who 🧭 Rhea, My Scout (customized)",
    "customized agent.title: My Scout (was Scout)",
    "customized agent.icon: 🧭 (was 👣)",
    "customized agent.principles: added Carry water.",
    "customized agent.persistent_facts: added The team walks on Mondays.",
    "customized agent.limits.distance: 20 (was 10)",
    "customized agent.limits.height: 800",
    "customized agent.menu.DM: Draw the team's map (was Draw a map)",
    "customized agent.menu.TW: Plan the team's walk",
    "menu DM Draw the team's map (customized)",
    "menu TW Plan the team's walk (customized)",
  ]);
  const changed = data["customized"] as readonly object[];
  assert.deepEqual(changed[0], { key: "agent.title", value: "My Scout", was: "Scout" });
  assert.deepEqual(changed[5], { key: "agent.limits.height", value: 800 });
});

Deno.test(verifies("cli:show-overrides", "an item that nobody changed has no marks"), async () => {
  const library = await openShop();
  const { data, sheet } = await readEntry(library, resolveEntry(library, { name: "map" }));
  assert.deepEqual(data["customized"], []);
  assert.equal(sheet.some(({ text }) => text.includes("(customized)")), false);
});

Deno.test(verifies("cli:show-files", "every file that customizes an item is named"), async () => {
  const library = await openShop();
  const { data, sheet, text } = await readEntry(library, resolveEntry(library, { name: "scout" }));
  const files = ["_bmad/custom/bmad-agent-scout.toml", "_bmad/custom/bmad-agent-scout.user.toml"];
  assert.deepEqual((data["customizedIn"] as { path: string }[]).map(({ path }) => path), files);
  assert.deepEqual(
    sheet.filter(({ label }) => label === "customized in").map(({ text }) => text),
    files,
  );
  assert.ok(text.includes(`\ncustomized in: ${files.join(", ")}\n`), text);
});

Deno.test(verifies("cli:show-files", "every supporting file is named, with what it is for"), () =>
  withTree({
    "_bmad/bmm/workflows/map/workflow.yaml": 'name: map\ntemplate: "{installed_path}/template.md"\n' +
      'data: "{project-root}/_bmad/bmm/data/rivers.csv"\nstart: "{project-root}/_bmad/bmm/tasks/walk.md"\n',
    "_bmad/bmm/workflows/map/template.md": "# Map\n",
    "_bmad/bmm/workflows/map/instructions.md": "# How\n",
    "_bmad/bmm/workflows/map/checklist.md": "- [ ] North is up\n",
    "_bmad/bmm/workflows/map/steps/step-01-look.md": "# Look\n",
    "_bmad/bmm/data/rivers.csv": "name\nRhine\n",
    "_bmad/bmm/tasks/walk.md": "# Walk\n",
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)], { project: dir });
    const { data, sheet, text } = await readEntry(library, resolveEntry(library, { name: "map" }));
    const named = (key: string) =>
      (data[key] as { path: string; use?: string }[]).map(({ path, use }) => `${use}: ${path.slice(10)}`)
        .sort();
    assert.deepEqual(named("files"), [
      "checklist: workflows/map/checklist.md",
      "instructions: workflows/map/instructions.md",
      "step: workflows/map/steps/step-01-look.md",
      "template: workflows/map/template.md",
      "undefined: workflows/map/workflow.yaml",
    ]);
    // A task is an item by itself.
    assert.deepEqual(named("uses"), ["data: data/rivers.csv"]);
    assert.deepEqual(sheet.filter(({ label }) => label === "uses"), [{
      label: "uses",
      text: "bmad://bmm/data/rivers.csv (data, 11 bytes): _bmad/bmm/data/rivers.csv",
      uri: "bmad://bmm/data/rivers.csv",
    }]);
    assert.ok(text.includes("\nuses: bmad://bmm/data/rivers.csv\n"), text);
  }));

const SKILL = "---\nname: bmad-agent-scout\ndescription: Finds the way\n---\n# Scout\n";
const AGENT = '[agent]\nname = "Rhea"\ntitle = "Scout"\nicon = "S"\nrole = "Looks"\n';

const names = async (library: Library) =>
  (await listLibrary(library, { what: "agents" })).map(({ about }) => about);

Deno.test(
  verifies("names:customized", "an agent has the name that its team or user gave it, in every list"),
  () =>
    withTree({
      "_bmad/bmm/skills/bmad-agent-scout/SKILL.md": SKILL,
      "_bmad/bmm/skills/bmad-agent-scout/customize.toml": AGENT,
      "_bmad/custom/bmad-agent-scout.toml": '[agent]\nname = "Zoe"\ntitle = "Pathfinder"\n',
      "_bmad/custom/bmad-agent-scout.user.toml": '[agent]\nname = "Zora"\n',
    }, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)], { project: dir });
      assert.deepEqual(await names(library), ["Zora, Pathfinder: Finds the way"]);
      // Texts still use the name in its own file.
      for (const name of ["Zora", "zora", "Pathfinder", "scout", "Rhea"]) {
        const entry = resolveEntry(library, { name });
        assert.equal(entry.displayName, "Zora", name);
        assert.match(
          await executeEntry(library, entry, { asked: name }),
          /^---\nagent: bmm\/bmad-agent-scout/,
        );
      }
      assert.equal((await searchLibrary(library, { words: "Zora" }))[0]?.name, "bmm/bmad-agent-scout");
      assert.throws(() => resolveEntry(library, { name: "Zoe" }), /No agent, workflow or skill named "Zoe"/);
      const { data } = await readEntry(library, resolveEntry(library, { name: "Zora", origin: "project" }));
      assert.equal(data["displayName"], "Zora");
    }),
);

Deno.test(
  verifies("names:customized", "only a customization that applies renames an agent"),
  () =>
    withTree({
      "own/_bmad/bmm/skills/bmad-agent-scout/SKILL.md": SKILL,
      "own/_bmad/bmm/skills/bmad-agent-scout/customize.toml": AGENT,
      "own/_bmad/bmm/skills/bmad-agent-cook/SKILL.md": SKILL.replace("scout", "cook"),
      "own/_bmad/bmm/skills/bmad-agent-cook/bmad-skill-manifest.yaml": "type: agent\ndisplayName: Ada\n",
      // Not TOML; for an agent without values; a table that it does not read; for nobody.
      "own/_bmad/custom/bmad-agent-scout.toml": '[agent\nname = "Zoe"\n',
      "own/_bmad/custom/bmad-agent-scout.user.toml": '[workflow]\nname = "Zoe"\n',
      "own/_bmad/custom/bmad-agent-cook.toml": '[agent]\nname = "Zoe"\n',
      "own/_bmad/custom/__proto__.toml": '[agent]\nname = "Zoe"\n',
      "own/_bmad/custom/constructor.toml": '[agent]\nname = "Zoe"\n',
      "below/_bmad/custom/bmad-agent-scout.toml": '[agent]\nname = "Zoe"\n',
    }, async (dir) => {
      const library = await openLibrary([
        opening("project", 1, `${dir}/own`),
        opening("cli", 2, `${dir}/below`),
      ]);
      assert.deepEqual((await names(library)).map((about) => about.split(/[,:]/)[0]).sort(), ["Ada", "Rhea"]);
    }),
);
