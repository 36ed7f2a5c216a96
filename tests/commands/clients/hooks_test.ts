/** Can our hook be added and removed without a trace, in every client's file and every style? */
import assert from "node:assert/strict";
import { CLIENTS } from "../../../src/commands/clients/mod.ts";
import { addEntry, removeEntry } from "../../../src/commands/clients/edit.ts";
import type { Edit } from "../../../src/commands/clients/file_text.ts";
import { addHook, removeHook } from "../../../src/commands/clients/hook_edit.ts";
import { runHere } from "../../support/program.ts";
import { samplesFor } from "../../support/client_files.ts";
import { readTree, treeTest } from "../../support/trees.ts";

const LINE = '"/opt/with space/bmad-mcp" prime --hook';
const OTHER = { grouped: { hooks: [{ type: "command", command: "echo hi" }] }, flat: { command: "echo hi" } };
const HOOKED = CLIENTS.filter(({ hooks }) => hooks !== undefined);

function textOf(edit: Edit): string {
  assert.ok("text" in edit && edit.text !== undefined, JSON.stringify(edit));
  return edit.text;
}

/** What lies in a home, but for our own state. */
const snapshot = async (home: string) =>
  Object.entries(await readTree(home)).filter(([path]) => !path.startsWith(".local"));

for (const client of HOOKED) {
  const hooks = client.hooks!;
  const other = hooks.shape.startsWith("grouped") ? OTHER.grouped : OTHER.flat;
  const [outer, inner] = hooks.keys as [string, string];
  const end = { ...hooks, keys: hooks.keys.with(-1, hooks.end ?? "other") };
  const lists = [
    { what: "a hook", text: JSON.stringify({ a: 1, [outer]: { [inner]: [other] } }, null, 4) },
    { what: "a hook on one line", text: JSON.stringify({ [outer]: { [inner]: [other], z: [] } }) },
    { what: "an empty list", text: `{ "${outer}": { "${inner}": [ ] } }\n` },
    { what: "an empty list on two lines", text: `{\n\t"${outer}": {\n\t\t"${inner}": [\n\t\t]\n\t}\n}` },
  ];
  Deno.test(`the hook of ${client.title} goes without a trace [hooks:bytes]`, () => {
    const samples = [
      ...samplesFor({ ...client, ...hooks, seed: undefined, keys: ["servers"], shape: "plain" }),
      ...lists,
    ];
    for (const { what, text } of samples) {
      const added = textOf(addHook(text, hooks, LINE));
      assert.equal(added.split("prime --hook").length, hooks.shape === "copilot" ? 3 : 2, what);
      assert.deepEqual(addHook(added, hooks, LINE), { outcome: "same" }, what);
      assert.equal(textOf(removeHook(added, text, hooks)), text, what);
      const two = textOf(addHook(added, end, LINE));
      assert.equal(textOf(removeHook(textOf(removeHook(two, text, end)), text, hooks)), text, what);
      const moved = textOf(addHook(added, hooks, LINE.replace("opt", "usr")));
      assert.ok(moved.includes("/usr/with space") && !moved.includes("/opt/"), what);
      // Without a backup, what it says stays.
      const left = removeHook(added, undefined, hooks);
      if ("text" in left && left.text !== undefined) {
        assert.equal(removeHook(left.text, undefined, hooks).outcome, "absent", what);
      }
      if (hooks.user !== undefined) continue;
      // A file with both: last in, first out.
      const entry = { name: "bmad", force: false, launch: { command: "/opt/bmad-mcp", args: ["serve"] } };
      const both = textOf(addHook(textOf(addEntry(text, client, entry)), hooks, LINE));
      const one = textOf(removeHook(both, text, hooks));
      assert.equal(textOf(removeEntry(one, text, client, entry)), text, what);
      const all = textOf(
        removeHook(textOf(removeHook(textOf(addHook(both, end, LINE)), text, end)), text, hooks),
      );
      assert.equal(textOf(removeEntry(all, text, client, entry)), text, what);
    }
    // A file that is ours alone goes.
    const ours = textOf(addHook(textOf(addHook(undefined, hooks, LINE)), end, LINE));
    const left = removeHook(textOf(removeHook(ours, undefined, end)), undefined, hooks);
    assert.deepEqual(left, { outcome: "removed", text: undefined, needsBackup: false });
  });
}

