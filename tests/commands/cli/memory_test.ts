/** Does `bmad-mcp memory` remember, recall, move and forget, and write nowhere else? */
import assert from "node:assert/strict";
import { startHttp } from "../../support/http.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

const PROJECT = { "project-context.yaml": "project:\n  name: Demo App\n", "_bmad/_memory/": "" };
const SAID = "JWT expiry must be 15 min";
const ID = "17e8a3c1-e13b-5bb9-8612-acfcf7627da9";

/** What one command says, which must succeed. */
async function say(
  cwd: string,
  words: readonly string[],
  stdin?: string,
  env?: Record<string, string>,
  warning = "",
): Promise<string> {
  const { code, stdout, stderr } = await runHere(["memory", ...words], { cwd, stdin, env });
  assert.deepEqual([code, stderr], [0, warning], stderr);
  return stdout;
}

treeTest("memory works from the shell [cli:memory, memory:kit-formats]", PROJECT, async (cwd, t) => {
  await t.step("and is not made by looking for it", async () => {
    assert.match(await say(cwd, ["status"]), /^Location: none yet/);
    assert.match(await say(cwd, ["recall", "anything"]), /^No memory matches "anything"/);
    assert.deepEqual((await listTree(cwd)).filter((path) => path.includes("memory.db")), []);
  });
  await t.step("remember says the kit's id, and where it is stored", async () => {
    const words = ["remember", "--type", "decisions", "--agent", "dev", "--tags", "auth,jwt", SAID];
    const lines = (await say(cwd, words)).split("\n");
    assert.equal(lines[0], `Remembered [decisions] @dev: ${ID}`);
    assert.match(lines[1]!, /^Stored in .+_memory.memory\.db$/);
    assert.equal((await Deno.stat(lines[1]!.slice("Stored in ".length))).isFile, true);
    assert.match(await say(cwd, words), /^Already known/);
  });
  await t.step("and whether only its words count", async () => {
    const german = "Die Rufbereitschaft wechselt jeden Montag um zehn Uhr";
    const note = /\nIt is found by its words only: the embedder does not know German\.\n$/;
    assert.match(await say(cwd, ["remember", "--agent", "ops", german]), note);
    for (
      const other of ["L'astreinte change chaque lundi à dix heures", "The pager changes on Mondays"]
    ) {
      assert.doesNotMatch(await say(cwd, ["remember", "--agent", "ops", other]), /words only/);
    }
    const { semantic, place } = JSON.parse(
      await say(cwd, ["remember", "--agent", "ops", german, "--json"]),
    );
    assert.deepEqual([semantic, /memory\.db$/.test(place)], [false, true]);
    const ids = JSON.parse(await say(cwd, ["list", "--agent", "ops", "--json"])).items as {
      id: string;
    }[];
    await say(cwd, ["forget", ...ids.map(({ id }) => id)]);
  });
  await t.step("recall finds by meaning, and says why", async () => {
    const { semantic, items: [hit] } = JSON.parse(
      await say(cwd, ["recall", "How long do access tokens live?", "--json"]),
    );
    assert.deepEqual([semantic, hit.id, hit.text, hit.tags], [true, ID, SAID, ["auth", "jwt"]]);
    assert.ok(hit.semantic > 0.3 && hit.score > 0.3);
  });
  await t.step("--no-embedder finds by words, and says so", async () => {
    assert.match(
      await say(cwd, ["recall", "jwt", "--no-embedder"]),
      /by keywords only \(the embedder is off\)\n1\. \[decisions\] @dev/,
    );
  });
  await t.step("what is exported can be imported elsewhere", async () => {
    const [json, markdown] = [
      await say(cwd, ["export"]),
      await say(cwd, ["export", "--type", "decisions", "--format", "md"]),
    ];
    assert.match(
      markdown,
      /^# decisions\n\n## dev\n\n- \[\d{4}-\d\d-\d\d\] JWT expiry must be 15 min `auth` `jwt`\n$/,
    );
    await withTree({ ...PROJECT, "in.json": json, "in.md": markdown }, async (other) => {
      const flags = ["--type", "decisions", "--no-embedder"];
      assert.match(await say(other, ["import", "in.md", ...flags]), /: 1 new, 0 changed/);
      assert.match(await say(other, ["import", ...flags], json), /: 0 new, 0 changed, 1 already there/);
      assert.equal(JSON.parse(await say(other, ["list", "--json"])).items[0].id, ID);
    });
  });
  await t.step("an import leaves out what is no memory, and says so", async () => {
    const entries = [{ memory: "Old lesson", metadata: { agent: "qa", tags: ["two words"] } }, {
      memory: "",
    }, { memory: "x", metadata: { agent: "../x" } }];
    const told = await say(cwd, ["import", "-", "--no-embedder"], JSON.stringify(entries));
    assert.match(told, /: 1 new, .*\nSkipped 2\. First problem: Invalid text: it is empty/);
    const { items } = JSON.parse(await say(cwd, ["list", "--agent", "qa", "--json"]));
    assert.deepEqual([items[0].type, items[0].tags], ["agent-learnings", ["two-words"]]);
  });
  await t.step("forget takes the beginning of an id", async () => {
    assert.equal(await say(cwd, ["forget", ID.slice(0, 8)]), "Forgot 1 memory\n");
    assertFailed(
      await runHere(["memory", "forget", ID], { cwd }),
      1,
      /No memory named "17e8a3c1.*List the ids with/,
    );
  });
  await t.step("status counts", async () => {
    const { total, counts, place } = JSON.parse(await say(cwd, ["status", "--json"]));
    assert.deepEqual([total, counts["agent-learnings"], place], [1, 1, `${cwd}/_bmad/_memory/memory.db`]);
  });
  await t.step("--read-only changes nothing", async () => {
    assertFailed(
      await runHere(["memory", "remember", "x", "--read-only"], { cwd }),
      3,
      /read-only mode is on/,
    );
    assert.match(await say(cwd, ["recall", "lesson", "--read-only", "--no-embedder"]), /Old lesson/);
  });
});

