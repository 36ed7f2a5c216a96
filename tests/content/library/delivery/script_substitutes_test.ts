/**
 * Is a model told what to do where a skill calls a script?
 *
 * Only about scripts that the skill's files really call and that BMAD provides, in few words, with details in
 * `bmad://scripts`.
 */
import assert from "node:assert/strict";
import {
  executeEntry,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { scriptsIn, substituteFor } from "../../../../src/content/library/delivery/script_substitutes.ts";
import { asValues, parseYaml } from "../../../../src/content/parse.ts";
import { opening } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

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

Deno.test(
  verifies(
    "work:activation",
    "an activation names the native call for the scripts of its text, with their arguments",
  ),
  () => {
    const call = "uv run {project-root}/_bmad/scripts/memlog.py";
    const text = "---\nname: bmad-log\ndescription: Logs.\n---\n" +
      `Run \`${call} init --workspace {w} --fresh --field a=b\` or \`${call} init --workspace {w}\`, later \`${call} append\` as in\n` +
      `\`\`\`sh\n${call} append \\\n  --workspace {w} --type <a|b> \\\n  --text "…"\n\`\`\`\n` +
      `or \`${call} set --workspace {w} ${
        "--long x ".repeat(60)
      }\`, and \`{project-root}/_bmad/scripts/own.py --x\`. ` +
      "First `uv run {project-root}/_bmad/scripts/resolve_config.py --project-root {project-root}`.\n";
    return withTree({ "core/module.yaml": "code: core\n", "core/bmad-log/SKILL.md": text }, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
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
    });
  },
);

Deno.test(
  verifies("calls:printed", "listed lines begin with init, and have the values that only their skill knows"),
  () => {
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
    return withTree(files, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
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
  },
);

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

Deno.test(
  verifies(
    "tool:execute-file-note",
    "an executed answer says which scripts are done, and what replaces each of the others",
  ),
  () =>
    withTree(FILES, async (dir) => {
      const library = await openLibrary([opening("cli", 2, dir)]);
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
    }),
);

Deno.test("all scripts that are called are one resource, each with its substitute and its source", () =>
  withTree({ ...FILES, "scripts/resolve_config.py": "", "scripts/memlog.py": "" }, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
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
