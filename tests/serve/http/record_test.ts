/** Is every change by somebody in the record, as it was made and without secrets, or not made at all? */
import assert from "node:assert/strict";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { openRecordFile } from "../../../src/process/record_file.ts";
import { boardDeed } from "../../../src/serve/mcp/mod.ts";
import { modernRequest } from "../../support/http.ts";
import { type Team, withTeam } from "../../support/team_service.ts";

const PROJECT = {
  "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "shop/out/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n",
  "shop/out/1-1-a.md": "# Story 1.1: A\n\nStatus: ready-for-dev\n\n## Tasks\n\n- [ ] One\n",
};

async function withWorker(
  check: (
    work: (args: object, capabilities?: object, more?: object) => Promise<string>,
    team: Team,
    deeds: () => readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const first = [{ name: "ana", role: "worker" }] as const;
  const options = { args: ["--toolsets", "work"], projects: ["shop"], first };
  await withTeam(PROJECT, options, async (team, [ana = ""]) => {
    const record = openRecordFile(httpPlaces(team.state).record);
    const work = async (args: object, capabilities: object = {}, more: object = {}) => {
      const params = { name: "bmad_work", arguments: args, ...more };
      const [message, headers] = modernRequest("tools/call", params, capabilities);
      return (await team.ask(ana, "/mcp", message, headers)).text;
    };
    await check(work, team, () => record.latest(100).map(({ deed }) => deed));
  });
}

Deno.test("what a call has changed is recorded, however the call ends [team:record]", () =>
  withWorker(async (work, _, deeds) => {
    const lines = [
      "memlog.py init --workspace out/memory",
      "memlog.py append --workspace nowhere --text a",
    ];
    assert.match(await work({ script: lines }), /"isError":true/);
    assert.deepEqual(deeds(), [`script ${lines[0]}`], "the line that wrote, and no other");
    const asking = { operation: "ask", story: "1-1", question: "Which?" };
    assert.match(await work(asking, { elicitation: { form: {} } }), /input_required/);
    assert.deepEqual(deeds()[0], "ask 1-1 question=Which?");
    assert.match(await work({ operation: "mark", story: "1-1", status: "done" }), /"isError":true/);
    assert.match(await work({ script: "memlog.py append --workspace nowhere --text a" }), /"isError":true/);
    assert.equal(deeds().length, 2, "what changes nothing is no line");
  }));

Deno.test("a record shows no secrets [team:record]", () =>
  withWorker(async (work, _, deeds) => {
    const question = "Which password=hunter2hunter2 or ghp_0123456789abcdefghijABCDEFGHIJ012345?";
    await work({ operation: "ask", question });
    assert.equal(deeds().length, 1);
    assert.doesNotMatch(deeds()[0]!, /hunter2|ghp_0/);
  }));

Deno.test("a change without a record is not made [team:record, transport:http-ready]", () =>
  withWorker(async (work, { state, ask, dir, problems }) => {
    const { record } = httpPlaces(state);
    Deno.renameSync(record, `${record}-away`);
    Deno.writeTextFileSync(record, "");
    const before = Deno.readTextFileSync(`${dir}/shop/out/sprint-status.yaml`);
    const told = await work({ operation: "mark", story: "1-1", status: "in-progress" });
    assert.match(told, /Cannot change anything: this server cannot record it now/);
    assert.equal(Deno.readTextFileSync(`${dir}/shop/out/sprint-status.yaml`), before);
    assert.match(problems.join("\n"), /Cannot record a change/);
    assert.equal((await ask(undefined, "/ready")).status, 503);
    Deno.removeSync(record);
    Deno.renameSync(`${record}-away`, record);
    assert.doesNotMatch(await work({ operation: "mark", story: "1-1", status: "in-progress" }), /isError/);
  }));

Deno.test("a line says all that was asked, and what was done where that was left open [team:record]", () =>
  withWorker(async (work, { ask, dir }, deeds) => {
    await work({ operation: "claim", story: "1-1" });
    assert.equal(deeds()[0], "claim 1-1");
    await work({ operation: "release", story: "1-1" });
    const evidence = { command: "npm test", text: "looked at it", after: "ok" };
    await work({ operation: "evidence", story: "1-1", ...evidence });
    assert.equal(deeds()[0], "evidence 1-1 command=npm test text=looked at it after=ok");
    const lines = [
      `memlog.py init --workspace out/a --field topic=${"x".repeat(2_000)}`,
      "memlog.py init --workspace out/b",
    ];
    await work({ script: lines });
    assert.equal(deeds()[0], `script ${lines[1]}`);
    assert.match(deeds()[1]!, /^script memlog\.py init --workspace out\/a/);
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    await work({ operation: "ask", question: `${"x ".repeat(140)}${secret}` });
    assert.doesNotMatch(deeds()[0]!, /ghp_0/);
    const question = { operation: "ask", question: "Which door?" };
    await work(question);
    const forms = { elicitation: { form: {} } };
    const { requestState, inputRequests } = JSON.parse(await work(question, forms)).result;
    const reply = { action: "accept", content: { text: "The red one" } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, reply]));
    await work(question, forms, { requestState, inputResponses });
    assert.match(deeds()[0]!, /^answer number=\d+ text=The red one$/);
    Deno.writeTextFileSync(`${dir}/shop/out/work-log.jsonl`, "");
    Deno.writeTextFileSync(`${dir}/shop/out/1-1-a.md`, "# Story 1.1: A\n\nStatus: review\n");
    await work({ operation: "reconcile" });
    const log = Deno.readTextFileSync(`${dir}/shop/out/work-log.jsonl`);
    assert.match(log, /^(?=.*"did":"mark")(?=.*"by":"ana")/);
    assert.equal((await ask(undefined, "/record")).status, 401);
  }));

Deno.test("an action of the board is recorded as what it is [team:record, board:acts]", () => {
  const act = { operation: "board", action: "mark", story: "1-1", status: "review", force: true, number: 7 };
  assert.deepEqual(boardDeed(act), ["mark", "1-1", "review", "by force", "operation=board", "number=7"]);
  const tick = { action: "mark", story: "1-1", status: "done", task: "2: Build it", by: "Ann", proof: "x" };
  assert.deepEqual(boardDeed(tick), ["tick", "1-1", "task=2: Build it", "by=Ann"]);
  assert.deepEqual(boardDeed({ ...tick, status: "open" }), ["untick", "1-1", "task=2: Build it", "by=Ann"]);
});