Deno.test("a project without a memory folder has its memories in the user's folder [memory:private]", () =>
  withTree({ "home/": "", "shop/": "" }, async (folder) => {
    const env = { XDG_STATE_HOME: `${folder}/home` }, shop = `${folder}/shop`;
    await say(shop, ["remember", SAID, "--no-embedder"], undefined, env);
    const { place } = JSON.parse(await say(shop, ["status", "--json"], undefined, env));
    assert.match(place, new RegExp(`^${folder}/home/bmad-mcp/memory/shop-[0-9a-f]{8}/memory\\.db$`));
    assert.deepEqual((await listTree(folder)).filter((path) => path.startsWith("shop/")), ["shop/"]);
    // Once the project has a folder, its memories move in with the next one.
    await Deno.mkdir(`${shop}/_bmad/_memory`, { recursive: true });
    assert.match(await say(shop, ["list"], undefined, env), /JWT expiry/);
    await say(shop, ["remember", "Another thing", "--no-embedder"], undefined, env);
    const moved = JSON.parse(await say(shop, ["status", "--json"], undefined, env));
    assert.deepEqual([moved.place, moved.total], [`${shop}/_bmad/_memory/memory.db`, 2]);
  }));

treeTest("an invalid type, name, text or store is refused [memory:hostile]", PROJECT, async (cwd) => {
  const refused = async (words: readonly string[], said: RegExp) =>
    assertFailed(await runHere(["memory", ...words, "--no-embedder"], { cwd }), 2, said);
  await refused(["remember", "x", "--type", "../decisions"], /Unknown memory type/);
  await refused(["remember", "x", "--agent", "../../etc"], /is not a valid name/);
  await refused(["remember", "x", "--agent", "a".repeat(10_000)], /is not a valid name/);
  await refused(["remember", " "], /it is empty/);
  await refused(["remember", "x".repeat(16_001)], /16001 characters, but only 16000/);
  await refused(["remember", "x", "--tags", "a`b"], /Invalid tag/);
  await refused(["recall", "x".repeat(2_001)], /2001 characters/);
  await refused(["copy", "--from", "sqlite", "--to", "elsewhere"], /"elsewhere"/);
  await refused(["copy", "--from", "sqlite", "--to", "qdrant"], /No Qdrant server is configured/);
  await refused(["import", "missing.json"], /Cannot read missing\.json: not found/);
  assert.deepEqual((await listTree(cwd)).filter((path) => path.includes("memory.db")), []);
});

