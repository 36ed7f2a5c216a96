/** Can a person list, update and clear the cached repositories from the command line? */
import assert from "node:assert/strict";
import { type Repositories, type Repository, withRepositories } from "../../support/git.ts";
import { assertFailed, type CliResult, runCli } from "../../support/program.ts";
import { listTree } from "../../support/trees.ts";

interface Scene extends Repositories {
  readonly team: Repository;
  readonly cache: string;
  run(...args: readonly string[]): Promise<CliResult>;
}

function scene(play: (scene: Scene) => Promise<void>): Promise<void> {
  return withRepositories((repositories) => {
    const cache = `${repositories.dir}/cache`;
    return play({
      ...repositories,
      team: repositories.make("team", { "agents/captain.md": "---\nname: captain\n---\n# Captain\n" }),
      cache,
      run: (...args) => runCli(args, { env: { BMAD_GIT_CACHE: cache } }),
    });
  });
}

const items = ({ stdout }: CliResult) => JSON.parse(stdout).items;

Deno.test("copies are listed with commit, age and size, updated, and removed [cli:cache]", () =>
  scene(async ({ team, cache, run }) => {
    assert.deepEqual(await run("cache", "list"), {
      code: 0,
      stdout: "",
      stderr: `No repository is cached (${cache}).\n`,
    });
    const name = `${team.address}#main`;
    const first = team.git("rev-parse", "main");
    const update = ["cache", "update", "--path", `${name}:/agents`];
    assert.deepEqual(await run(...update), {
      code: 0,
      stdout: `${name}:/agents\tfetched, commit ${first.slice(0, 10)}\n`,
      stderr: "",
    });
    const list = await run("cache", "list", "--path", name);
    assert.match(
      list.stdout,
      new RegExp(`^\\S+#main\\tcommit ${first.slice(0, 10)}, fetched \\d+ seconds? ago, \\d+\\.0 KiB\\n$`),
    );
    const [row] = items(await run("cache", "list", "--json"));
    const { fetched, ageSeconds, size, folder, ...rest } = row;
    assert.deepEqual(rest, { name, commit: first, copies: 1, configured: false });
    assert.ok(Date.parse(fetched) <= Date.now() && ageSeconds >= 0 && ageSeconds < 20);
    assert.ok(
      folder.startsWith(`${cache}/`) && size > 0 && size < 100_000 && size % 4_096 === 0,
      JSON.stringify(row),
    );

    assert.match((await run(...update)).stdout, /\tunchanged, commit/);
    // Named by its address alone, although nothing configures it.
    assert.match((await run("cache", "update", `${name}:/agents`)).stdout, /\tunchanged, commit/);
    const second = team.commit({ "agents/medic.md": "# Medic\n" });
    assert.deepEqual(items(await run(...update, "--json")), [
      { name: `${name}:/agents`, outcome: "fetched", commit: second },
    ]);
    assert.deepEqual(items(await run("cache", "list", "--json"))[0].copies, 2);

    const cleared = items(await run("cache", "clear", "--json"));
    assert.deepEqual(cleared.map(({ name, removed }: Record<string, unknown>) => [name, removed]), [[
      name,
      true,
    ]]);
    assert.deepEqual((await listTree(cache)).filter((path) => !path.startsWith(".work/")), []);
  }));

Deno.test("single copies can be named, and other files in the cache stay [cli:cache]", () =>
  scene(async ({ team, make, cache, run }) => {
    const other = make("other", { "agents/medic.md": "# Medic\n" });
    await run("cache", "update", "--path", team.address, "--path", other.address);
    await Deno.mkdir(`${cache}/mine/deeper`, { recursive: true });
    await Deno.writeTextFile(`${cache}/mine/notes.md`, "Keep me.");
    await Deno.writeTextFile(`${cache}/notes.md`, "Keep me, too.");
    const names = async () =>
      items(await run("cache", "list", "--json")).map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(), [other.address, team.address]);
    assert.equal(items(await run("cache", "list", other.address, "--json")).length, 1);
    assertFailed(
      await run("cache", "clear", `${team.address}x`),
      1,
      /^bmad-mcp: No repository named "git\+file:\S+x"\. Did you mean git\+file:/,
    );
    assert.match(
      (await run("cache", "clear", team.address)).stdout,
      /^git\+file:\S+\tremoved, \d+\.0 KiB\n$/,
    );
    assert.deepEqual(await names(), [other.address]);
    await run("cache", "clear");
    const left = (await listTree(cache)).filter((path) => !path.startsWith(".work"));
    assert.deepEqual(left, ["mine/", "mine/deeper/", "mine/notes.md 8", "notes.md 13"]);
  }));

