/** Can a person add a source, have exactly that served, and remove it? */
import assert from "node:assert/strict";
import { assertFailed } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { agentFile, sourcesTest, withSources } from "../../support/sources.ts";
import { listTree, writeTree } from "../../support/trees.ts";

Deno.test(
  "a repository is added, served as pinned, and removed [add:pinned, add:remove, add:settings-text]",
  () =>
    withSources(async ({ make, run, json, file, lock, home, dir }) => {
      const team = make("team", { "agents/captain.md": agentFile("captain", "First orders.") });
      const first = team.git("rev-parse", "main");
      await writeTree(home, { ".config/bmad-mcp/config.toml": "# mine\nmaxFiles = 700 # few\n" });
      const added = await run("add", team.folder);
      assert.equal(
        added.stdout,
        `Added ${team.address}, pinned to commit ${first.slice(0, 10)}: 1 item (1 agent, 0 workflows)\n` +
          `Listed in ${file}\nRunning servers pick it up by themselves.\n`,
      );
      assert.equal(
        await Deno.readTextFile(file),
        `# mine\nmaxFiles = 700 # few\nsources = [\n  "${team.address}",\n]\n`,
      );
      assert.deepEqual(JSON.parse(await Deno.readTextFile(lock)), {
        version: 1,
        sources: { [team.address]: { commit: first } },
      });

      // Neither a new commit nor the loss of the repository changes what is served.
      team.commit({ "agents/captain.md": agentFile("captain", "Second orders.") });
      assert.match((await run("execute", "captain")).stdout, /First orders\./);
      await Deno.rename(team.folder, `${dir}/gone.git`);
      assert.match((await run("execute", "captain")).stdout, /First orders\./);
      const { items } = await json("sources");
      const row = items.find(({ kind }: { kind: string }) => kind === "git");
      assert.deepEqual([row.location, row.copy], [team.address, { commit: first }]);
      assert.match(
        (await run("sources")).stdout,
        new RegExp(`\\.git, pinned to commit ${first.slice(0, 10)}\\n`),
      );

      assert.match((await run("remove", "team")).stdout, /^Removed git\+file:\S+team\.git from /);
      assert.equal(await Deno.readTextFile(file), "# mine\nmaxFiles = 700 # few\nsources = [\n]\n");
      assert.deepEqual(JSON.parse(await Deno.readTextFile(lock)).sources, {});
      assertFailed(await run("remove", "team"), 1, /No source named "team"/);
      assert.equal((await run("show", "captain")).code, 1);
    }),
);

Deno.test("what cannot be fetched, or has no content, changes no file [add:nothing-written]", () =>
  withSources(async ({ make, run, home, root, project }) => {
    const empty = make("empty", { "README.md": "# Nothing here\n" });
    await writeTree(project, { "plain/notes.md": "Notes.\n" });
    const before = await listTree(`${home}`);
    assert.deepEqual(before, []);
    const table: readonly (readonly [words: readonly string[], code: number, message: RegExp])[] = [
      [[empty.folder], 3, /Cannot open git\+file:\S+: no agents, workflows or skills found in it/],
      [[`${empty.address}#nowhere`], 3, /no branch or tag named "nowhere"/],
      [[`${empty.address}:/packs`], 3, /no folder packs in it/],
      [[`git+file://${root}/gone.git`], 3, /does not appear to be a git repository/],
      [["./plain"], 3, /no agents, workflows or skills found in it/],
      [["./missing"], 1, /No folder or file named ".\/missing"/],
      [["https://ann:secret@example.org/x.git"], 2, /passwords do not belong/],
      [["http://example.org/x.git"], 2, /not encrypted/],
      [["/"], 2, /whole disk/],
      [[empty.folder, "--offline"], 3, /disabled by offline mode/],
    ];
    for (const [words, code, message] of table) {
      const result = await run("add", ...words);
      assertFailed(result, code, message);
      assert.doesNotMatch(result.stderr, /secret/);
    }
    const left = (await listTree(home)).filter((path) => !path.startsWith(".bmad/"));
    assert.deepEqual(left.filter((path) => /config\.|\.toml/.test(path)), []);
  }));

