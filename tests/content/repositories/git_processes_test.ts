/** What do processes that fetch the same repository do to each other, and what is left when one is killed? */
import assert from "node:assert/strict";
import { chanceFrom } from "../../support/chance.ts";
import { startClient } from "../../support/client.ts";
import { openTestCache } from "../../support/copies.ts";
import {
  canServeGit,
  type Files,
  type GitServer,
  type Repositories,
  type Repository,
  serveGit,
  withRepositories,
} from "../../support/git.ts";
import { prepareLaunch, runCli, spawnAlone } from "../../support/program.ts";
import { listTree } from "../../support/trees.ts";

const ignore = !canServeGit();
if (ignore) Deno.test({ name: "git processes: no openssl or no git-http-backend here", ignore, fn() {} });

/** Many files that all say the same number: half of a copy would show. */
function filesOf(number: number): Files {
  const pages = Array.from({ length: 40 }, (_, page) => [
    `agents/sailor-${page}.md`,
    `---\nname: sailor-${page}\ndescription: Number ${number}\n---\n${`Number ${number}. `.repeat(200)}\n`,
  ]);
  return Object.fromEntries(pages);
}

interface Scene {
  readonly repositories: Repositories;
  readonly team: Repository;
  readonly server: GitServer;
  readonly address: string;
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
}

function scene(play: (scene: Scene) => Promise<void>, delay: number): Promise<void> {
  return withRepositories(async (repositories) => {
    const team = repositories.make("team", filesOf(0));
    await using server = serveGit(repositories, async (_, give) => {
      await new Promise((resolve) => setTimeout(resolve, delay));
      return await give();
    });
    const cache = `${repositories.dir}/cache`;
    const env = { BMAD_GIT_CACHE: cache, GIT_SSL_CAINFO: server.certificate };
    await play({ repositories, team, server, address: server.address("team"), cache, env });
  });
}

