/** Is every kind of content in a repository read as from a folder, and nothing outside it? */
import assert from "node:assert/strict";
import { sourceTree } from "../../support/installs.ts";
import { type Files, type Repository, runGit, withRepositories } from "../../support/git.ts";
import { runCli } from "../../support/program.ts";
import { copyTree, withTree } from "../../support/trees.ts";

const agent = (name: string) => `---\nname: ${name}\ndescription: The ${name}\n---\n# ${name}\n`;
const skill = (name: string) => `---\nname: ${name}\ndescription: The ${name}\n---\nDo it.\n`;

const MONOREPO: Files = {
  "README.md": "Everything of ours.\n",
  "teams/ops/agents/medic.md": agent("medic"),
  "teams/ops/workflows/heal/workflow.yaml": "name: heal\ndescription: Heal\n",
  "teams/site/_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-sail","bmad-sail","Sail","sea","_bmad/sea/bmad-sail/SKILL.md"\n',
  "teams/site/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - sea\n",
  "teams/site/_bmad/sea/bmad-sail/SKILL.md": skill("bmad-sail"),
  "teams/loose/tie-knots/SKILL.md": skill("tie-knots"),
  "teams/v4/agents/cook.md": "# cook\n\n```yaml\nagent:\n  name: Pat\n  id: cook\n  title: Cook\n```\n",
  "teams/v4/agent-teams/galley.yaml": "bundle:\n  name: Galley\nagents:\n  - cook\n",
  "teams/v4/core-config.yaml": "markdownExploder: true\n",
};

async function listOf(what: string, address: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(["list", what, "--pack", "none", "--path", address, ...args]);
  assert.deepEqual([code, stderr], [0, stderr.startsWith("No ") ? stderr : ""]);
  return stdout.split("\n").map((line) => line.split("\t")[0]!).filter((name) => name !== "").sort().join();
}

Deno.test("a folder may be a module, root, installation or skills [origins:git-arguments]", () =>
  withRepositories(async ({ make }) => {
    const { address } = make("mono", MONOREPO);
    assert.equal(await listOf("agents", `${address}#main:/teams/ops`), "custom/medic");
    assert.equal(await listOf("workflows", `${address}#main:/teams/ops`), "custom/heal");
    assert.equal(await listOf("skills", `${address}:/teams/site`), "sea/bmad-sail");
    assert.equal(await listOf("skills", `${address}:/teams/site/_bmad`), "sea/bmad-sail");
    assert.equal(await listOf("skills", `${address}:/teams/loose`), "skills/tie-knots");
    assert.match(await listOf("agents", `${address}:/teams/v4`), /(^|\/)cook$/);
  }));

Deno.test("several folders are origins of their own, from one copy [origins:git-arguments]", () =>
  withRepositories(async ({ dir, make }) => {
    const { address } = make("mono", MONOREPO);
    const env = { BMAD_GIT_CACHE: `${dir}/cache`, BMAD_ROOT: `${address}#main:/teams/loose` };
    const args = ["--pack", "none", "--path", `${address}#main:/teams/ops`, "--json"];
    const { stdout } = await runCli(["list", "sources", ...args], { env });
    const found = JSON.parse(stdout).items.filter(({ kind }: { kind: string }) => kind === "git");
    assert.deepEqual(
      found.map((
        { id, priority, location, things }: Record<string, unknown>,
      ) => [id, priority, location, things]),
      [["git", 5, `${address}#main:/teams/ops`, 2], ["git-2", 5, `${address}#main:/teams/loose`, 1]],
    );
    const copies = [...Deno.readDirSync(`${dir}/cache`)].filter(({ name }) => name !== ".work");
    assert.equal(copies.length, 1);
  }));

Deno.test("a link in a repository never leads out of the served folder [git:rights]", () =>
  withRepositories(async ({ dir, make }) => {
    await Deno.writeTextFile(`${dir}/secret.md`, agent("secret"));
    const { address } = make("team", {
      "ops/agents/medic.md": agent("medic"),
      "ops/agents/near.md": { link: "medic.md" },
      "ops/agents/beside.md": { link: "../../other/agents/beside.md" },
      "ops/agents/far.md": { link: `${dir}/secret.md` },
      "ops/agents/up.md": { link: "../../../../../../../../../../../../etc/passwd" },
      "other/agents/beside.md": agent("beside"),
      "away": { link: dir },
    });
    assert.equal(await listOf("agents", `${address}:/ops`), "custom/medic,custom/near");
    const { stdout } = await runCli([
      ...["list", "doctor", "--pack", "none", "--path", `${address}:/away`, "--json"],
    ]);
    const reported = JSON.parse(stdout).items.find(({ code }: { code?: string }) =>
      code === "origin-unavailable"
    );
    assert.match(reported.message, /: no folder away in commit [0-9a-f]{10}$/);
  }));

Deno.test("a missing folder and an empty repository are reported [git:failure-reported]", () =>
  withRepositories(async ({ make }) => {
    const { address } = make("team", { "README.md": "Nothing here.\n" });
    const warned = async (path: string) => {
      const { code, stdout, stderr } = await runCli(["list", "agents", "--pack", "none", "--path", path]);
      assert.deepEqual([code, stdout], [0, ""]);
      return stderr;
    };
    assert.match(
      await warned(`${address}#main:/nope`),
      /^bmad-mcp warn: Cannot open git\+file:\S+: no folder nope in commit \w{10}\. Everything else is served\n/,
    );
    assert.match(await warned(address), /^bmad-mcp warn: No BMAD content found in git\+file:/);
    assert.match(
      await warned(`${address}#gone`),
      /^bmad-mcp warn: Cannot open \S+: no branch or tag named "gone"\. Next attempt after .* UTC\. Everything else is served\n/,
    );
  }));

/** Commits a folder as it is, and tags it. */
async function publish(team: Repository, work: string, folder: string, tag: string): Promise<void> {
  for await (const { name } of Deno.readDir(work)) {
    if (name !== ".git") await Deno.remove(`${work}/${name}`, { recursive: true });
  }
  await copyTree(folder, work);
  team.commit({});
  runGit(work, "push", "--quiet", "origin", `HEAD:refs/tags/${tag}`);
}

Deno.test("BMAD's own repository is read at any tag, like a folder [origins:git-arguments]", () =>
  withRepositories(({ dir, make }) =>
    withTree({}, async (home) => {
      const team = make("method", { "README.md": "BMAD\n" });
      const packages = ["bmad-method@4.44.3", "bmad-method@6.0.0-alpha.22", "bmad-method@6.12.0"] as const;
      for (const name of packages) {
        await publish(team, `${dir}/checkouts/method`, await sourceTree(name), `v${name.split("@")[1]}`);
      }
      const env = { BMAD_GIT_CACHE: `${home}/cache` };
      const names = async (path: string) => {
        const { stdout } = await runCli(["list", "agents", "--pack", "none", "--path", path], { env });
        return stdout.split("\n").map((line) => line.split("\t")[0]).sort();
      };
      for (const name of packages) {
        const fromGit = await names(`${team.address}#v${name.split("@")[1]}`);
        assert.ok(fromGit.length > 5, name);
        assert.deepEqual(fromGit, await names(await sourceTree(name)), name);
      }
    })
  ));