Deno.test("a trusted project's sources count [add:project, add:pinned]", () =>
  withSources(async ({ make, run, json, project, file, home, cache }) => {
    const team = make("team", { "packs/ops/agents/captain.md": agentFile("captain") });
    await writeTree(project, { "bmad-local/agents/medic.md": agentFile("medic") });
    const added = await json("add", `${team.address}:/packs/ops`, "--project");
    assert.deepEqual([added.isTrusted, added.file], [true, `${project}/.bmad-mcp.toml`]);
    const local = await run("add", "./bmad-local", "--project", project);
    assert.doesNotMatch(local.stdout, /Trusted/);
    assert.equal(
      await Deno.readTextFile(`${project}/.bmad-mcp.toml`),
      `sources = [\n  "${team.address}:/packs/ops",\n  "./bmad-local",\n]\n`,
    );
    assert.equal(await Deno.readTextFile(file), `trusted = ["${project}"]\n`);
    // The user's own sources are served beside the project's.
    await writeTree(home, { "own/agents/cook.md": agentFile("cook") });
    await run("add", `${home}/own`);
    const agents = async () =>
      (await json("list", "agents", "--pack", "none")).items.map(({ id }: { id: string }) => id).sort();
    assert.deepEqual(await agents(), ["captain", "cook", "medic"]);
    await run("config", "untrust", project);
    assert.deepEqual(await agents(), ["cook"]);
    assert.match((await run("sources")).stderr, /Ignored sources in /);
    assert.equal((await run("config", "trust", project)).stderr, "");
    await run("config", "untrust", project);

    // Somebody else checks the project out: an empty cache, and no trust.
    await Deno.remove(cache, { recursive: true });
    const restored = await run("add", "--project");
    assert.match(restored.stdout, /^2 sources of \S+ ready to be served\nTrusted /);
    assert.equal(restored.stderr, "");
    assert.deepEqual(await agents(), ["captain", "cook", "medic"]);
    await Deno.remove(cache, { recursive: true });
    const missing = await run("list", "agents");
    assert.match(missing.stderr, /packs\/ops: it is not in the cache\. Everything else is served/);
  }));

Deno.test("a name that several sources have is not guessed [add:remove]", () =>
  withSources(async ({ make, run, project }) => {
    const team = make("team", {
      "one/agents/captain.md": agentFile("captain"),
      "two/agents/medic.md": agentFile("medic"),
    });
    for (const folder of ["one", "two"]) await run("add", `${team.address}:/${folder}`);
    const several = await run("remove", "team");
    assert.equal(several.code, 1);
    assert.match(
      several.stderr,
      /"team" matches several sources.*\n.*:\/one: commit .*\n.*:\/two: commit /,
    );
    assert.match((await run("remove", "one")).stdout, /^Removed \S+:\/one /);
    assert.match((await run("remove", `${team.address}:/two`)).stdout, /^Removed \S+:\/two /);
    await writeTree(project, { "team/agents/cook.md": agentFile("cook") });
    await run("add", "./team");
    assert.match((await run("remove", "./team")).stdout, /^Removed \/\S+\/shop\/team /);
  }));

