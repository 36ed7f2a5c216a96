/** Is every session told once what is served, in the words of its client, and never kept from beginning? */
import assert from "node:assert/strict";
import { planGreeting } from "../../../src/commands/hooks.ts";
import { denoHost, type Host } from "../../../src/process/host.ts";
import { noteSession } from "../../../src/process/session_note.ts";
import { runHere } from "../../support/program.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const EVENT = { session_id: "s1", hook_event_name: "SessionStart", source: "startup", cwd: "/p" };
const SILENT = "The MCP server bmad-mcp";

treeTest("a session is told once, by the first hook [hooks:once]", { "project/": "" }, async (home) => {
  const prime = (event: unknown, args: readonly string[] = []) =>
    runHere(["prime", "--hook", ...args], {
      cwd: `${home}/project`,
      env: { HOME: home },
      stdin: typeof event === "string" ? event : JSON.stringify(event),
    });
  const [one, two] = await Promise.all([prime(EVENT), prime(EVENT)]);
  assert.equal([one, two].filter(({ stdout }) => stdout === "").length, 1);
  for (const source of ["resume", "compact"]) {
    assert.equal((await prime({ ...EVENT, session_id: source, source })).stdout, "", source);
  }
  const { hookSpecificOutput } = JSON.parse(one.stdout || two.stdout);
  assert.equal(hookSpecificOutput.hookEventName, "SessionStart");
  assert.ok(hookSpecificOutput.additionalContext.startsWith(SILENT));
  // Cursor, Copilot CLI, and a client that says nothing
  const cursor = await prime({
    conversation_id: "s2",
    hook_event_name: "sessionStart",
    cursor_version: "2.0",
  });
  assert.ok(JSON.parse(cursor.stdout).additional_context.startsWith(SILENT));
  const copilot = await prime({ sessionId: "s3", source: "new" });
  assert.ok(JSON.parse(copilot.stdout).additionalContext.startsWith(SILENT));
  assert.ok((await prime("")).stdout.startsWith(SILENT));
  assert.ok((await prime("no JSON {")).stdout.startsWith(SILENT));
});

Deno.test("whatever is wrong, a hook ends well and prints nothing for the model [hooks:never-fail]", () =>
  withTree({ "project/.bmad-mcp.toml": "maxFiles = [" }, async (home) => {
    const run = (args: readonly string[]) =>
      runHere(args, { cwd: `${home}/project`, env: { HOME: home }, stdin: JSON.stringify(EVENT) });
    assert.equal((await run(["prime", "--hook"])).code, 0);
    for (const args of [["prime", "--hook", "--unknown"], ["prime", "--hook", "word"]]) {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [0, ""], args.join(" "));
      assert.notEqual(stderr, "");
    }
    assert.notEqual((await run(["prime", "word"])).code, 0);
  }));

treeTest("a session that finishes a story and does not mark it is reminded once [hooks:end, place:seats]", {
  "project/_bmad/bmm/config.yaml": "",
  "project/_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-book: in-progress\n",
  "project/_bmad-output/implementation-artifacts/1-1-book.md":
    "# Story 1.1: Book\n\nStatus: in-progress\n\n## Tasks\n\n- [x] One\n- [ ] Two\n",
}, async (home) => {
  const file = `${home}/project/_bmad-output/implementation-artifacts/1-1-book.md`;
  const hook = (event: unknown) =>
    runHere(["prime", "--hook"], {
      cwd: `${home}/project`,
      env: { HOME: home, USER: "Ann" },
      stdin: JSON.stringify(event),
    });
  // Held by the session's own shell: to its hooks, that is in hand.
  const shell = { HOME: home, USER: "Ann", BMAD_SEAT: "s1" };
  assert.equal((await runHere(["claim", "1-1"], { cwd: `${home}/project`, env: shell })).code, 0);
  const end = { session_id: "s1", hook_event_name: "Stop", stop_hook_active: false };
  const isSilent = async (event: unknown, what: string) =>
    assert.deepEqual(await hook(event), { code: 0, stdout: "", stderr: "" }, what);
  await isSilent(end, "a session that nobody noted");
  assert.match((await hook(EVENT)).stdout, /In hand: /);
  await isSilent(end, "nothing was finished");
  const finish = async (minutes: number) => {
    await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace("[ ]", "[x]"));
    const time = Date.now() / 1_000 + minutes * 60;
    await Deno.utime(file, time, time);
  };
  await finish(-5);
  await isSilent(end, "finished before the session");
  await finish(5);
  await isSilent({ ...end, stop_hook_active: true }, "the model goes on for a hook already");
  const { decision, reason } = JSON.parse((await hook(end)).stdout);
  assert.equal(decision, "block");
  assert.match(
    reason,
    /^Story 1-1 “Book”: 2 boxes are ticked, none is open, .*"mark","story":"1-1-book","status":"review"/,
  );
  await isSilent(end, "reminded before");
  const other = { ...end, session_id: "s2" };
  await hook({ ...EVENT, session_id: "s2" });
  await Deno.writeTextFile(
    `${home}/project/_bmad-output/implementation-artifacts/sprint-status.yaml`,
    "development_status:\n  epic-1: in-progress\n  1-1-book: review\n",
  );
  await isSilent(other, "it was marked");
});

Deno.test("a client that leaves stdin open, or writes without an end, is answered", async () => {
  const never = new Promise<null>(() => {});
  let isCancelled = false;
  const host = (read: () => Promise<Uint8Array | null>): Host => ({
    ...denoHost("."),
    env: () => undefined,
    home: undefined,
    terminal: { stdin: false, stdout: false, stderr: false },
    after: (_, call) => (queueMicrotask(call), () => {}),
    stdin: () => ({ read, cancel: () => void (isCancelled = true) }),
  });
  assert.equal((await planGreeting(host(() => never))).answer("Hi"), "Hi\n");
  assert.ok(isCancelled);
  const noise = new TextEncoder().encode("x".repeat(10_000));
  assert.equal(
    (await planGreeting({ ...host(() => Promise.resolve(noise)), after: () => () => {} })).isDue,
    true,
  );
});

treeTest("notes of sessions are removed when they are many and old", { "state/": "" }, async (folder) => {
  const state = `${folder}/state`;
  assert.equal(await noteSession(state, "a", Date.now()), true);
  assert.equal(await noteSession(state, "a", Date.now()), false);
  assert.equal(await noteSession(undefined, "a", Date.now()), true);
  for (let at = 0; at < 101; at++) await Deno.writeTextFile(`${state}/sessions/${at}`, "");
  assert.equal(await noteSession(state, "a", Date.now() + 8 * 24 * 3_600_000), true);
  assert.equal(Array.from(Deno.readDirSync(`${state}/sessions`)).length, 1);
  assert.equal(await noteSession("/proc/none", "a", Date.now()), true);
});
