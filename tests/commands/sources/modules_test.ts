/** Can BMAD's official modules be listed and added by their codes, from where they really are? */
import assert from "node:assert/strict";
import { moduleNamed, MODULES_AS_OF, OFFICIAL_MODULES } from "../../../src/base/official_modules.ts";
import { parseYaml } from "../../../src/content/parse.ts";
import { canServeGit, withStandIn } from "../../support/git.ts";
import { sourceTree } from "../../support/installs.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { withSources } from "../../support/sources.ts";
import { packageOf } from "../../support/tar.ts";
import { writeTree } from "../../support/trees.ts";

const skill = (name: string, text: string) =>
  `---\nname: ${name}\ndescription: ${name} it.\n---\n\n${text}\n`;

const moduleFiles = (code: string, text: string) => ({
  "src/module.yaml": `code: ${code}\nname: "${code}"\n`,
  [`src/skills/bmad-${code}-think/SKILL.md`]: skill(`bmad-${code}-think`, text),
});

Deno.test("the table has the modules of BMAD's own registry, and no others [add:modules]", async () => {
  const text = await Deno.readTextFile(`${await sourceTree("bmad-method@6.12.0")}/bmad-modules.yaml`);
  const rows = Object.values(parseYaml(text).value["modules"] as Record<string, Record<string, unknown>>);
  assert.deepEqual(
    OFFICIAL_MODULES.map(({ code }) => code).sort(),
    ["core", "bmm", ...rows.map(({ code }) => code)].sort(),
  );
  for (const { code, url, deprecated = false, npmPackage, aliases = [] } of rows) {
    const { source, state, npm, otherCodes = [] } = moduleNamed(String(code))!;
    assert.equal(state, deprecated ? "deprecated" : "current", String(code));
    const address = `git+${String(url).replace(/(?:\.git)?$/, ".git")}`;
    assert.ok([address, `npm:${npmPackage}`].includes(source), source);
    if (source === address) assert.equal(npm?.name, npmPackage);
    for (const alias of aliases as string[]) assert.ok(otherCodes.includes(alias), alias);
  }
  assert.match(MODULES_AS_OF, /^\d{4}-\d\d-\d\d$/);
});

Deno.test({
  name:
    "a module is added by its code at its newest release, follows releases, and is removed by its code [add:modules, add:pinned]",
  ignore: !canServeGit(),
  fn: () =>
    withSources((scene) =>
      withStandIn(scene, "github.com", async (env) => {
        const { make, project, home, lock, file } = scene;
        const run = (...args: string[]) => runHere(args, { cwd: project, env: { HOME: home, ...env } });
        const cis = make(
          "bmad-code-org/bmad-module-creative-intelligence-suite",
          moduleFiles("cis", "Version 1."),
        );
        cis.git("tag", "v0.2.0", "main");
        cis.git("tag", "v0.10.0-next", "main");
        const second = cis.commit(moduleFiles("cis", "Version 2."));
        cis.git("tag", "-a", "v0.9.0", "-m", "Release", "main");
        cis.commit(moduleFiles("cis", "Not released."));
        const wds = make("bmad-code-org/bmad-method-wds-expansion", moduleFiles("wds", "Design."));

        // Whoever asks for something of a module that is not here is told how to get it.
        assertFailed(await run("show", "storytelling"), 1, /Add the module with `bmad-mcp add cis`\n$/);
        const source = moduleNamed("cis")!.source;
        const added = await run("add", "cis");
        assert.equal(added.stderr, "");
        assert.match(
          added.stdout,
          new RegExp(`^Added \\S+suite\\.git#v0\\.9\\.0, pinned to commit ${second.slice(0, 10)}: 1 item `),
        );
        assert.match((await run("execute", "bmad-cis-think")).stdout, /Version 2\./);
        assert.deepEqual(JSON.parse(await Deno.readTextFile(lock)).sources, {
          [`${source}#v0.9.0`]: { commit: second, entry: { list: source, name: "cis" } },
        });
        const { items, asOf } = JSON.parse((await run("modules", "--json")).stdout);
        assert.equal(asOf, MODULES_AS_OF);
        const here = (code: string) => items.find((one: { code: string }) => one.code === code).here;
        assert.deepEqual([here("cis")?.origin, here("gds")], ["git", undefined]);

        const third = cis.commit(moduleFiles("cis", "Version 3."));
        cis.git("tag", "v1.0.0", "main");
        assert.match(
          (await run("update", "cis")).stdout,
          / → commit \w+: 1 item changed\n {2}now at \S+#v1\.0\.0\n/,
        );
        assert.equal(JSON.parse(await Deno.readTextFile(lock)).sources[`${source}#v0.9.0`].commit, third);
        assert.match((await run("remove", "cis")).stdout, /^Removed git\+https:\S+suite\.git#v0\.9\.0 from /);

        // Without a release, the newest commit counts. What is deprecated says so.
        const old = await run("add", "WDS");
        assert.match(old.stdout, new RegExp(`pinned to commit ${wds.git("rev-parse", "main").slice(0, 10)}`));
        assert.match(old.stdout, /\nwds is deprecated: it gets no updates/);
        assert.match((await run("modules")).stdout, /^automator\t.*\(deprecated: bmad-loop replaces it\)$/m);
        // A folder of the same name is meant before a module.
        await writeTree(project, { "cis/agents/own.md": skill("own", "Mine.") });
        assert.match((await run("add", "cis")).stdout, /^Added \S+\/shop\/cis: 1 item/);
        assert.doesNotMatch(await Deno.readTextFile(file), /suite/);
      })
    ),
});

Deno.test("a package without the texts of its module is refused, with where they are [add:hollow]", () =>
  withSources(async ({ run, project }) => {
    const hollow = (code: string) =>
      packageOf({
        "package.json": JSON.stringify({ name: "games", version: "0.2.2" }),
        "src/module.yaml": `code: ${code}\nname: "Games"\n`,
        "src/agents/gds-agent-dev/bmad-skill-manifest.yaml": "type: agent\nname: gds-agent-dev\n",
        "src/workflows/gds-play/bmad-skill-manifest.yaml": "type: skill\n",
      });
    await Deno.writeFile(`${project}/games.tgz`, await hollow("gds"));
    await Deno.writeFile(`${project}/own.tgz`, await hollow("ours"));
    const reason =
      /it is hollow: it describes the module gds and its 2 skills, but has none of the texts\. Its repository has them: bmad-mcp add gds\n$/;
    for (const command of ["add", "preview"]) assertFailed(await run(command, "./games.tgz"), 3, reason);
    const other = /the module ours and its 2 skills.*Add its repository instead/;
    assertFailed(await run("add", "./own.tgz"), 3, other);
  }));
