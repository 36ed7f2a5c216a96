/** Does a client get the content of a repository without waiting for it, and a notification when it has arrived? */
import assert from "node:assert/strict";
import { allItems, facts, refuses, say, says } from "../../support/answers.ts";
import { type Era, ERAS, type ProgramClient, startClient } from "../../support/client.ts";
import {
  type Between,
  canServeGit,
  type GitServer,
  type Repositories,
  type Repository,
  serveGit,
  withRepositories,
} from "../../support/git.ts";
import { connectHttp, type HttpClient, startHttp } from "../../support/http.ts";
import { INITIALIZE, startRaw } from "../../support/program.ts";
import { until } from "../../support/waiting.ts";

const ignore = !canServeGit();
if (ignore) Deno.test({ name: "git over MCP: no openssl or no git-http-backend here", ignore, fn() {} });

const agent = (name: string) => `---\nname: ${name}\ndescription: The ${name}\n---\n# ${name}\n`;

interface Scene {
  readonly repositories: Repositories;
  readonly team: Repository;
  readonly server: GitServer;
  readonly address: string;
  /** From now on the server answers; before, it lets everybody wait. */
  open(): void;
  readonly env: Readonly<Record<string, string>>;
  start(era: Era, ...args: readonly string[]): Promise<ProgramClient>;
}

/** A repository with the agent `captain` behind a server that is closed at first. */
function scene(play: (scene: Scene) => Promise<void>, between?: Between): Promise<void> {
  return withRepositories(async (repositories) => {
    const gate = Promise.withResolvers<void>();
    const team = repositories.make("team", { "agents/captain.md": agent("captain") });
    await using server = serveGit(repositories, async (request, give) => {
      await gate.promise;
      return await (between === undefined ? give() : between(request, give));
    });
    const env = { BMAD_GIT_CACHE: `${repositories.dir}/cache`, GIT_SSL_CAINFO: server.certificate };
    const address = server.address("team");
    await play({
      repositories,
      team,
      server,
      address,
      open: gate.resolve,
      env,
      start: (era, ...args) => startClient({ era, env, args: ["--pack", "none", ...args] }),
    });
  });
}

const agentNames = async (client: ProgramClient) =>
  (await allItems(client, { query: "agents" })).map(({ name }) => name);

const gitSource = async (client: ProgramClient) =>
  (await allItems(client, { query: "sources" })).find(({ kind }) => kind === "git");

const isTold = (client: ProgramClient, list: string) => () =>
  client.notices.some(({ method }) => method === `notifications/${list}/list_changed`);

function age(cache: string, hours: number): void {
  for (const { name } of Deno.readDirSync(cache)) {
    const file = `${cache}/${name}/.bmad-cache.json`;
    if (name === ".work") continue;
    const record = JSON.parse(Deno.readTextFileSync(file));
    const lastPull = new Date(Date.parse(record.lastPull) - hours * 3_600_000).toISOString();
    Deno.writeTextFileSync(file, JSON.stringify({ ...record, lastPull }));
  }
}

for (const era of ERAS) {
  Deno.test({
    name:
      `a ${era} client is served while a repository is fetched, and told when it is there [git:never-delays, origins:git-arguments]`,
    ignore,
    fn: () =>
      scene(async ({ address, open, server, start, team }) => {
        await using client = await start(era, `${address}#main`);
        await client.listen([]);
        assert.deepEqual((await client.listTools()).map(({ name }) => name), ["bmad"]);
        await until("git asks the server", () => server.requests.length > 0);
        // Nothing waits for it but the question for the origins, and that not for long.
        assert.deepEqual(await agentNames(client), []);
        await refuses(
          client,
          { operation: "execute", agent: "captain" },
          /No agent named "captain".*Still fetching git\+https:\S+#main: try again in a moment/s,
        );
        const sources = gitSource(client);
        open();
        await until("prompts changed", isTold(client, "prompts"));
        await until("tools changed", isTold(client, "tools"));
        assert.deepEqual(await agentNames(client), ["captain"]);
        await says(client, { operation: "execute", agent: "captain" }, /# captain/);
        const { id, location, things, copy } = await sources;
        assert.deepEqual([id, location, things], ["git", `${address}#main`, 1]);
        assert.equal(copy.commit, team.git("rev-parse", "main"));
      }),
  });

  Deno.test({
    name:
      `a ${era} client gets the old copy at once, hears how far the new one is, and then gets it [git:cache-ttl, client:progress]`,
    ignore,
    fn: () =>
      scene(async ({ address, open, server, start, team, env }) => {
        open();
        {
          await using client = await start(era, address);
          await until("it is fetched", async () => (await agentNames(client)).length > 0);
        }
        team.commit({ "agents/medic.md": agent("medic") });
        const asked = server.requests.length;
        {
          // Within its time it is not asked for again.
          await using client = await start(era, address);
          assert.deepEqual(await agentNames(client), ["captain"]);
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          assert.equal(server.requests.length, asked);
        }
        age(env["BMAD_GIT_CACHE"]!, 25);
        await using client = await start(era, address);
        await client.listen([]);
        assert.deepEqual(await agentNames(client), ["captain"]);
        const first = await say(client, { operation: "read", agent: "captain" });
        const notices: { progress: number; total: number; message: string }[] = [];
        await until("git asks the server", () => server.requests.length > asked);
        await client.callTool("bmad", { operation: "list", query: "sources" }, {
          onprogress: (one) => notices.push(one),
        });
        await until("prompts changed", isTold(client, "prompts"));
        assert.deepEqual(await agentNames(client), ["captain", "medic"]);
        await says(client, { operation: "read", agent: "captain" }, first);
        const fetching = notices.filter(({ message }) => message === `Fetching ${address}`);
        assert.ok(
          fetching.length > 0 && fetching.every(({ total }) => total === 100),
          JSON.stringify(notices),
        );
      }, async (_, give) => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return await give();
      }),
  });
}

