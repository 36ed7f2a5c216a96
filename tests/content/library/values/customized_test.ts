/**
 * Does `show` tell what is in force, and mark what a team or a user has changed, value by value?
 */
import assert from "node:assert/strict";
import { readEntry, resolveEntry } from "../../../../src/content/library/mod.ts";
import { openShop } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";

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
