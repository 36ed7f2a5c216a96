/**
 * Does `show` tell what is in force, and mark what a team or a user has changed, value by value?
 */
import assert from "node:assert/strict";
import { openLibrary, readEntry, resolveEntry } from "../../../../src/content/library/mod.ts";
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