Deno.test("a project's settings file cannot name a server for memories [memory:private]", () =>
  withTree({ ...PROJECT, ".bmad-mcp.toml": 'qdrantUrl = "http://127.0.0.1:9"\n' }, async (cwd) => {
    const { stdout, stderr } = await runHere(["memory", "status"], { cwd });
    assert.match(stderr, /warn: Ignored qdrantUrl in .*: a project that you do not trust cannot set it/);
    assert.doesNotMatch(stdout, /127\.0\.0\.1/);
  }));

Deno.test("a link that leads the memory folder out of the project is not followed [memory:hostile]", () =>
  withTree(
    { "home/": "", "outside/": "", "shop/_bmad/_memory": { link: "../../outside" } },
    async (folder) => {
      const env = { XDG_STATE_HOME: `${folder}/home` };
      const warning = "bmad-mcp warn: _bmad/_memory leads out of the project, so it is not used\n";
      const sayThere = (...words: readonly string[]) => say(`${folder}/shop`, words, undefined, env, warning);
      await sayThere("remember", SAID, "--no-embedder");
      const { place } = JSON.parse(await sayThere("status", "--json"));
      assert.match(place, /\/home\/bmad-mcp\/memory\/shop-/);
      assert.deepEqual(await listTree(`${folder}/outside`), []);
    },
  ));

treeTest(
  "a memory beside the project brings its two tools, and the one search finds it as recall does [memory:one-search]",
  {
    "shop/_bmad/bmm/agents/pm.md": "# PM\n",
    "state/": "",
  },
  async (dir) => {
    const options = { cwd: `${dir}/shop`, env: { XDG_STATE_HOME: `${dir}/state` } };
    const run = async (...words: readonly string[]) => (await runHere(words, options)).stdout;
    const toolsOf = async () => JSON.parse(await run("config", "get", "tools", "--json")).value;
    assert.deepEqual(await toolsOf(), []);
    const { id } = JSON.parse(await run("memory", "remember", "Tokens live 15 minutes", "--json"));
    assert.deepEqual(await toolsOf(), ["remember_structured", "recall_structured"]);
    for (const words of ["token lifetime", "minut"]) {
      const { memories } = JSON.parse(await run("search", words, "--json"));
      assert.deepEqual(memories.map((one: { id: string }) => one.id), [id], words);
    }
    assert.deepEqual(JSON.parse(await run("search", "invoice totals", "--json")).memories, []);
  },
);

treeTest("a server finds what is remembered first while it runs [memory:one-search]", {
  "shop/_bmad/bmm/agents/pm.md": "# PM\n",
  "state/": "",
}, async (dir) => {
  const env = { XDG_STATE_HOME: `${dir}/state` };
  await using server = await startHttp(["--project", `${dir}/shop`, "--pack", "none"], { env });
  const found = async () => (await (await fetch(`${server.url}/api/v1/search?q=token`)).json()).memories;
  assert.deepEqual(await found(), []);
  const { stdout } = await runHere(["memory", "remember", "Tokens live 15 minutes", "--json"], {
    cwd: `${dir}/shop`,
    env,
  });
  const { id } = JSON.parse(stdout);
  assert.deepEqual((await found()).map((one: { id: string }) => one.id), [id]);
});
