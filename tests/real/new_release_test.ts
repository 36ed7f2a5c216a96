/** Is a release of BMAD that this program has never seen served, and is everything named in which it differs? */
import assert from "node:assert/strict";
import { installation } from "../support/installs.ts";
import { runHere } from "../support/program.ts";
import { copyTree, withTree } from "../support/trees.ts";

const CHANGED = [
  "_bmad/scripts/memlog.py",
  "_bmad/scripts/config_utils.py",
  ".claude/skills/bmad-brainstorming/scripts/brain.py",
  ".claude/skills/bmad-architecture/scripts/lint_spine.py",
  ".claude/skills/bmad-party-mode/scripts/resolve_party.py",
];
const RENAMED = { "bmad-prd": "bmad-needs", "bmad-ux": "bmad-faces" };
const MOVED = ".newtool/skills";

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}

async function withNewRelease(work: (root: string) => Promise<void>): Promise<void> {
  const real = await installation("6.12.0");
  await withTree({ "shop/": "" }, async (dir) => {
    const root = `${dir}/shop`;
    await copyTree(real, root);
    for (const path of CHANGED) await edit(`${root}/${path}`, (text) => `${text}# new\n`);
    for (const [from, to] of Object.entries(RENAMED)) {
      await Deno.rename(`${root}/.claude/skills/${from}`, `${root}/.claude/skills/${to}`);
      await edit(
        `${root}/.claude/skills/${to}/SKILL.md`,
        (text) => text.replace(`name: ${from}`, `name: ${to}`),
      );
      for (const name of ["skill-manifest.csv", "files-manifest.csv", "bmad-help.csv"]) {
        await edit(
          `${root}/_bmad/_config/${name}`,
          (text) => text.replaceAll(new RegExp(`\\b${from}(?![\\w-])`, "g"), to),
        );
      }
    }
    await edit(`${root}/_bmad/_config/manifest.yaml`, (text) => text.replaceAll("6.12.0", "6.99.0"));
    await Deno.mkdir(`${root}/.newtool`);
    await Deno.rename(`${root}/.claude/skills`, `${root}/${MOVED}`);
    await work(root);
  });
}

Deno.test("a new release is served and compared [upstream:new-release, upstream:known-scripts]", () =>
  withNewRelease(async (root) => {
    const ask = (...args: string[]) => runHere([...args, "--project", root]);
    const { project, content, problems } = JSON.parse((await ask("doctor", "--json")).stdout);
    const own = content.origins.find(({ id }: { id: string }) => id === "project");
    assert.deepEqual([own.things, own.agents, own.roots[0].version], [29, 5, "6.99.0"]);
    assert.deepEqual(content.newer, [{
      ...{ origin: "project", version: "6.99.0", known: "6.12.0" },
      ...{ added: ["bmad-faces", "bmad-needs"], gone: ["bmad-prd", "bmad-ux"] },
    }]);
    assert.deepEqual(problems, []);
    const strange = new Set<string>(
      project.scripts.flatMap((one: { strange: readonly string[] }) => one.strange),
    );
    const moved = CHANGED.map((path) => `${root}/${path.replace(".claude/skills", MOVED)}`);
    assert.deepEqual([...strange].sort(), moved.sort());
    const text = (await ask("doctor")).stdout;
    for (const path of CHANGED) {
      assert.ok(text.includes(path.replace(".claude/skills", MOVED)), `${path}\n${text}`);
    }
    // Every answer of a changed script, or of one that uses it, says so.
    for (
      const line of [
        ["memlog.py", "--help"],
        ["brain.py", "categories"],
        ["resolve_config.py", "-p", "."],
        [
          "lint_spine.py",
          "--workspace",
          ".",
        ],
        ["resolve_personas.py", "--project-root", ".", "--skill", "bmad-forge-idea"],
      ]
    ) {
      const { code, stderr } = await runHere(["script", "--project", root, ...line]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^note: \S+.* is in no BMAD release .* uv run /m, line.join(" "));
    }
    const told = await ask("call", "bmad_work", '{"script":"resolve_config.py -p . -k core"}');
    assert.match(told.stdout, /^\{\n[^]*\n\}\nnote: .*config_utils\.py is in no BMAD release .* uv run /);
    const known = await runHere(["script", "--project", root, "word_metrics.py", "_bmad/config.toml"]);
    assert.deepEqual([known.code, known.stderr], [0, ""]);
    assert.match((await ask("show", "bmad-needs")).stdout, /^name\tbmm\/bmad-needs$/m);
    // A name that is gone means no other item, and never that of another release.
    const old = await ask("show", "bmad-prd");
    assert.match(old.stderr, /No agent, workflow or skill named "bmad-prd"\..*used only if you choose/);
  }));