Deno.test("servers that start together fetch one copy, and all serve it [git:lock]", { ignore }, async () => {
  await scene(async ({ address, env, server, cache }) => {
    await runCli(["cache", "update", "--path", address], {
      env: { ...env, BMAD_GIT_CACHE: `${cache}-alone` },
    });
    const alone = [...server.requests];
    const args = ["--pack", "none", address];
    const clients = await Promise.all([1, 2, 3].map(() => startClient({ era: "2026", env, args })));
    try {
      for (const client of clients) {
        let text = "";
        for (
          const begun = performance.now();
          !text.includes("40 agents") && performance.now() - begun < 120_000;
        ) {
          text = (await client.callTool("bmad", { operation: "list", query: "agents" })).content[0]!.text;
          await pause(50);
        }
        assert.match(text, /^40 agents/);
      }
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
    assert.deepEqual(server.requests.slice(alone.length), alone);
    assert.equal(copiesIn(cache).length, 1);
  }, 200);
});

function copiesIn(cache: string): readonly string[] {
  return [...Deno.readDirSync(cache)].map(({ name }) => name).filter((name) => name !== ".work").sort();
}

/** Says of every copy which number it has; a copy that is not whole fails. */
function numbersIn(cache: string): readonly number[] {
  return copiesIn(cache).map((name) => {
    const record = JSON.parse(Deno.readTextFileSync(`${cache}/${name}/.bmad-cache.json`));
    assert.ok(name.endsWith(record.currentCommit.slice(0, 12)));
    const texts = Object.keys(filesOf(0)).map((file) => Deno.readTextFileSync(`${cache}/${name}/${file}`));
    const number = Number(/Number (\d+)/.exec(texts[0]!)![1]);
    assert.deepEqual(texts, Object.values(filesOf(number)));
    return number;
  });
}

/** In milliseconds: how long the server lets each request wait. */
const DELAY = 60;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

Deno.test({
  name:
    "a process killed at any moment of a fetch leaves nothing that harms others [git:killed, git:lock, git:atomic-clone]",
  ignore: ignore || Deno.build.os === "windows",
  fn: () =>
    scene(async ({ address, env, team, cache, server }) => {
      const command = ["cache", "update", "--path", address];
      assert.equal((await runCli(command, { env })).code, 0);
      const most = server.requests.length;
      const { next } = chanceFrom(8);
      for (let round = 0; round < most + 3; round++) {
        // Every other time there is no copy before.
        if (round % 2 === 0) await Deno.remove(cache, { recursive: true });
        team.commit(filesOf(round + 1));
        await using launch = await prepareLaunch(command, { env });
        const asked = server.requests.length;
        const child = spawnAlone(launch);
        let isOver = false;
        const ended = child.status.then(() => isOver = true);
        // Between two requests; or some time after the last one, when files are written and put in their place.
        const request = Math.min(most, round);
        while (server.requests.length - asked < request && !isOver) await pause(2);
        const moment = next() * (request < most ? DELAY / 2 : 4 * DELAY);
        await pause(moment);
        try {
          child.kill("SIGKILL");
        } catch {
          // It was done already.
          assert.equal(request, most);
        }
        await ended;
        // What can be seen now is whole, and what could be seen before is still there.
        const seen = await Deno.stat(cache).then(() => numbersIn(cache), () => [] as readonly number[]);
        if (round % 2 === 1) {
          assert.ok(seen.includes(round), `${seen} after ${request} requests and ${moment} ms`);
        }
        const { code, stdout, stderr } = await runCli(
          ["list", "agents", "--pack", "none", "--path", address],
          { env },
        );
        assert.deepEqual(
          [code, stdout.split("\n").length - 1, stderr],
          [0, 40, ""],
          `killed after ${request} requests and ${moment} ms`,
        );
        assert.equal((await runCli(command, { env })).code, 0);
        assert.ok(numbersIn(cache).includes(round + 1));
        assert.deepEqual(
          (await listTree(`${cache}/.work`)).filter((name) => /\.(tmp|draft)-/.test(name)),
          [],
        );
      }
    }, DELAY),
});

/** A file system of two megabytes; undefined where none can be had. */
function mountSmall(folder: string): Disposable | undefined {
  const run = (command: string, ...args: string[]) =>
    new Deno.Command(command, { args, stdout: "null", stderr: "null" }).outputSync().success;
  try {
    if (!run("mount", "-t", "tmpfs", "-o", "size=2m", "bmad-mcp-test", folder)) return undefined;
    return { [Symbol.dispose]: () => void run("umount", "-l", folder) };
  } catch {
    return undefined;
  }
}

const canMount = (() => {
  if (Deno.build.os !== "linux") return false;
  const folder = Deno.makeTempDirSync({ prefix: "bmad-mcp-mount-" });
  const mounted = mountSmall(folder);
  mounted?.[Symbol.dispose]();
  Deno.removeSync(folder);
  return mounted !== undefined;
})();

Deno.test("a full disk is reported, the served copy kept [git:limits]", { ignore: !canMount }, async () => {
  await withRepositories(async ({ dir, make }) => {
    const team = make("team", filesOf(0));
    await Deno.mkdir(`${dir}/cache`);
    using _ = mountSmall(`${dir}/cache`);
    const { fetch, rules } = openTestCache(dir);
    const { copy } = await fetch(team.address);
    team.commit({ "large.bin": crypto.getRandomValues(new Uint8Array(60_000)).toHex().repeat(30) });
    const update = await fetch(team.address, { force: true });
    assert.deepEqual([update.outcome, update.copy], ["failed", copy]);
    assert.match("problem" in update ? update.problem : "", /No space left on device|unable to write/);
    assert.deepEqual(numbersIn(rules.cache), [0]);
    assert.deepEqual((await listTree(`${rules.cache}/.work`)).filter((name) => name.includes(".tmp-")), []);
    team.commit({ "large.bin": null, ...filesOf(7) });
    assert.equal((await fetch(team.address, { force: true })).outcome, "fetched");
    assert.deepEqual(numbersIn(rules.cache).toSorted(), [0, 7]);
  });
});
