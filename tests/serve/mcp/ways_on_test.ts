/**
 * Does an answer that cannot give what was asked for name the way on, for a model and for a person at a shell?
 */
import assert from "node:assert/strict";
import { toolCallsIn } from "../../support/printed_calls.ts";
import { openIn, Reader } from "../../support/printed_reader.ts";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const STATUS_FILE = "_bmad-output/implementation-artifacts/sprint-status.yaml";
const SPRINT =
  "development_status:\n  epic-1: in-progress\n  1-1-sign-in: in-progress\n  1-2-sign-out: backlog\n";

Deno.test(
  verifies("names:near-names", "a name with the wrong module is answered with the module that has it"),
  () =>
    withTree({}, async (dir) => {
      const reader = new Reader(openIn(dir));
      for (
        const args of [
          { skill: "bmm/bmad-review" },
          { skill: "bmad-review", module: "bmm" },
          { workflow: "bmm.bmad-review" },
          { agent: "bmm/bmad-review" },
        ]
      ) {
        const { text } = await reader.call("bmad", args);
        assert.match(text, /Did you mean core\/bmad-review\?$/, JSON.stringify(args));
      }
      const { stderr } = await runHere(["execute", "bmm/bmad-review"], { cwd: dir });
      assert.match(stderr, /Did you mean core\/bmad-review\?$/m);
    }),
);

Deno.test(
  verifies(
    ["calls:printed", "names:near-names"],
    "an unknown story is answered with the call that lists all",
  ),
  () =>
    withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
      const reader = new Reader(openIn(dir));
      for (const operation of ["show", "check", "context", "mark", "release", "claim"]) {
        const args = { operation, by: "ann", status: "review" };
        const { text } = await reader.call("bmad_work", { ...args, story: "1-9" });
        assert.match(text, /^No story named "1-9"\. Did you mean 1-1 or 1-2\? /, operation);
        const far = await reader.call("bmad_work", { ...args, story: "wishes" });
        const [call, ...others] = toolCallsIn(far.text);
        assert.deepEqual(others, []);
        const { text: board } = await reader.call(call!.tool, JSON.parse(call!.json));
        assert.match(board, /1-2/);
        const words = { mark: ["wishes", "review"], claim: ["wishes", "--by", "ann"] }[operation] ??
          ["wishes"];
        if (operation === "show") continue;
        const { stderr } = await runHere([operation, ...words], { cwd: dir });
        assert.match(stderr, /No story named "wishes"\. List all stories with `bmad-mcp board`$/m, operation);
      }
    }),
);

Deno.test(
  verifies("tool:execute-followed", "a path of a skill is opened as an activation spells it"),
  () =>
    withTree({
      "other/_bmad/core/skills/my-review/SKILL.md":
        "---\nname: my-review\ndescription: Reviews\n---\n\nLoad `{skill-root}/references/one.md`.\n",
      "other/_bmad/core/skills/my-review/references/one.md": "One.\n",
      "other/secret.md": "secret",
      "project/README.md": "",
    }, async (dir) => {
      const reader = new Reader(openIn(`${dir}/project`, "--path", `${dir}/other`));
      const { text } = await reader.call("bmad", { skill: "my-review" });
      const [, folder] = /^skill-root: (.*)$/m.exec(text) ?? assert.fail(text);
      for (const uri of [`${folder}/references/one.md`, `file:${folder}/references/one.md`]) {
        assert.equal((await reader.call("bmad", { uri })).text.trim(), "One.", uri);
      }
      for (const uri of [`${dir}/other/secret.md`, `${folder}/../../../../secret.md`]) {
        assert.equal((await reader.call("bmad", { uri })).isError, true, uri);
      }
      for (const uri of ["{skill-root}/references/", "references", "{skill-root}"]) {
        const { text } = await reader.call("bmad", { skill: "my-review", uri });
        assert.match(text, / is a folder\. Open one of its \d files?, such as .*references\/one\.md/, uri);
      }
      const alone = await reader.call("bmad", { uri: "{skill-root}/references/one.md" });
      assert.match(
        alone.text,
        /Name the skill whose text has it, or open bmad:\/\/MODULE\/SKILL\/references\/one\.md$/,
      );
    }),
);

Deno.test(
  verifies("toolsets:remember", "a shell that is asked to remember names the command for it"),
  () =>
    withTree({ "README.md": "" }, async (dir) => {
      const wishes = [
        ["search", "remember", "that we use tabs"],
        ["search", "remember"],
        ["execute", "remember"],
        ["show", "remember"],
        ["list", "memories"],
        ["script", "remember that we use tabs"],
        ["execute", "retiens"],
      ];
      const remember =
        /Project memory: remember with `bmad-mcp memory remember TEXT`, recall with `bmad-mcp memory recall WORDS`/;
      for (const words of wishes) {
        for (const flags of [[], ["--toolsets", "+memory"]]) {
          const { stderr } = await runHere([...flags, ...words], { cwd: dir });
          assert.match(stderr, remember, words.join(" "));
        }
      }
      const { stderr } = await runHere(["--read-only", "search", "remember"], { cwd: dir });
      assert.match(stderr, /Project memory: recall with `bmad-mcp memory recall WORDS`/);
      for (const words of [["search", "review"], ["execute", "nobody"], ["memory", "remember"]]) {
        assert.doesNotMatch((await runHere(words, { cwd: dir })).stderr, /Project memory: /, words.join(" "));
      }
    }),
);

Deno.test(
  verifies("calls:printed", "a refused call names arguments, a refused command flags"),
  () =>
    withTree({ [STATUS_FILE]: SPRINT }, async (dir) => {
      const claim = JSON.stringify({ operation: "claim", story: "1-1", by: "ann" });
      assert.equal((await runHere(["call", "bmad_work", claim], { cwd: dir })).code, 0);
      const mark = { operation: "mark", story: "1-1", status: "review" };
      const asTool = await runHere(["call", "bmad_work", JSON.stringify(mark)], { cwd: dir });
      assert.match(asTool.stderr, /"force":true/);
      assert.doesNotMatch(asTool.stderr, /--force/);
      const { stderr } = await runHere(["mark", "1-1", "review"], { cwd: dir });
      assert.match(stderr, /--force/);
      assert.doesNotMatch(stderr, /"force"/);
    }),
);

Deno.test(
  verifies("calls:printed", "a shell shows a file by any path that a text has, with commands in it"),
  () =>
    withTree({}, async (dir) => {
      const show = async (path: string) => (await runHere(["show", path], { cwd: dir })).stdout;
      const own = await show("bmad://core/bmad-review/customize.toml");
      assert.match(own, /\[workflow\]/);
      for (
        const path of [
          "core/bmad-review/customize.toml",
          "{project-root}/_bmad/core/bmad-review/customize.toml",
        ]
      ) {
        assert.equal(await show(path), own, path);
      }
      // A prompt for a sub-agent has whole commands, as the activation has.
      const step = await show("bmad://rendered/bmm/bmad-build/step-01-clarify-and-route.md");
      const [line] = /bmad-mcp show "[^"]+"/.exec(step) ?? assert.fail(step);
      assert.notEqual(await show(line.split('"')[1]!), "");
      const { stderr } = await runHere(["show", "{skill-root}/customize.toml"], { cwd: dir });
      assert.match(stderr, /or open bmad:\/\/MODULE\/SKILL\/customize\.toml$/m);
    }),
);