Deno.test("another version of a source takes the place of the one that is listed [add:one-version]", () =>
  withSources(async ({ make, run, json, file, lock, project }) => {
    const team = make("team", {
      "one/agents/captain.md": agentFile("captain", "First orders."),
      "two/agents/medic.md": agentFile("medic"),
    });
    team.git("branch", "v1", "main");
    team.commit({ "one/agents/captain.md": agentFile("captain", "Second orders.") });
    team.git("branch", "v2", "main");
    await writeTree(project, { "own/agents/cook.md": agentFile("cook") });
    const at = (version: string, folder = "one") => `${team.address}#${version}:/${folder}`;
    for (const source of [at("v1"), at("v1", "two"), "./own"]) await run("add", source);
    await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace('/one",', '/one", # ours'));
    const added = await run("add", at("v2"));
    assert.match(
      added.stdout,
      /^Added \S+#v2:\/one instead of \S+#v1:\/one, pinned to commit \w+: 1 item /,
    );
    // It keeps its place, which decides what overrides what.
    assert.equal(
      await Deno.readTextFile(file),
      `sources = [\n  "${at("v2")}", # ours\n  "${at("v1", "two")}",\n  "${project}/own",\n]\n`,
    );
    const { sources } = JSON.parse(await Deno.readTextFile(lock));
    assert.deepEqual(Object.keys(sources).sort(), [at("v1", "two"), at("v2")].sort());
    assert.match((await run("execute", "captain")).stdout, /Second orders\./);
    // Listed by hand twice, until one of them is added again.
    await Deno.writeTextFile(file, `sources = ["${at("v1")}", "${at("v2")}"]\n`);
    const { added: [one] } = await json("add", at("v2"));
    assert.deepEqual([one.source, one.replaced], [at("v2"), [at("v1")]]);
    assert.equal(await Deno.readTextFile(file), `sources = ["${at("v2")}"]\n`);
  }));

sourcesTest("a pinned source adds the right to read [add:no-rights]", async ({ make, run }) => {
  const team = make("team", { "agents/captain.md": agentFile("captain") });
  await run("add", team.folder);
  const { stderr } = await run("list", "agents", "--log-level", "debug");
  const [limits = ""] = /can read only .*/.exec(stderr) ?? [];
  assert.doesNotMatch(limits, /can (?:write|run)/);
  assert.match(limits, /\.bmad/);
});

Deno.test("hostile projects and repositories gain nothing [add:hostile, add:project]", POSIX, async () => {
  await withSources(async ({ make, run, project, home, file }) => {
    const team = make("team", {
      "agents/captain.md": agentFile("captain"),
      "agents/secret.md": { link: `${home}/secret.md` },
      ".bmad-cache.json": { link: `${home}/secret.md` },
    });
    await writeTree(home, { "secret.md": agentFile("secret", "My secret.") });
    const own = `${project}/.bmad-mcp.toml`;
    // A pipe would be waited for, and a link read or written through.
    const lock = `${project}/.bmad-mcp.lock.json`;
    const linkTo = (file: string) => Deno.symlink(`${home}/secret.md`, file);
    const traps: readonly (readonly [file: string, set: () => Promise<unknown>])[] = [
      [own, () => new Deno.Command("mkfifo", { args: [own] }).output()],
      [own, () => linkTo(own)],
      [lock, () => linkTo(lock)],
    ];
    for (const [file, set] of traps) {
      await set();
      const refused = await run("add", team.folder, "--quiet", "--project");
      assertFailed(refused, 2, new RegExp(`${RegExp.escape(file)}: not a plain file`));
      await Deno.remove(file);
    }
    assert.equal(await Deno.readTextFile(`${home}/secret.md`), agentFile("secret", "My secret."));
    await assert.rejects(Deno.lstat(file));

    // Trust is never silent about what else it puts into force.
    await writeTree(project, { ".bmad-mcp.toml": 'gitTtl = "7d"\nlogLevel = "debug"\n' });
    const added = await run("add", team.folder, "--project");
    assert.match(
      added.stdout,
      /Trusted \S+: its settings file now counts like your own\. It also sets logLevel, gitTtl\. Its sources: \S+\n/,
    );
    const { stdout } = await run("list", "agents", "--pack", "none");
    assert.match(stdout, /captain/);
    assert.doesNotMatch(stdout, /secret/);
    assert.equal(await Deno.readTextFile(`${home}/secret.md`), agentFile("secret", "My secret."));
  });
});
