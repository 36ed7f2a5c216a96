/** Do files that a skill's text has its reader load in any case come with it, and no others? */
import assert from "node:assert/strict";
import { followUps } from "../../src/content/library/delivery/follow_ups.ts";
import { installation, type InstallVersion, ofThisRun } from "../support/installs.ts";
import { openIn, Reader } from "../support/printed_reader.ts";
import { withTree } from "../support/trees.ts";

type Loaded = Readonly<Record<string, string>>;

const STEPPED: Loaded = {
  "bmad-code-review": "steps/step-01-gather-context.md",
  "bmad-create-epics-and-stories": "steps/step-01-validate-prerequisites.md templates/epics-template.md",
};

/** What comes along, by version and skill; of 6.12, all skills that have any. */
const LOADED: Readonly<Partial<Record<InstallVersion, Loaded>>> = {
  "6.12.0": {
    ...STEPPED,
    "bmad-architecture": "assets/spine-template.md references/reviewer-gate.md",
    "bmad-build": "step-01-clarify-and-route.md",
    "bmad-build-auto": "step-01-clarify-and-route.md",
    "bmad-prd": "assets/prd-template.md",
    "bmad-product-brief": "assets/brief-template.md",
    "bmad-project-context": "references/best-practices.md references/template.md",
    "bmad-retrospective": "references/evidence-gathering.md references/retro-document.md",
    "bmad-spec": "assets/spec-template.md",
    "bmad-walkthrough": "step-01-orientation.md",
  },
  "6.8.0": {
    ...STEPPED,
    "bmad-create-story": "discover-inputs.md",
    "bmad-quick-dev": "step-01-clarify-and-route.md",
  },
  "6.2.0": { "bmad-create-prd": "workflow.md steps-c/step-01-init.md", "bmad-sprint-status": "workflow.md" },
  "6.0.4": {
    "create-epics-and-stories": "steps/step-01-validate-prerequisites.md",
    "dev-story": "",
  },
};

const filesIn = (text: string) =>
  Array.from(
    text.matchAll(/^=== loaded: bmad:\/\/(?:rendered\/)?[^\s]+?\/([^\s]+) ===$/gm),
    ([, path]) => path!,
  );

for (const [version, skills] of ofThisRun(Object.entries(LOADED), ([version]) => version as InstallVersion)) {
  Deno.test(`skills of ${version} come with what they have their reader load [tool:execute-loaded]`, async () => {
    const app = openIn(await installation(version as InstallVersion), "--pack", "none");
    const reader = new Reader(app);
    const names = version === "6.12.0"
      ? (await app.entries()).filter(({ kind }) => kind === "workflow" || kind === "skill")
      : [];
    for (const name of new Set([...Object.keys(skills), ...names.map(({ id }) => id)])) {
      const text = await reader.read(name, { operation: "execute", skill: name });
      const files = filesIn(text);
      const wanted = (skills[name] ?? "").split(" ").filter(Boolean);
      assert.equal(files.length, wanted.length, `${name}: ${files}`);
      for (const [at, file] of wanted.entries()) assert.ok(files[at]!.endsWith(file), `${name}: ${files}`);
      const counted = /^loaded: (\d+) files?, after the text: do not load again$/m.exec(text)?.[1] ?? "0";
      assert.equal(Number(counted), files.length, name);
    }
  });
}

Deno.test("only sentences without a condition load a file [tool:execute-loaded]", () => {
  const cases: Readonly<Record<string, string>> = {
    "Load `a.md`.": "a.md",
    "3. **Load `a.md` and `b/c.md` before anything else.**": "a.md b/c.md",
    "Read fully and follow: `./step-01.md` to begin.": "./step-01.md",
    "**Pass.** Run the Gate (`gate.md`). Fix what it finds.": "gate.md",
    "Load ../templates/t.md and fill it in.": "../templates/t.md",
    "  <action>Read fully and follow `./d.md` to load all files</action>": "./d.md",
    "<check if='new'>\n  <action>Load `a.md`</action>\n</check>\n<action>Load `b.md`</action>": "b.md",
    "Treat `{workflow.brief_template}` as a start.": "{workflow.brief_template}",
    "Walk `{workflow.validation_checklist_template}`.": "",
    "If headless, Load `a.md`.": "",
    "When the user asks, invoke it. Load `a.md` for how.": "",
    "Load `a.md` if it exists.": "",
    "- **Fix** — repair it: Load `a.md`.": "",
    "Once done, read fully and follow `./step-02.md`.": "",
    "```\nLoad `a.md`.\n```": "",
    "Read fully and follow: `./a.md`\n\nRead fully and follow: `./b.md`": "",
  };
  for (const [text, wanted] of Object.entries(cases)) {
    const { steps, files } = followUps(text);
    assert.equal([...steps, ...files].join(" "), wanted, text);
  }
});

const CUSTOM = "_bmad/custom/bmad-code-review.toml";

Deno.test("what a session has had comes in short until it changes [tool:execute-again]", () =>
  withTree({ [CUSTOM]: "[workflow]\n" }, async (dir) => {
    const reader = new Reader(openIn(dir));
    const call = { operation: "execute", skill: "bmad-code-review", message: "Review 1-2" };
    const ask = async (args: object = {}) => (await reader.call("bmad", { ...call, ...args })).text;
    const first = await ask({ again: true });
    assert.match(first, /^=== loaded: /m, "nothing was served before");
    assert.match(first, /^Files: .*"again":true\.$/m);
    const short = await ask({ again: true, message: "Review 1-3" });
    assert.match(
      short,
      /^---\nworkflow: bmm\/bmad-code-review\n[^]*?user-prompt: "Review 1-3"\n---\n\nUnchanged /,
    );
    assert.match(short, /: its text, its values, step-01-gather-context\.md\./);
    assert.ok(short.length < 700, short);
    assert.equal(await ask(), first, "without again");
    await Deno.writeTextFile(
      `${dir}/${CUSTOM}`,
      '[workflow]\npersistent_facts = ["All tests are in Deno"]\n',
    );
    assert.match(await ask({ again: true }), /All tests are in Deno[^]*\n=== loaded: /);
    assert.doesNotMatch(await ask({ again: true, raw: true }), /Unchanged/);
  }));
