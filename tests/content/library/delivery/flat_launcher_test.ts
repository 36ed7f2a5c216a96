/** Are the launchers after 6.12 delivered rendered, from tokens and from Jinja? */
import assert from "node:assert/strict";
import {
  diagnose,
  executeEntry,
  type Library,
  listResources,
  openLibrary,
  readResource,
} from "../../../../src/content/library/mod.ts";
import { type FlatForm, flatSource } from "../../../support/flat.ts";
import { type Files, opening, testsOver } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

const FOLDER = ".agents/skills/bmad-build";

function withProject<T>(form: FlatForm, files: Files, work: (library: Library) => Promise<T>): Promise<T> {
  return withTree(
    { ...flatSource(form, ".agents/skills"), ...files },
    async (dir) => await work(await openLibrary([opening("project", 1, dir)], { project: "/home/ann/shop" })),
  );
}

const projectTest = testsOver(withProject);

const start = (library: Library) =>
  executeEntry(library, library.effective.find(({ id }) => id === "bmad-build")!, {});

Deno.test("a workflow is rendered with the project's values [tool:launchers-jinja]", async (t) => {
  await t.step("from Jinja", () =>
    withProject("tickets", {
      "_bmad/custom/bmad-build.toml": '[workflow]\nmode = "quick"\nrules = ["Ask first."]\n',
      [`${FOLDER}/steps/empty.md`]: "{% if workflow.review %}{% else %}x{% endif %}\n",
    }, async (library) => {
      const text = await start(library);
      assert.match(text, /\nhow: Rendering is done: follow this\n/);
      const ship = "bmad://rendered/method/bmad-build/steps/ship.md";
      const rules = "- Small steps.\n- Ask first.";
      assert.ok(text.endsWith(`# Build for shop\nReview in quick mode: ${ship}\n${rules}\n`), text);
      assert.equal((await readResource(library, ship)).text, "Ship quick.\n");
      const empty = "bmad://rendered/method/bmad-build/steps/empty.md";
      assert.equal((await readResource(library, empty)).text, "");
    }));
  await t.step("from tokens", () =>
    withProject("records", {}, async (library) => {
      const text = await start(library);
      assert.match(
        text,
        /# Build for shop\n\ncareful\n\nThen bmad:\/\/rendered\/method\/bmad-build\/steps\/ship\.md\.\n$/,
      );
    }));
});

projectTest("a list reads as BMAD's script writes it", "tickets", {
  [`${FOLDER}/workflow.md`]:
    '{% if workflow.mode not in ("a", "b") %}Rules:\n{% endif %}\n{{ workflow.rules }}\n' +
    "{{ workflow.none }}\n{{ workflow.lenses }}\n",
  [`${FOLDER}/customize.toml`]:
    '[workflow]\nmode = "c"\nrules = ["One\\ntwo", "See {skill-root}/x.md"]\nnone = []\n' +
    '[[workflow.lenses]]\nid = "eye"\nname = "Eye"\ninstruction = "Look."\nwhen = "always"\n',
}, async (library) => {
  const folder = "bmad://rendered/method/bmad-build";
  const text =
    `Rules:\n- One\n  two\n- See ${folder}/x.md\n_None._\n#### Eye (\`eye\`)\n\nRun only when: always\n\nLook.\n`;
  assert.ok((await start(library)).endsWith(`---\n\n${text}`));
});

