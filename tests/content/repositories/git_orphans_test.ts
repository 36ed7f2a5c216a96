/**
 * Is anything of git left running, whichever process is killed? A stand-in for ssh hangs and ignores every signal that
 * can be ignored. The system is asked whether it is gone.
 */
import assert from "node:assert/strict";
import { logCommits } from "../../../src/content/repositories/mod.ts";
import { runGit } from "../../support/git.ts";
import { problemOf, withCache } from "../../support/copies.ts";
import { prepareLaunch, spawnAlone } from "../../support/program.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";
import { writeProgram } from "../../support/programs.ts";

const ignore = Deno.build.os === "windows";
const ADDRESS = "git+ssh://git@example.org/team.git#main";

type Process = Awaited<ReturnType<typeof processes>>[number];

async function processes() {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,pgid=,stat=,args="] }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").flatMap((line) => {
    const [, pid, group, state, command] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? [];
    return state === undefined || state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), group: Number(group), command: command! }];
  });
}

/** Plays a scene whose ssh hangs; `killed` waits for it, kills a process, and then waits until nothing is left. */
function withHangingSsh(
  play: (scene: {
    readonly environment: Readonly<Record<string, string>>;
    readonly cache: string;
    fetch(timeout: number, signal?: AbortSignal): Promise<string>;
    killed(choose: (group: readonly Process[]) => number | undefined): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  return withCache(async ({ fetch, rules, repositories: { dir } }) => {
    await Deno.mkdir(`${dir}/bin`);
    const script =
      `#!/bin/sh\ntrap '' TERM HUP INT PIPE\necho $$ > ${dir}/new && mv ${dir}/new ${dir}/pid\n` +
      "while :; do sleep 300; done\n";
    writeProgram(`${dir}/bin/ssh`, script);
    const environment = { ...rules.environment, PATH: `${dir}/bin:${rules.environment["PATH"]}` };
    const read = () => Deno.readTextFile(`${dir}/pid`).catch(() => "");
    try {
      await play({
        environment,
        cache: rules.cache,
        fetch: async (timeout, signal) => {
          const changed = { ...rules, environment, timeout };
          return problemOf(await fetch(ADDRESS, { rules: changed, ...(signal && { signal }) }));
        },
        killed: async (choose) => {
          await until("ssh runs", async () => await read() !== "");
          const ssh = Number(await read());
          const { group } = (await processes()).find(({ pid }) => pid === ssh)!;
          const members = (await processes()).filter((one) => one.group === group);
          const chosen = choose(members);
          if (chosen !== undefined) Deno.kill(chosen, "SIGKILL");
          await until(
            "git is gone",
            async () => !(await processes()).some((one) => one.group === group || one.pid === ssh),
          );
        },
      });
    } finally {
      const ssh = Number(await read());
      if ((await processes()).some(({ pid }) => pid === ssh)) Deno.kill(ssh, "SIGKILL");
    }
  });
}

Deno.test("a git that hits its timeout takes its helpers with it [git:processes]", { ignore }, async () => {
  await withHangingSsh(async ({ fetch, killed, cache }) => {
    const [problem] = await Promise.all([fetch(2_000), killed(() => undefined)]);
    assert.equal(problem, "fetching took longer than the git timeout of 2 s");
    assert.deepEqual((await listTree(cache)).filter((name) => name.includes(".tmp-")), []);
  });
});

Deno.test("a killed git process ends all, and the fetch fails [git:processes]", { ignore }, async (t) => {
  const choices: Readonly<Record<string, (group: readonly Process[]) => number>> = {
    "the first one": ([first]) => first!.group,
    "the one that fetches": (group) => group.find(({ command }) => /^git ls-remote/.test(command))!.pid,
    "the supervisor": (group) => group.find(({ command }) => /^\/bin\/sh -c bounded/.test(command))!.pid,
  };
  for (const [name, choose] of Object.entries(choices)) {
    await t.step(name, () =>
      withHangingSsh(async ({ fetch, killed }) => {
        const [problem] = await Promise.all([fetch(60_000), killed(choose)]);
        assert.match(problem, /^git (was killed( by signal 9)?|failed without a message)$/);
      }));
  }
});

Deno.test("a program that is killed takes its git with it [git:processes]", { ignore }, async () => {
  await withHangingSsh(async ({ environment, killed, cache }) => {
    const env = { ...environment, BMAD_GIT_CACHE: cache };
    await using launch = await prepareLaunch(["cache", "update", "--path", ADDRESS], { env });
    const child = spawnAlone(launch);
    await killed(() => child.pid);
    assert.equal((await child.status).signal, "SIGKILL");
  });
});

/** Plays a scene in a repository whose second commit is a pipe that nobody writes to: `git log` never ends. */
function withEndlessLog(
  play: (scene: { readonly root: string; running(): Promise<readonly Process[]> }) => Promise<void>,
): Promise<void> {
  return withTree({ "a.txt": "1" }, async (dir) => {
    const root = await Deno.realPath(dir);
    runGit(root, "init", "--quiet");
    runGit(root, "add", "a.txt");
    for (const subject of ["one", "two"]) {
      runGit(root, "commit", "--quiet", "--allow-empty", "--message", subject);
    }
    const hash = runGit(root, "rev-parse", "HEAD");
    const object = `${root}/.git/objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
    await Deno.remove(object);
    await new Deno.Command("mkfifo", { args: [object] }).output();
    await play({
      root,
      running: async () => (await processes()).filter(({ command }) => command.includes(` -C ${root} log `)),
    });
  });
}

Deno.test("a git that reads commits ends with time or reader [git:processes]", { ignore }, async () => {
  await withEndlessLog(async ({ root, running }) => {
    const environment = { PATH: Deno.env.get("PATH")! };
    let hours = 0;
    // Each time it is asked again.
    const now = () => ++hours * 3_600_000;
    const ask = (timeout: number, signal?: AbortSignal) =>
      logCommits(root, [], "HEAD~1..HEAD", { environment, timeout, signal, within: root, now });
    const { status, stderr } = await ask(500);
    assert.deepEqual([status, stderr], [1, "git did not answer within 0.5 seconds"]);
    await until("git is gone", async () => (await running()).length === 0);
    const cancelled = new AbortController();
    const asked = assert.rejects(ask(60_000, cancelled.signal), { name: "AbortError" });
    await until(
      "git runs",
      async () => (await running()).some(({ command }) => command.startsWith("git ")),
    );
    cancelled.abort();
    await asked;
    await until("git is gone", async () => (await running()).length === 0);
  });
});

treeTest("a git that prints too much is stopped at once", { "a.txt": "1" }, async (root) => {
  runGit(root, "init", "--quiet");
  for (let count = 0; count < 20; count++) {
    runGit(root, "commit", "--quiet", "--allow-empty", "--message", "x");
  }
  const environment = { PATH: Deno.env.get("PATH")! };
  // Far more than a pipe holds: git waits until somebody reads it.
  const answer = logCommits(root, [`--format=%H ${"x".repeat(60_000)}`], "HEAD", {
    environment,
    timeout: 600_000,
    within: root,
    maxOutput: 1 << 20,
  });
  assert.match((await answer).stderr, /^git printed more than 1 MiB/);
});

Deno.test("a killed program takes a git that reads commits along [git:processes]", { ignore }, async () => {
  await withEndlessLog(async ({ root, running }) => {
    const line = ["script", "git_evidence.py", "--range", "HEAD~1..HEAD"];
    await using launch = await prepareLaunch(line, { cwd: root });
    const child = spawnAlone(launch);
    await until(
      "git runs",
      async () => (await running()).some(({ command }) => command.startsWith("git ")),
    );
    child.kill("SIGKILL");
    await child.status;
    await until("git is gone", async () => (await running()).length === 0);
  });
});
