/**
 * Do the parts of a skill that the user names come along, and no others?
 */
import assert from "node:assert/strict";
import { executeEntry, openLibrary, resolveEntry } from "../../../../src/content/library/mod.ts";
import { choicesOf } from "../../../../src/content/library/delivery/choices.ts";
import type { ExecuteRequest } from "../../../../src/content/library/delivery/execute.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { withTree, writeTree } from "../../../support/trees.ts";

const SKILL = "core/bmad-look";

const FILES = {
  "core/module.yaml": "code: core\n",
  [`${SKILL}/SKILL.md`]: "---\nname: bmad-look\ndescription: Looks.\n---\n# Look\n\n" +
    "- **status** — where are we: load `references/status.md`\n" +
    "- **fix** — repair it; do not load anything\n" +
    "- **If V:** Load `{skill-root}/steps/check.md`\n" +
    "- **See also** `references/status.md`\n" +
    "1. **First of all** load `references/common.md`\n\n" +
    "| Intent | Load |\n| --- | --- |\n| Draft / Sketch | `references/draft.md` |\n| 2 | `references/common.md` |\n\n" +
    "Load its frame — Guide → `references/mode-guide.md`, Free Partner → `references/mode-partner.md`.\n",
  [`${SKILL}/customize.toml`]:
    '[[workflow.lenses]]\ncode = "far-sight"\nname = "Far"\ninstruction = "Load `references/far.md` and follow it."\n' +
    '[[workflow.lenses]]\ncode = "long-way-off"\nname = "Off"\ninstruction = "Load `references/long.md`."\n' +
    '[[workflow.lenses]]\ncode = "near"\nname = "Near"\ninstruction = "Load `references/near.md` and follow it."\n' +
    '[[workflow.lenses]]\ncode = "own"\nname = "Own"\ninstruction = "Look at `docs/x.md`."\n',
  [`${SKILL}/references/status.md`]: "Status.\n",
  [`${SKILL}/references/draft.md`]: "Draft.\n",
  [`${SKILL}/references/long.md`]: "Long.\n",
  [`${SKILL}/references/far.md`]: "Far. Load `references/common.md` first, then see `references/near.md`.\n",
  [`${SKILL}/references/near.md`]: "Near. Load `common.md`.\n",
  [`${SKILL}/references/common.md`]: "Common. Load `references/far.md`.\n",
  [`${SKILL}/references/mode-guide.md`]: "Guide.\n",
  [`${SKILL}/references/mode-partner.md`]: "Partner.\n",
  [`${SKILL}/steps/check.md`]: "Check.\n",
};

/** What comes along for each request. */
const CASES: readonly (readonly [request: ExecuteRequest, files: readonly string[]])[] = [
  [{ message: "lenses=near" }, ["near", "common", "far"]],
  [{ message: "Look at it with the near lens" }, ["near", "common", "far"]],
  [{ message: "Look near the house" }, []],
  [{ message: "Look with far sight" }, ["far", "common"]],
  [{ message: "own lens" }, []],
  [{ message: "lenses=far-sight on near.md and docs/near/x.txt" }, ["far", "common"]],
  [{ message: "lenses=long-way" }, ["long"]],
  [{ message: "it is a long way" }, ["long"]],
  [{ message: "lenses=nearly" }, []],
  [{ params: { lenses: ["near"] } }, ["near", "common", "far"]],
  [{ message: "Status of epic 2" }, ["status"]],
  [{ message: "What is the status?" }, []],
  [{ message: "intent: status" }, ["status"]],
  [{ message: "fix it" }, []],
  [{ message: "v" }, ["check"]],
  [{ message: "V for vendetta" }, []],
  [{ message: "sketch a chair" }, ["draft"]],
  [{ message: "2" }, []],
  [{ message: "first of all" }, []],
  [{ message: "in guide mode" }, ["mode-guide"]],
  [{ message: "be my free partner" }, ["mode-partner"]],
  [{ message: "" }, []],
];

const chosenIn = (text: string) =>
  Array.from(
    text.matchAll(/^=== chosen: bmad:\/\/core\/bmad-look\/\w+\/(\S+)\.md ===$/gm),
    ([, name]) => name!,
  );

Deno.test(
  verifies("tool:execute-chosen", "what the user names comes along with what it loads, and nothing else"),
  () =>
    withTree(FILES, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const entry = resolveEntry(library, { name: "bmad-look" });
      for (const [request, files] of CASES) {
        const text = await executeEntry(library, entry, request);
        assert.deepEqual(chosenIn(text), files, JSON.stringify(request));
        assert.equal(
          /^chosen: .* \(files follow the text: load none of them again\)$/m.test(text),
          files.length > 0,
        );
      }
      const named = await executeEntry(library, entry, { message: "near lens, status intent" });
      assert.match(named, /^chosen: near, status \(files follow the text: .*\)$/m);
      // What is below is not to be loaded again.
      const instructions = Array.from(named.matchAll(/^ +instruction: (.*)$/gm), ([, one]) => one!);
      const [far, long, near, own] = instructions;
      assert.match(near!, /references\/near\.md` and follow it\. \(You have it below; only a sub-agent /);
      assert.match(far!, /references\/far\.md` and follow it\. \(You have it below; /);
      for (const other of [long, own]) assert.doesNotMatch(other!, /You have it below/);
      const unknown = await executeEntry(library, entry, { message: "lenses=near,foo epic=2" });
      assert.match(unknown, /^chosen: near .*\nunknown: foo \(there are far-sight, long-way-off, near\)$/m);
      // The text comes first, unchanged.
      const [, , plain = ""] = FILES[`${SKILL}/SKILL.md`].split("---\n");
      assert.ok(named.indexOf(plain) > 0 && named.indexOf(plain) < named.indexOf("=== chosen: "));
      assert.doesNotMatch(await executeEntry(library, entry, { message: "near lens", raw: true }), /chosen/);
      // A changed file is read again.
      await writeTree(dir, { [`${SKILL}/references/near.md`]: "Nearer.\n" });
      const later = await openLibrary([opening("project", 1, dir)]);
      const text = await executeEntry(later, resolveEntry(later, { name: "bmad-look" }), {
        message: "near lens",
      });
      assert.match(text, /^Nearer\.$/m);
    }),
);

Deno.test("hostile texts offer a limited number of choices, and no file without end", () =>
  withTree({
    "core/module.yaml": "code: core\n",
    "core/bmad-look/SKILL.md": `---\nname: bmad-look\ndescription: Looks.\n---\n${
      ["- **" + "a".repeat(50_000), "|".repeat(50_000), "A ".repeat(50_000) + "→ `a.md`"].join("\n")
    }\n${"- **a** load `a.md`\n".repeat(20_000)}`,
    "core/bmad-look/a.md": "Load `a.md`.\n".repeat(20_000),
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const entry = resolveEntry(library, { name: "bmad-look" });
    assert.ok(choicesOf(library, entry).length <= 200);
    const plain = await executeEntry(library, entry, {});
    for (const message of ["a ".repeat(100_000), `lenses=${"b,".repeat(50_000)}`, "a"]) {
      const executed = await executeEntry(library, entry, { message });
      // The chosen file is longer than any real one, and the user's words are repeated in part.
      assert.ok(executed.length < plain.length + 10_000, `${executed.length - plain.length}`);
    }
  }));