Deno.test("lines count if their condition holds", async (t) => {
  const workflow =
    '# Build\n[[bmad-if:workflow.mode == "careful"]]\nSlowly.\n  [[bmad-if:workflow.review != true]]\nBlindly.\n' +
    "  [[bmad-else]]\nWith a review.\n  [[bmad-endif]]\n[[bmad-else]]\nQuickly.\n[[bmad-endif]]\nIn {workflow.mode} mode.\n";
  const build = (text: string, mode: string) =>
    withProject("records", {
      [`${FOLDER}/workflow.md`]: text,
      "_bmad/custom/bmad-build.toml": `[workflow]\nmode = "${mode}"\n`,
    }, start);
  await t.step("one way", async () => {
    assert.match(
      await build(workflow, "careful"),
      /# Build\nSlowly\.\nWith a review\.\nIn careful mode\.\n$/,
    );
  });
  await t.step("the other way", async () => {
    assert.match(await build(workflow, "quick"), /# Build\nQuickly\.\nIn quick mode\.\n$/);
  });
  await t.step("mistakes are refused", async () => {
    const mistakes: Readonly<Record<string, RegExp>> = {
      "[[bmad-if:workflow.mode == 1]]\nx\n": /a condition is not closed/,
      "x\n[[bmad-endif]]\n": /line 2: the condition is malformed/,
      "[[bmad-if:workflow.nothing == 1]]\nx\n[[bmad-endif]]\n":
        /line 1: the skill has no single value workflow\.nothing/,
      "[[bmad-if:workflow.mode = 1]]\nx\n[[bmad-endif]]\n": /line 1: the condition is malformed/,
    };
    for (const [text, message] of Object.entries(mistakes)) {
      await assert.rejects(async () => await build(text, "quick"), message);
    }
  });
});

Deno.test("what has no value, and what the skill does not know, refuses the work", async (t) => {
  const refused = async (files: Files, message: RegExp) =>
    await withProject("tickets", files, (library) => assert.rejects(() => start(library), message));
  await t.step("an undefined name", () =>
    refused(
      { [`${FOLDER}/workflow.md`]: "{% if true %}{{ config.nobody }}{% endif %}" },
      /workflow\.md of method\/bmad-build: config\.nobody has no value/,
    ));
  await t.step("a value of another type", () =>
    refused(
      { "_bmad/custom/bmad-build.toml": '[workflow]\nreview = "yes"\n' },
      /workflow\.review of method\/bmad-build: expected a boolean, got a string/,
    ));
  await t.step("a reference to a file that is empty", () =>
    refused(
      { [`${FOLDER}/steps/ship.md`]: "{% if workflow.mode == 1 %}x{% endif %}" },
      /ship\.md, which is empty/,
    ));
  await t.step("an unknown override", () =>
    refused(
      { "_bmad/custom/bmad-build.toml": '[workflow]\nmood = "good"\n' },
      /workflow\.mood of method\/bmad-build: the skill has no such key/,
    ));
  await t.step("a halt", () =>
    refused(
      { [`${FOLDER}/steps/ship.md`]: '{% if workflow.review %}{{ halt("Write a spec first.") }}{% endif %}' },
      /method\/bmad-build halts: Write a spec first\./,
    ));
  await t.step("a missing file", () =>
    refused(
      { [`${FOLDER}/workflow.md`]: '{% if true %}{{ rendered("gone.md") }}{% endif %}' },
      /gone\.md, which is missing/,
    ));
});

projectTest(
  "what cannot be rendered arrives raw, with a note [tool:launchers-bounded]",
  "tickets",
  { [`${FOLDER}/workflow.md`]: "{% for i in range(999999999) %}x{% endfor %}" },
  async (library) => {
    const text = await start(library);
    assert.match(
      text,
      /\nproblem: Invalid workflow\.md of method\/bmad-build: it takes too many steps or produces too much text\. Its templates/,
    );
    assert.match(text, /\nuv run \{project-root\}\/_bmad\/scripts\/render_skill\.py/);
    assert.doesNotMatch(text, /Rendering is done|xxx/);
    const issues = (await diagnose(library)).filter(({ code }) => code === "bad-launcher");
    assert.deepEqual(issues.map(({ level, path }) => [level, path]), [["info", `${FOLDER}/SKILL.md`]]);
    const uris = (await listResources(library)).map(({ uri }) => uri);
    assert.ok(uris.includes("bmad://rendered/method/bmad-build/workflow.md"));
  },
);

projectTest("no secret reaches a template", "tickets", {
  "_bmad/config.toml": '[core]\napi_key = "sk-live-1234567890abcdef1234"\n',
  [`${FOLDER}/workflow.md`]: "{% if true %}Key: {{ config.core.api_key }}{% endif %}\n",
}, async (library) => {
  await assert.rejects(() => start(library), ({ message }: Error) => {
    assert.doesNotMatch(message, /sk-live/);
    return /config\.core\.api_key has no value/.test(message);
  });
});