Deno.test("clients are answered while a git server is silent [git:never-delays]", { ignore }, async () => {
  await scene(async ({ address, env, server }) => {
    await using program = await startRaw(["--pack", "none", address], { env });
    await program.send(INITIALIZE);
    assert.equal((await program.next(1)).result.serverInfo.name, "bmad-mcp");
    await program.send({ method: "notifications/initialized" });
    await program.send({ id: 2, method: "tools/list" });
    assert.equal((await program.next(2)).result.tools.length, 1);
    await until("git asks the server", () => server.requests.length > 0);
    // And whoever goes does not wait for it either.
    await program.closeStdin();
    assert.equal((await program.exit).code, 0);
    assert.match(
      program.stderr(),
      /^bmad-mcp info: git: Fetching git\+https:\S+: its content appears once it has arrived\. Wait a moment, or fetch it now\n$/,
    );
  });
});

Deno.test({
  name:
    "a server that refuses is asked once, however often we start, and told of in sources and doctor [git:failure-reported]",
  ignore,
  fn: () =>
    scene(async ({ address, open, server, start, repositories }) => {
      open();
      await Deno.mkdir(`${repositories.dir}/local/agents`, { recursive: true });
      await Deno.writeTextFile(`${repositories.dir}/local/agents/medic.md`, agent("medic"));
      for (let run = 0; run < 3; run++) {
        await using client = await start("2025", address, `${repositories.dir}/local`);
        assert.deepEqual(await agentNames(client), ["medic"]);
        await until("it is told", async () => (await gitSource(client)).copy.problem !== undefined);
        const { copy } = await gitSource(client);
        assert.match(
          copy.problem,
          /^Cannot open git\+https:\S+: .*error: 503\. Next attempt after \d{4}-/,
        );
        await says(client, { operation: "list", query: "sources" }, /not fetched/);
        const found = await allItems(client, { query: "doctor" });
        const told = found.find(({ code }) => code === "origin-unavailable");
        assert.deepEqual([told.level, told.origin, told.message], ["error", "git", copy.problem]);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      assert.deepEqual(server.requests, ["GET /team.git/info/refs"]);
    }, () => new Response(null, { status: 503 })),
});

Deno.test("offline, git is never called and an old copy serves [git:offline]", { ignore }, async () => {
  await scene(async ({ address, open, server, start, env }) => {
    open();
    {
      await using client = await start("2026", "--offline", address);
      const { copy } = await gitSource(client);
      assert.match(copy.problem, /not cached, and fetching is disabled by offline mode$/);
    }
    assert.deepEqual(server.requests, []);
    {
      await using client = await start("2026", address);
      await until("it is fetched", async () => (await agentNames(client)).length > 0);
    }
    age(env["BMAD_GIT_CACHE"]!, 1_000);
    const asked = server.requests.length;
    await using client = await start("2026", "--offline", address);
    assert.deepEqual(await agentNames(client), ["captain"]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(server.requests.length, asked);
    const { copy } = await gitSource(client);
    assert.equal(copy.problem, undefined);
  });
});

Deno.test("without git everything else is served, and what is missing is told [git:no-git]", () =>
  withRepositories(async ({ dir, make }) => {
    const { address } = make("team", { "agents/captain.md": agent("captain") });
    const env = { PATH: "/nowhere", BMAD_GIT_CACHE: `${dir}/cache` };
    await using client = await startClient({ era: "2026", env, args: [address] });
    assert.ok((await agentNames(client)).length > 5);
    await until("it is told", async () => (await gitSource(client)).copy.problem !== undefined);
    const { copy } = await gitSource(client);
    assert.match(copy.problem, /git was not found: install git/);
    assert.equal((await facts(client, { operation: "read", agent: "analyst" })).displayName, "Mary");
    await client.close();
    assert.doesNotMatch(client.stderr(), /allow-run/);
  }));

Deno.test({
  name: "projects that are served over HTTP share one copy of a repository [git:never-delays, git:lock]",
  ignore,
  fn: () =>
    scene(async ({ address, open, server, env, repositories: { dir } }) => {
      await Deno.mkdir(`${dir}/projects/one`, { recursive: true });
      await Deno.mkdir(`${dir}/projects/two`);
      const projects = ["--project", `${dir}/projects/one`, "--project", `${dir}/projects/two`];
      await using program = await startHttp(["--pack", "none", ...projects, address], { env });
      await using one = await connectHttp("2025", `${program.url}/mcp?project=one`);
      await using two = await connectHttp("2026", `${program.url}/mcp?project=two`);
      const agents = async ({ client }: HttpClient) => {
        const question = { name: "bmad", arguments: { operation: "list", query: "agents" } };
        return (await client.callTool(question)).content[0].text;
      };
      await until("git asks the server", () => server.requests.length > 0);
      assert.deepEqual([await agents(one), await agents(two)], ["No agents.", "No agents."]);
      open();
      for (const each of [one, two]) {
        await until("it is there", async () => (await agents(each)).startsWith("1 agent\n"));
      }
      const fetches = server.requests.filter((request) => request === "GET /team.git/info/refs");
      // To see what there is, and to fetch it.
      assert.equal(fetches.length, 2);
    }),
});
