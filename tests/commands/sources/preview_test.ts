/** Does a preview say what a version would change in a project, and write nothing there? */
import assert from "node:assert/strict";
import { serveNpmVersions } from "../../support/npm_registry.ts";
import { assertFailed } from "../../support/program.ts";
import { sourcesTest, withSources } from "../../support/sources.ts";
import { packageOf } from "../../support/tar.ts";
import { listTree, writeTree } from "../../support/trees.ts";

const skill = (name: string, text: string) =>
  `---\nname: ${name}\ndescription: ${name} it.\n---\n\n${text}\n`;

const MANIFEST = "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n    version: 6.12.0\n";

/** A project with three skills, of which one is the user's own. */
const PROJECT = {
  "_bmad/_config/manifest.yaml": MANIFEST,
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    ["sail", "row"].map((id) => `bmad-${id},bmad-${id},,bmm,_bmad/bmm/bmad-${id}/SKILL.md\n`).join(""),
  "_bmad/bmm/config.yaml": "planning_artifacts: docs\nharbour: Kiel\n",
  ".claude/skills/bmad-sail/SKILL.md": skill("bmad-sail", "Sail."),
  ".claude/skills/bmad-sail/customize.toml": '[workflow]\nroute = "north"\nspeed = 1\n',
  ".claude/skills/bmad-sail/scripts/wind.py": "print(1)\n",
  ".claude/skills/bmad-row/SKILL.md": skill("bmad-row", "Row."),
  "_bmad/custom/bmad-sail.toml": "[workflow]\nspeed = 3\n",
};

const PACKAGE = {
  "package.json": JSON.stringify({ name: "@acme/method", version: "7.0.0" }),
  "src/bmm-skills/module.yaml":
    "code: bmm\nname: Method\nplanning_artifacts:\n  prompt: Where?\n  default: docs\n",
  "src/bmm-skills/bmad-sail/SKILL.md": skill("bmad-sail", "Sail on."),
  "src/bmm-skills/bmad-sail/customize.toml": '[workflow]\nroute = "north"\n',
  "src/bmm-skills/bmad-sail/scripts/wind.py": "print(2)\n",
  "src/bmm-skills/bmad-sail/scripts/memlog.py": "print(3)\n",
  "src/bmm-skills/bmad-swim/SKILL.md": skill("bmad-swim", "Swim."),
};

Deno.test("packages and folders are previewed [preview:nothing-written]", () =>
  withSources(async ({ run, json, home, project, dir }) => {
    await writeTree(project, PROJECT);
    await using registry = serveNpmVersions("@acme/method", new Map([["7.0.0", await packageOf(PACKAGE)]]));
    await writeTree(home, { ".npmrc": `${registry.config}fetch-retries=0\n` });
    await writeTree(`${dir}/folder`, PACKAGE);
    await Deno.writeFile(`${dir}/method.tgz`, await packageOf(PACKAGE));
    const contents = async () =>
      await Promise.all((await listTree(project)).map(async (path) => {
        const [, file = path] = /^(.*?)(?: -> .*)?$/.exec(path) ?? [];
        return [path, await Deno.readTextFile(`${project}/${file}`).catch(() => "")];
      }));
    const before = await contents();

    const shown = await run("preview", "@acme/method@7.0.0", "--diff");
    assert.equal(shown.code, 0, shown.stderr);
    const lines = shown.stdout.split("\n");
    assert.equal(
      lines[0],
      `npm:@acme/method@7.0.0, version 7.0.0, in the place of ${project}, which has 6.12.0`,
    );
    for (
      const line of [
        "  skill bmm/bmad-row",
        "  skill bmm/bmad-swim",
        `  ${project}/_bmad/custom/bmad-sail.toml, for bmm/bmad-sail: it has no workflow.speed any more`,
        "  changed bmad-sail/scripts/wind.py",
        "  added bmad-sail/scripts/memlog.py, which this version of bmad-mcp does not know",
        "  removed bmm.harbour",
        "  bmm/bmad-sail (SKILL.md, customize.toml, scripts/wind.py, added scripts/memlog.py)",
        "-Sail.",
        "+Sail on.",
        "Nothing was installed or changed.",
      ]
    ) assert.ok(lines.includes(line), `${line}\n${shown.stdout}`);

    const ofArchive = await json("preview", `${dir}/method.tgz`);
    const ofFolder = await json("preview", `${dir}/folder`);
    const facts = ({ source: _, version: __, ...rest }: Record<string, unknown>) => rest;
    assert.deepEqual(facts(ofArchive), facts(ofFolder));
    assert.deepEqual([ofFolder.lost, ofFolder.gained], [
      [{ name: "bmm/bmad-row", kind: "skill" }],
      [{ name: "bmm/bmad-swim", kind: "skill" }],
    ]);
    assert.deepEqual(ofFolder.configuration, [{ module: "bmm", key: "harbour", change: "removed" }]);
    const cost = ofFolder.activations.find(({ name }: { name: string }) => name === "bmm/bmad-sail");
    assert.ok(cost.before > 10 && cost.after > 10, JSON.stringify(cost));

    assert.deepEqual(await contents(), before);
    const kept = /^(?:\.bmad\/(?:cache\/.*)?$|\.npm)/;
    assert.deepEqual((await listTree(home)).filter((path) => !kept.test(path)), []);
  }));

sourcesTest("a preview compares embedded content [preview:nothing-written]", async ({ run, json, dir }) => {
  await writeTree(`${dir}/folder`, PACKAGE);
  await writeTree(`${dir}/empty`, { "README.md": "Nothing.\n" });
  const embedded = await json("preview", `${dir}/folder`);
  assert.deepEqual([embedded.before, embedded.versions], ["the embedded content", ["6.12.0"]]);
  assertFailed(await run("preview", `${dir}/folder`, "--pack", "none"), 1, /No content to compare with/);
  assertFailed(await run("preview", `${dir}/empty`), 3, /no agents, workflows or skills found in it/);
  assertFailed(await run("preview", "./missing"), 1, /No folder or file named/);
  assertFailed(await run("preview"), 2, /preview/);
});
