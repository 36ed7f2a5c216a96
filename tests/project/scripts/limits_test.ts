/** Do native scripts stay small and quick, whatever they are given? */
import assert from "node:assert/strict";
import { brain } from "../../../src/project/scripts/brain.ts";
import { commandOf, runScript } from "../../../src/project/scripts/mod.ts";
import { lintSpine, wordMetrics } from "../../../src/project/scripts/document_checks.ts";
import { pickMethods } from "../../../src/project/scripts/catalogue.ts";
import { parseArguments } from "../../../src/project/scripts/options.ts";
import { pathText } from "../../../src/project/scripts/python.ts";
import { reconKit } from "../../../src/project/scripts/recon_kit.ts";
import { runCommand } from "../../../src/project/scripts/run.ts";
import { printed, type Script } from "../../../src/project/scripts/script.ts";
import { sprintPlan } from "../../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../../src/project/scripts/sprint_status.ts";
import { cpuClock } from "../../support/cpu.ts";
import { runNative, worldOf } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const MEGABYTE = 1 << 20;
const WIDE = `${Array.from({ length: 5000 }, (_, at) => `c${at}`).join(",")}\n${"a\n".repeat(5000)}`;
const TALL = `category\n${"a\n".repeat(100_000)}`;

Deno.test("what is too large is refused whole [work:script-limits]", () => {
  const files = {
    "wide.csv": WIDE,
    "tall.csv": TALL,
    "long.md": "x ".repeat(MEGABYTE + 1),
    "marks/ARCHITECTURE-SPINE.md": "TBD ".repeat(10_001),
    "rows/ARCHITECTURE-SPINE.md": `## Stack\n|name|version|\n${"|a||\n".repeat(10_001)}`,
    "same/ARCHITECTURE-SPINE.md": "## AD-1\n".repeat(10_001),
  };
  return withTree(files, async (root) => {
    const cases: readonly (readonly [Script, RegExp, ...string[]])[] = [
      [pickMethods, /more than 100000 cells/, "--file", "wide.csv", "list", "--all"],
      [brain, /more than 100000 cells/, "--file", "wide.csv", "categories"],
      [brain, /more than 100000 cells/, "--file", "tall.csv", "categories"],
      [wordMetrics, /^error: long\.md is longer than 2097152 bytes/, "long.md"],
      [reconKit, /^error: long\.md is longer/, "tally", "long.md"],
      [reconKit, /^error: stdin is longer/, "citations", "-"],
      [reconKit, /longer than 1000 characters/, "slug", "a", "--type", "b".repeat(1001)],
      [lintSpine, /more than 10000 findings/, "--workspace", "marks"],
      [lintSpine, /more than 10000 findings/, "--workspace", "rows"],
      [lintSpine, /more than 10000 findings/, "--workspace", "same"],
    ];
    for (const [script, complaint, ...args] of cases) {
      const stdin = args.includes("-") ? files["long.md"] : "";
      const { status, stdout, stderr } = await runNative(script, root, args, stdin);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, complaint);
    }
  });
});

Deno.test("errors are JSON where the script's are [work:script-limits]", () =>
  withTree({ "long.yaml": "#".repeat(2 * MEGABYTE + 1) }, async (root) => {
    const date = ["--project", "x", "--date", "2026-01-02", "--stories-dir", "."];
    const cases: readonly (readonly [Script, ...string[]])[] = [
      [sprintPlan, "status", "--status-file", "long.yaml"],
      [sprintPlan, "validate", "--status-file", "long.yaml"],
      [sprintPlan, "generate", "--epic-file", "long.yaml", "--status-file", "s.yaml", ...date],
      [sprintStatus, "detect-epic", "--file", "long.yaml"],
      [sprintStatus, "update", "--file", "long.yaml", "--epic", "1", "--set-retro-done"],
    ];
    for (const [script, ...args] of cases) {
      const { status, stdout, stderr } = await runNative(script, root, args);
      assert.deepEqual([status, stderr], [1, ""], args.join(" "));
      const { ok, error } = JSON.parse(stdout);
      assert.equal(ok, false);
      assert.match(error, /^long\.yaml is longer than 2097152 bytes/);
    }
  }));

Deno.test("a script prints at most 4 MB, and says so instead [work:script-limits]", () =>
  withTree({ "m.csv": `method_name,description\nx,${"d".repeat(100_000)}\n` }, async (root) => {
    const talks: Script = {
      name: "talks.py",
      usage: { about: "Talks", args: [{ names: ["sizes"], takes: "some", help: "Of both outputs" }] },
      run: (values) => {
        const [out, err] = values.many("sizes").map(Number);
        return { ...printed("o".repeat(out!)), stderr: "e".repeat(err!) };
      },
    };
    const run = async (...args: string[]) =>
      await runCommand([talks], { path: "talks.py", script: "talks.py", args }, worldOf(root));
    const most = await run(String(4 * MEGABYTE), "65536");
    assert.deepEqual([most.status, most.stdout.length, most.stderr.length], [0, 4 * MEGABYTE, 65_536]);
    const more = await run(String(4 * MEGABYTE + 1), "9");
    assert.deepEqual([more.status, more.stdout], [1, ""]);
    assert.match(more.stderr, /^talks\.py: error: the output is longer than 4194304 characters\n$/);
    const { stdout, stderr } = await run("1", "65537");
    assert.deepEqual([stdout, stderr], ["o", `${"e".repeat(65_536)}…\n`]);
    // Each name is printed as often as it is asked for: this would be more than a string can hold.
    const names = Array.from({ length: 20_000 }, () => "x");
    const often = await runNative(pickMethods, root, ["--file", "m.csv", "show", ...names]);
    assert.deepEqual([often.status, often.stdout], [1, ""]);
    assert.match(often.stderr, /the output is longer/);
  }));