Deno.test("a failed fetch is reported, and the others succeed [cli:cache, git:failure-reported]", () =>
  scene(async ({ team, root, run }) => {
    const gone = `git+file://${root}/gone.git`;
    const both = ["--path", gone, "--path", team.address];
    const { code, stdout, stderr } = await run("cache", "update", ...both);
    assert.equal(code, 3);
    assert.match(
      stdout,
      /gone\.git\tfailed: .*does not appear to be a git repository.*\n.*team\.git\tfetched/,
    );
    assert.match(
      stderr,
      /^bmad-mcp: Cannot open git\+file:\S+gone\.git: .*does not appear to be a git repository[^\n]*\n$/,
    );
    // `cache update` always tries again; `cache clear` forgets the failure.
    const listed = await run("list", "agents", "--pack", "none", ...both);
    assert.match(listed.stderr, /^bmad-mcp warn: Cannot open .*Next attempt after/);
    await run("cache", "clear");
    const again = await run("list", "agents", "--pack", "none", "--offline", ...both);
    assert.match(
      again.stderr,
      /not cached, and fetching is disabled by offline mode\. Everything else is served\n/,
    );
  }));

Deno.test("the command says what it cannot do [cli:cache]", () =>
  scene(async ({ team, run }) => {
    assertFailed(await run("cache", "cleer"), 2, /Unknown cache action "cleer"\. Did you mean clear\?/);
    assertFailed(await run("cache"), 2, /Usage: bmad-mcp cache list\|update\|clear \[NAME…\]/);
    const offline = await run("cache", "update", "--offline", "--path", team.address);
    assertFailed(offline, 3, /^bmad-mcp: Cannot fetch repositories: --offline is set/);
    const { code, stderr } = await run("cache", "update");
    assert.deepEqual([code, stderr.startsWith("No repository is configured (")], [0, true]);
  }));

Deno.test("only a fetch may write, and only to the cache [git:rights, git:offline]", () =>
  scene(async ({ team, run, dir }) => {
    const before = await listTree(dir);
    for (
      const command of [["cache", "list"], ["config"], ["list", "sources", "--offline"]]
    ) {
      assert.equal((await run(...command, "--path", team.address)).code, 0);
    }
    // The doctor, which finds no copy, asks git for its version and fetches nothing.
    assert.equal((await run("doctor", "--path", team.address)).code, 1);
    assert.deepEqual(await listTree(dir), before);
    await run("list", "agents", "--path", team.address);
    const after = await listTree(dir);
    assert.deepEqual(after.filter((path) => !path.startsWith("cache/")), before);
  }));

Deno.test("a cache that cannot be written is reported, and the rest is served [git:failure-reported]", () =>
  scene(async ({ team, dir }) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    const args = ["--git-cache", `${dir}/file/cache`, "--path", team.address];
    const { code, stdout, stderr } = await runCli(["list", "agents", ...args]);
    assert.deepEqual([code, stdout.split("\n").length], [0, 7]);
    assert.match(
      stderr,
      /^bmad-mcp warn: \S+\/file\/cache lies below something that is not a folder, so it is not used\nbmad-mcp warn: Cannot open git\+file:\S+: no folder can hold a copy of it[^\n]+\n$/,
    );
    const served = await runCli(args, { stdin: "" });
    assert.equal(served.code, 0);
  }));
