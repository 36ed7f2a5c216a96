/** What is said of those who may use a server, and of what they did, where a program reads it? */
import assert from "node:assert/strict";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { openRecordFile } from "../../../src/process/record_file.ts";
import { runHere } from "../../support/program.ts";
import { startHttp } from "../../support/http.ts";
import { withTree } from "../../support/trees.ts";

Deno.test("in a pipe, tokens have their id, and deeds their time and project [team:told]", () =>
  withTree({}, async (dir) => {
    const env = { XDG_STATE_HOME: dir };
    const { token: _, id } = JSON.parse((await runHere(["token", "add", "Ann", "--json"], { env })).stdout);
    const { stdout } = await runHere(["token", "list"], { env });
    assert.equal(stdout, `Ann\t${id}, worker, all projects, never expires\n`);
    const { record } = httpPlaces(`${dir}/bmad-mcp`);
    await Deno.mkdir(record, { recursive: true });
    const at = Date.parse("2026-11-18T14:05:09.123Z");
    const deed = { at, name: "Ann", role: "worker", address: "127.0.0.1", request: "r", deed: "claim 1-1" };
    openRecordFile(record).add({ ...deed, project: "shop" });
    assert.equal((await runHere(["record"], { env })).stdout, "Ann\t2026-11-18 14:05 UTC shop: claim 1-1\n");
    const { items } = JSON.parse((await runHere(["record", "--json"], { env })).stdout);
    assert.equal(items[0].at, "2026-11-18T14:05:09.123Z");
  }));

Deno.test("a server whose tokens others could read says so [http:clear]", async () => {
  const env = { BMAD_TOKEN: "a-token-of-enough-characters" };
  const saysOf = async (address: string) => {
    await using program = await startHttp(["--http", address], { env });
    return program.stderr();
  };
  assert.match(await saysOf("0.0.0.0:0"), /Tokens cross the network in clear/);
  assert.doesNotMatch(await saysOf("0"), /in clear/);
});
