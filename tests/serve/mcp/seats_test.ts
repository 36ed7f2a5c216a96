/** Are two clients of one person two holders, on every transport, until one of them ends? */
import assert from "node:assert/strict";
import { BOTH_ERAS, clientHere, type Era, type ProgramClient, startClient } from "../../support/client.ts";
import { runCli, runHere } from "../../support/program.ts";
import { treeTest } from "../../support/trees.ts";

const FILES = {
  "_bmad/bmm/config.yaml": 'output_folder: "{project-root}/out"\n',
  "out/sprint-status.yaml": "development_status:\n  1-1-a: ready-for-dev\n  1-2-b: ready-for-dev\n",
};

const work = async (client: ProgramClient, args: Readonly<Record<string, unknown>>): Promise<string> =>
  (await client.callTool("bmad_work", args)).content[0]!.text;
const next = async (client: ProgramClient): Promise<string> =>
  (await client.callTool("bmad", { operation: "next" })).content[0]!.text;

/** Everything runs as Ann, who says so once: with her account. */
const optionsIn = (cwd: string, era: Era) => ({
  cwd,
  era,
  args: ["--project", cwd, "--toolsets", "bmad,work"],
  env: { USER: "Ann" },
});

for (const era of BOTH_ERAS) {
  treeTest(`two clients of one person build two stories (${era}) [place:seats]`, FILES, async (cwd) => {
    await using one = await clientHere(optionsIn(cwd, era));
    await using two = await clientHere(optionsIn(cwd, era));
    assert.match(await work(one, { operation: "claim", story: "1-1" }), /^Ann holds 1-1-a until/);
    assert.match(await next(one), /1-1/);
    assert.match(await next(two), /\(1-2\)/);
    const refused = await work(two, { operation: "claim", story: "1-1" });
    assert.match(
      refused,
      /you hold it in bmad-mcp-tests until .*, last active .* ago; free for you: 1-2-b; or force it/,
    );
    assert.match(await work(two, { operation: "claim" }), /^Ann holds 1-2-b until/);
    const { stdout } = await runHere(["board"], { cwd, env: { USER: "Ann" } });
    assert.match(stdout, /1-1\s.*held by Ann in bmad-mcp-tests\)/);
    assert.match(stdout, /1-2\s.*held by Ann in bmad-mcp-tests 2\)/);
    await one.close();
    assert.match(await work(two, { operation: "claim", story: "1-1" }), /^Ann holds 1-1-a until/);
  });
}

treeTest("a client that was killed holds nothing back [place:seats-end]", FILES, async (cwd) => {
  const client = await startClient(optionsIn(cwd, "2025"));
  assert.match(await work(client, { operation: "claim", story: "1-1" }), /^Ann holds 1-1-a until/);
  const claim = () => runCli(["claim", "1-1"], { cwd, env: { USER: "Ann" } });
  assert.match((await claim()).stderr, /you hold it in bmad-mcp-tests until/);
  await client.close();
  assert.match((await claim()).stdout, /^Ann holds 1-1-a until/);
});

treeTest("shells and servers of one session are one seat [place:seats]", FILES, async (cwd) => {
  const env = { USER: "Ann", CLAUDE_CODE_SESSION_ID: "5f0c9a1e-7d2b" };
  await using client = await clientHere({ ...optionsIn(cwd, "2025"), env });
  await work(client, { operation: "claim", story: "1-1" });
  assert.match((await runHere(["claim", "1-1"], { cwd, env })).stdout, /^Ann holds 1-1-a until/);
  const other = await runHere(["claim", "1-1"], { cwd, env: { USER: "Ann", BMAD_SEAT: "night shift" } });
  assert.match(other.stderr, /you hold it in claude-code until/);
  const marked = await runHere(["mark", "1-1", "in-progress"], { cwd, env: { USER: "Ann" } });
  assert.match(marked.stdout, /^1-1-a: ready-for-dev → in-progress/);
});
