/**
 * Is every change by somebody in the record, as it was made and without secrets, or not made at all?
 */
import assert from "node:assert/strict";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { openRecordFile } from "../../../src/process/record_file.ts";
import { modernRequest } from "../../support/http.ts";
import { verifies } from "../../support/requirements.ts";
import { type Team, withTeam } from "../../support/team_service.ts";

const PROJECT = {
  "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  "shop/out/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-a: ready-for-dev\n",
};

/** Asks a server as a worker. */
async function withWorker(
  check: (
    work: (args: object, capabilities?: object) => Promise<string>,
    team: Team,
    deeds: () => readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const first = [{ name: "ana", role: "worker" }] as const;
  const options = { args: ["--toolsets", "work"], projects: ["shop"], first };
  await withTeam(PROJECT, options, async (team, [ana = ""]) => {
    const record = openRecordFile(httpPlaces(team.state).record);
    const work = async (args: object, capabilities: object = {}) => {
      const params = { name: "bmad_work", arguments: args };
      const [message, headers] = modernRequest("tools/call", params, capabilities);
      return (await team.ask(ana, "/mcp", message, headers)).text;
    };
    await check(work, team, () => record.latest(100).map(({ deed }) => deed));
  });
}

Deno.test(
  verifies("team:record", "what a call has changed is recorded, however the call ends"),
  () =>
    withWorker(async (work, _, deeds) => {
      const lines = [
        "memlog.py init --workspace out/memory",
        "memlog.py append --workspace nowhere --text a",
      ];
      assert.match(await work({ script: lines }), /"isError":true/);
      assert.deepEqual(deeds(), [`script ${lines.join("; ")}`]);
      const asked = await work({ operation: "ask", story: "1-1", question: "Which?" }, {
        elicitation: { form: {} },
      });
      assert.match(asked, /input_required/);
      assert.deepEqual(deeds()[0], "ask 1-1 Which?");
      assert.match(await work({ operation: "mark", story: "1-1", status: "done" }), /"isError":true/);
      assert.match(await work({ script: "memlog.py append --workspace nowhere --text a" }), /"isError":true/);
      assert.equal(deeds().length, 2, "what changes nothing is no line");
    }),
);

Deno.test(
  verifies("team:record", "a record shows no secrets"),
  () =>
    withWorker(async (work, _, deeds) => {
      const question = "Which password=hunter2hunter2 or ghp_0123456789abcdefghijABCDEFGHIJ012345?";
      await work({ operation: "ask", question });
      assert.equal(deeds().length, 1);
      assert.doesNotMatch(deeds()[0]!, /hunter2|ghp_0/);
    }),
);

Deno.test(
  verifies(
    ["team:record", "transport:http-ready"],
    "a change that cannot be recorded is not made, and the server is not ready",
  ),
  () =>
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
    }),
);