Deno.test("a page that would be too long is not written [work:script-limits]", () => {
  const rows = Array.from({ length: 49_000 }, (_, at) => `c${at},t\n`).join("");
  return withTree({ "m.csv": `category,technique_name\n${rows}` }, async (root) => {
    const { status, stderr } = await runNative(brain, root, [
      "--file",
      "m.csv",
      "html",
      "--out",
      "page.html",
    ]);
    assert.deepEqual([status, stderr], [1, "error: the output is longer than 4194304 characters\n"]);
    await assert.rejects(Deno.stat(`${root}/page.html`), Deno.errors.NotFound);
  });
});

treeTest("the names that every object has are no commands", {}, async (root) => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    const parsed = parseArguments({ about: "x", commands: { list: { about: "y" } } }, [name]);
    assert.equal(parsed.is, "problem", name);
    const { status, stderr } = await runScript(commandOf(["memlog.py", name]), worldOf(root));
    assert.equal(status, 2, stderr);
  }
  const page = { "m.csv": "category,technique_name,description,good_for\na,b,c,constructor\n" };
  await withTree(page, async (root) => {
    await runNative(brain, root, ["--file", "m.csv", "html", "--out", "page.html"]);
    assert.match(await Deno.readTextFile(`${root}/page.html`), /Good for constructor</);
  });
});

Deno.test("a number of more than fifteen digits is not that of an epic", () => {
  const digits = "9".repeat(5000);
  const files = {
    "epics.md": `## Epic ${digits}\n`,
    "stories.md": `## Epic 1\n### Story ${digits}.1: x\n`,
    "s.yaml": `development_status:\n  ? ${digits}-1-x\n  : done\n`,
  };
  return withTree(files, async (root) => {
    const generate = async (epics: string) => {
      const args = ["--status-file", "new.yaml", "--stories-dir", "impl", "--project", "Shop"];
      const { stdout } = await runNative(sprintPlan, root, [
        ...["generate", "--dry-run", "--epic-file", epics, ...args, "--date", "08-01-2026 14:30"],
      ]);
      return JSON.parse(stdout);
    };
    assert.equal((await generate("epics.md")).ok, false);
    assert.deepEqual([(await generate("stories.md")).epics, (await generate("stories.md")).stories], [1, 0]);
    const { status, stdout } = await runNative(sprintStatus, root, ["detect-epic", "--file", "s.yaml"]);
    assert.deepEqual([status, JSON.parse(stdout).epic], [0, null]);
  });
});

Deno.test("many names are read in bounded time [work:hostile]", () => {
  const types = Array.from({ length: 40_000 }, (_, at) => `- (${"t".repeat(35)}-${40_000 - at}) x\n`).join(
    "",
  );
  return withTree({ "tally.md": types }, async (root) => {
    const took = cpuClock();
    const tally = JSON.parse((await runNative(reconKit, root, ["tally", "tally.md"])).stdout);
    assert.equal(tally.entries, 40_000);
    assert.deepEqual(Object.keys(tally.by_type).slice(0, 2), [`${"t".repeat(35)}-1`, `${"t".repeat(35)}-10`]);
    assert.ok(took() < 5000);
  });
});

Deno.test("many changes of a long ledger take little time [work:hostile]", () => {
  const all = Array.from({ length: 9_500 }, (_, at) => `- id: a${at}\n  status: open\n`).join("");
  const wanted = Array.from({ length: 3000 }, (_, at) => ({ id: `a${3 * at}`, status: "done" }));
  return withTree(
    { "s.yaml": `development_status:\n  epic-1: done\naction_items:\n${all}` },
    async (root) => {
      const took = cpuClock();
      const { status, stdout } = await runNative(sprintStatus, root, [
        ...["update", "--file", "s.yaml", "--epic", "1", "--set-action-status", JSON.stringify(wanted)],
      ]);
      assert.deepEqual([status, JSON.parse(stdout).action_items_updated], [0, 3000], stdout);
      assert.ok(took() < 10_000);
    },
  );
});

treeTest("the file of a served skill is found by its address", {}, async (root) => {
  const location = "bmad://core/s";
  const skill = { name: "s", location, read: (path: string) => path === "a.md" ? "one two" : undefined };
  const run = async (path: string) => await runNative(wordMetrics, root, [path], "", { skills: [skill] });
  const { stdout } = await run(`${location}/a.md`);
  assert.deepEqual([JSON.parse(stdout).file, JSON.parse(stdout).total_words], [`${location}/a.md`, 2]);
  assert.equal((await run(`${location}/b.md`)).status, 2);
  assert.equal(pathText("bmad://core/s", ".", "x//y"), "bmad://core/s/x/y");
  assert.equal(pathText("a/bmad://x"), "a/bmad:/x");
});

Deno.test("long cells, numbers and rows of decisions take linear time", async () => {
  const long = 400_000;
  const ask = (command: string, text: string) =>
    withTree({}, (root) => runNative(reconKit, root, [command, "-"], text));
  for (const cell of ["[".repeat(long), `${"[](".repeat(long)} )`]) {
    assert.equal(JSON.parse((await ask("escape-sources", `| 1 | ${cell} |`)).stdout).rows, 1);
  }
  assert.equal((await ask("citations", `[${"9".repeat(long)}]`)).status, 0);
  const spine = Array.from({ length: 10_000 }, (_, at) => `##AD-${at}\n`).join("");
  await withTree({ "w/ARCHITECTURE-SPINE.md": spine }, async (root) => {
    const { stdout } = await runNative(lintSpine, root, ["--workspace", "w"]);
    assert.equal(JSON.parse(stdout).total_findings, 10_000);
  });
});