Deno.test("a hook in the group of another leaves it alone, and a file of another form is refused", () => {
  const hooks = HOOKED.find(({ id }) => id === "claude-code")!.hooks!;
  const group = { matcher: "startup", hooks: [...OTHER.grouped.hooks, { type: "command", command: LINE }] };
  const text = JSON.stringify({ hooks: { SessionStart: [group] } }, null, 2);
  const left = JSON.parse(textOf(removeHook(text, undefined, hooks)));
  assert.deepEqual(left, { hooks: { SessionStart: [{ ...group, hooks: OTHER.grouped.hooks }] } });
  for (
    const [broken, problem] of [
      ['{"hooks":{"SessionStart":{}}}', "hooks.SessionStart must be a list"],
      ['{"hooks":[]}', "hooks must be a map"],
      ["[]", "expected a map of keys and values"],
      ['{"hooks":', "value expected"],
    ] as const
  ) {
    const edit = addHook(broken, hooks, LINE);
    assert.equal("problem" in edit && edit.problem, problem);
  }
});

treeTest("install --hooks and uninstall leave every file as it was [hooks:install]", {
  ".claude/settings.json": '{ "hooks": { "Stop": [] } }',
  ".gemini/settings.json": "{\n  // Mine\n}\n",
  ".codex/": "",
  ".copilot/": "",
  "project/": "",
}, async (home) => {
  const env = { HOME: home };
  const cwd = `${home}/project`;
  const names = ["claude-code", "codex", "gemini", "copilot-cli", "zed"];
  const before = await snapshot(home);
  const installed = await runHere(["install", ...names, "--hooks", "--json"], { cwd, env });
  assert.equal(installed.code, 0, installed.stderr);
  const { items } = JSON.parse(installed.stdout);
  assert.deepEqual(
    items.filter(({ hook }: { hook?: true }) => hook).map(({ client }: { client: string }) => client),
    names.slice(0, 4).flatMap((name) => [name, name]),
  );
  assert.match(items.at(-1).note, /Zed has no hook/);
  const hook = JSON.parse(await Deno.readTextFile(`${home}/.copilot/hooks/bmad-mcp.json`));
  assert.equal(hook.version, 1);
  const again = await runHere(["install", ...names, "--hooks"], { cwd, env });
  assert.match(again.stdout, /Codex hook: already in .*\nCodex hook for the end: already in /);
  const printed = await runHere(["install", "codex", "--hooks", "--print"], { cwd, env });
  assert.match(printed.stdout, /"SessionStart"/);
  const removed = await runHere(["uninstall", ...names], { cwd, env });
  assert.equal(removed.code, 0, removed.stderr);
  assert.deepEqual(await snapshot(home), before);
  // The address and the token of a server are for its entry alone.
  await runHere(["install", "claude-code", "--hooks", "--http", "8080"], { cwd, env });
  assert.match(await Deno.readTextFile(`${home}/.claude/settings.json`), / prime --hook"/);
  await runHere(["uninstall", "claude-code"], { cwd, env });
  assert.deepEqual(await snapshot(home), before);
  // A session of a project is told by the project's own file.
  await runHere(["install", "claude-code", "--hooks", "--project", cwd], { cwd, env });
  assert.match(await Deno.readTextFile(`${cwd}/.claude/settings.json`), / prime --hook"/);
  await runHere(["uninstall", "claude-code", "--project", cwd], { cwd, env });
  assert.deepEqual(await snapshot(home), before);
});
