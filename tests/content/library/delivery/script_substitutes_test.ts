/** Is a model told what to do where a skill calls a script? */
import assert from "node:assert/strict";
import {
  executeEntry,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { scriptsIn, substituteFor } from "../../../../src/content/library/delivery/script_substitutes.ts";
import { asValues, parseYaml } from "../../../../src/content/parse.ts";
import { opening, projectTest, sourceTest, withProject, withSource } from "../../../support/library.ts";
import { type TreeFile, writeTree } from "../../../support/trees.ts";
import { findChoices } from "../../../../src/content/library/delivery/choices.ts";
import type { ExecuteRequest } from "../../../../src/content/library/delivery/execute.ts";

Deno.test("a script in a text is found by its path, with its arguments", () => {
  assert.deepEqual(
    scriptsIn(
      "1. Run `uv run {project-root}/_bmad/scripts/memlog.py append --type note`.\n" +
        "2. scripts/count.sh then ./scripts/b-c.mjs\n" +
        "Not: memlog.py, manuscripts.py, scripts/notes.md, src/foo.py",
    ),
    [
      { path: "{project-root}/_bmad/scripts/memlog.py", rest: " append --type note" },
      { path: "scripts/count.sh", rest: " then ./scripts/b-c.mjs" },
      { path: "./scripts/b-c.mjs", rest: "" },
    ],
  );
  const rests: Readonly<Record<string, string>> = {
    'uv run "{project-root}/_bmad/scripts/memlog.py" append --text "x"': ' append --text "x"',
    "uv run '{skill-root}/scripts/a.py' x": " x",
    'scripts = ["scripts/tickets.py"]': "",
    'scripts = ["scripts/a.py", "scripts/b.py"]': "",
    "Run scripts/a.py, which lists them.": "",
    "(see scripts/a.py).": "",
  };
  for (const [text, rest] of Object.entries(rests)) assert.equal(scriptsIn(text)[0]?.rest, rest, text);
  assert.deepEqual(scriptsIn("scripts/a.py x \\\n  --y `z`")[0]?.rest.split(/\s+/), ["", "x", "--y", ""]);
});

Deno.test("an activation names the native calls for its scripts [work:activation]", () => {
  const call = "uv run {project-root}/_bmad/scripts/memlog.py";
  const text = "---\nname: bmad-log\ndescription: Logs.\n---\n" +
    `Run \`${call} init --workspace {w} --fresh --field a=b\` or \`${call} init --workspace {w}\`, later \`${call} append\` as in\n` +
    `\`\`\`sh\n${call} append \\\n  --workspace {w} --type <a|b> \\\n  --text "…"\n\`\`\`\n` +
    `or \`${call} set --workspace {w} ${
      "--long x ".repeat(60)
    }\`, and \`{project-root}/_bmad/scripts/own.py --x\`. ` +
    "First `uv run {project-root}/_bmad/scripts/resolve_config.py --project-root {project-root}`.\n";
  return withProject(
    { "core/module.yaml": "code: core\n", "core/bmad-log/SKILL.md": text },
    async (library) => {
      const entry = await resolveEntry(library, { name: "bmad-log" });
      const isNative = (line: string) => /^(?:memlog|resolve_config)\.py/.test(line);
      const calls = { open: "open URI", start: "start NAME" };
      const native = await executeEntry(library, entry, {
        isNative,
        calls: { ...calls, script: "run LINE" },
      });
      const [, block = ""] = /\nscripts:\n([^]*?)\nif you cannot run a script:\n {2}own\.py: /.exec(native) ??
        [];
      assert.deepEqual(block.split("\n").map((line) => line.trim()), [
        "run: run LINE",
        "lines:",
        "- memlog.py init --workspace {w}",
        '- memlog.py append --workspace {w} --type <a|b> --text "…"',
        `- memlog.py set --workspace {w}${" --long x".repeat(40)} …`,
      ]);
      // Without such a call, the model does the work by hand.
      const plain = await executeEntry(library, entry, { isNative, calls });
      assert.doesNotMatch(plain, /^scripts:/m);
      assert.match(plain, /^ {2}memlog\.py: /m);
    },
  );
});

Deno.test("listed lines begin with init, with their skill's values [calls:printed]", () => {
  const call = "uv run {project-root}/_bmad/scripts/memlog.py";
  const text = "---\nname: bmad-log\ndescription: Logs.\n---\n" +
    `\`${call} append --workspace {workflow.dir}/{x} --by "{workflow.who}" --text "…"\`, ` +
    `\`${call} init --workspace {workflow.dir}/{x}\`, \`uv run {skill-root}/scripts/own.py {workflow.dir}\`.\n`;
  const files = {
    "core/module.yaml": "code: core\n",
    "core/bmad-log/SKILL.md": text,
    "core/bmad-log/scripts/own.py": "print(1)\n",
    "core/bmad-log/customize.toml": '[workflow]\ndir = "{output_folder}/logs"\nwho = "Ann; Bob"\n',
  };
  return withProject(files, async (library) => {
    const entry = await resolveEntry(library, { name: "bmad-log" });
    const calls = { open: "open URI", start: "start NAME", script: "run LINE" };
    const activated = await executeEntry(library, entry, { isNative: () => true, calls });
    assert.deepEqual(Array.from(activated.matchAll(/^ {4}- (.*\.py .*)$/gm), ([, line]) => line), [
      "memlog.py init --workspace {output_folder}/logs/{x}",
      'memlog.py append --workspace {output_folder}/logs/{x} --by "{workflow.who}" --text "…"',
      // The server knows whose script this is.
      "own.py {workflow.dir}",
    ]);
  });
});

Deno.test("an activation names the time only for scripts that take one [calls:dates]", () => {
  const skill = (name: string, script: string) =>
    `---\nname: ${name}\ndescription: X.\n---\nRun \`{skill-root}/scripts/${script} x --date "{date}"\`.\n`;
  const files = {
    "core/module.yaml": "code: core\n",
    "core/bmad-retro/SKILL.md": skill("bmad-retro", "sprint_status.py"),
    "core/bmad-retro/scripts/sprint_status.py": "",
    "core/bmad-recon/SKILL.md": skill("bmad-recon", "recon_kit.py"),
    "core/bmad-recon/scripts/recon_kit.py": "",
  };
  return withProject(files, async (library) => {
    const now = { date: "2026-11-18", time: "11-18-2026 09:05" };
    const executed = async (name: string) =>
      await executeEntry(library, resolveEntry(library, { name }), now);
    assert.match(await executed("bmad-retro"), /^date: '2026-11-18'\ndate for scripts: 11-18-2026 09:05$/m);
    assert.doesNotMatch(await executed("bmad-recon"), /09:05/);
  });
});

Deno.test("values that a skipped step would define are in the header [tool:execute-customization]", () => {
  const files = {
    "bmm/module.yaml":
      "code: bmm\nplans:\n  prompt: Where?\n  default: out/plans\n  result: '{project-root}/{value}'\n",
    "bmm/bmad-look/SKILL.md": "---\nname: bmad-look\ndescription: X.\n---\nLoad config and resolve:\n\n" +
      "- `sprint_status` = `{plans}/sprint-status.yaml`\n- `plans` = `{output_folder}/x`\n",
  };
  return withProject(files, async (library) => {
    const entry = { ...resolveEntry(library, { name: "bmad-look" }) };
    const text = await executeEntry(library, entry, {});
    assert.match(
      text,
      /^variables:\n {2}sprint_status: '\{project-root\}\/out\/plans\/sprint-status\.yaml'$/m,
    );
  });
});

Deno.test("a script has its own substitute, also by its arguments, and an unknown one the general one", () => {
  assert.equal(
    substituteFor("resolve_config.py", " --project-root x --key agents").instead,
    "Read bmad://roster/agents",
  );
  assert.equal(substituteFor("resolve_config.py", " --project-root x").isDone, true);
  assert.match(substituteFor("memlog.py", " append").instead, /\.memlog\.md/);
  assert.match(substituteFor("own.py", "").instead, /do what it says by hand/);
});

const FILES: Readonly<Record<string, TreeFile>> = {
  "core/module.yaml": "code: core\nname: Core\n",
  "core/bmad-count/SKILL.md": "---\nname: bmad-count\ndescription: Counts.\n---\n" +
    "Run {project-root}/_bmad/scripts/resolve_customization.py, then `uv run {skill-root}/scripts/count.py`.\n" +
    "Your own scripts/build.sh is left alone.\n",
  "core/bmad-count/references/log.md": "Log with `uv run {project-root}/_bmad/scripts/memlog.py append`.\n",
  "core/bmad-count/scripts/count.py": "print(1)\n",
  "core/bmad-plain/SKILL.md": "---\nname: bmad-plain\ndescription: Plain.\n---\n" +
    "Run `python3 {project-root}/_bmad/scripts/resolve_config.py --key core`.\n",
  "core/bmad-who/SKILL.md": "---\nname: bmad-who\ndescription: Asks.\n---\n" +
    "Run `python3 {project-root}/_bmad/scripts/resolve_config.py --key agents`.\n",
};

sourceTest(
  "an answer says what replaces each script [tool:execute-file-note]",
  FILES,
  async (library) => {
    const factsIn = async (name: string) => {
      const text = await executeEntry(library, resolveEntry(library, { name }), {});
      const [, skipped, block] = /^Already resolved \(skip the steps that (.*)\):\n([^]*?)\nFiles: /m.exec(
        text,
      )!;
      return { skipped, instead: asValues(parseYaml(block!).value["if you cannot run a script"]) };
    };
    const { skipped, instead } = await factsIn("count");
    assert.equal(skipped, "run resolve_customization.py or load configuration");
    assert.deepEqual(Object.keys(instead), ["count.py", "memlog.py"]);
    assert.match(String(instead["count.py"]), /by hand.*: bmad:\/\/core\/bmad-count\/scripts\/count\.py$/);
    assert.match(String(instead["memlog.py"]), /\.memlog\.md/);
    assert.deepEqual(await factsIn("plain"), {
      skipped: "run resolve_config.py or load configuration",
      instead: {},
    });
    // Nothing that is left to do is called done.
    assert.deepEqual(await factsIn("who"), {
      skipped: "load configuration",
      instead: { "resolve_config.py --key agents": "Read bmad://roster/agents" },
    });
  },
);

Deno.test("all scripts that are called are one resource, each with its substitute and its source", () =>
  withSource({ ...FILES, "scripts/resolve_config.py": "", "scripts/memlog.py": "" }, async (library) => {
    const { mimeType, text } = await readResource(library, "bmad://scripts");
    assert.equal(mimeType, "text/markdown");
    const lines = text!.split("\n").filter((line) => line.startsWith("- "));
    assert.deepEqual(lines.map((line) => /^- (.*?): /.exec(line)?.[1]), [
      "count.py",
      "memlog.py",
      "resolve_config.py --key agents",
      "resolve_config.py",
      "resolve_customization.py",
    ]);
    const sources = lines.map((line) => / Source: (bmad:\/\/\S+)$/.exec(line)?.[1]);
    assert.deepEqual(sources, [
      "bmad://core/bmad-count/scripts/count.py",
      "bmad://scripts/memlog.py",
      "bmad://scripts/resolve_config.py",
      "bmad://scripts/resolve_config.py",
      // Nobody has its file here, but it is BMAD's own by its path.
      undefined,
    ]);
    for (const uri of sources) if (uri !== undefined) await readResource(library, uri);
  }));

const SKILL = "core/bmad-look";

const REVIEW_FILES = {
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

projectTest(
  "what the user names comes along with what it loads [tool:execute-chosen]",
  REVIEW_FILES,
  async (library, dir) => {
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
    const [, , plain = ""] = REVIEW_FILES[`${SKILL}/SKILL.md`].split("---\n");
    assert.ok(named.indexOf(plain) > 0 && named.indexOf(plain) < named.indexOf("=== chosen: "));
    assert.doesNotMatch(await executeEntry(library, entry, { message: "near lens", raw: true }), /chosen/);
    // A changed file is read again.
    await writeTree(dir, { [`${SKILL}/references/near.md`]: "Nearer.\n" });
    const later = await openLibrary([opening("project", 1, dir)]);
    const text = await executeEntry(later, resolveEntry(later, { name: "bmad-look" }), {
      message: "near lens",
    });
    assert.match(text, /^Nearer\.$/m);
  },
);

projectTest("hostile texts offer a limited number of choices, and no file without end", {
  "core/module.yaml": "code: core\n",
  "core/bmad-look/SKILL.md": `---\nname: bmad-look\ndescription: Looks.\n---\n${
    ["- **" + "a".repeat(50_000), "|".repeat(50_000), "A ".repeat(50_000) + "→ `a.md`"].join("\n")
  }\n${"- **a** load `a.md`\n".repeat(20_000)}`,
  "core/bmad-look/a.md": "Load `a.md`.\n".repeat(20_000),
}, async (library) => {
  const entry = resolveEntry(library, { name: "bmad-look" });
  assert.ok(findChoices(library, entry).length <= 200);
  const plain = await executeEntry(library, entry, {});
  for (const message of ["a ".repeat(100_000), `lenses=${"b,".repeat(50_000)}`, "a"]) {
    const executed = await executeEntry(library, entry, { message });
    // The chosen file is longer than any real one, and the user's words are repeated in part.
    assert.ok(executed.length < plain.length + 10_000, `${executed.length - plain.length}`);
  }
});
