/**
 * Do the scripts of the generation after 6.12 that look something up answer natively?
 *
 * With `BMAD_TREE`, a checkout of that line, upstream's own `knowledge.py` is asked as well.
 */
import assert from "node:assert/strict";
import { findResolvers, openLibrary } from "../../../src/content/library/mod.ts";
import { RESOLVERS } from "../../../src/project/scripts/resolvers.ts";
import { FLAT_SKILLS, flatNames, flatSource, NEWEST_SKILLS } from "../../support/flat.ts";
import { opening } from "../../support/library.ts";
import { NO_PYTHON } from "../../support/python.ts";
import { verifies } from "../../support/requirements.ts";
import { runNative } from "../../support/scripts.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;
type Files = Readonly<Record<string, TreeFile>>;

const SKILLS = ".agents/skills";

/** Runs a script in a project; its answer is JSON. */
async function ask(dir: string, name: string, ...args: readonly string[]): Promise<Json> {
  const library = await openLibrary([opening("project", 1, dir)], { project: dir });
  const script = RESOLVERS.find((one) => one.name === name)!;
  const resolvers = () => findResolvers(library);
  const { status, stdout, stderr } = await runNative(script, dir, args, "", { resolvers });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const withProject = <T>(files: Files, work: (dir: string) => Promise<T>): Promise<T> =>
  withTree({ ...flatSource("tickets", SKILLS), ...files }, work);

Deno.test(
  verifies("work:flat-scripts", "resolve_config.py reads the three layers of that line"),
  () =>
    withProject({
      "_bmad/config.toml": '[core]\nproject_name = "Shop"\n',
      "_bmad/config.user.toml": '[core]\nuser_name = "Old"\n',
      "_bmad/custom/config.user.toml": '[core]\nactive_initiative = "initiative-one"\n',
    }, async (dir) => {
      const core = { project_name: "Shop", active_initiative: "initiative-one" };
      assert.deepEqual(await ask(dir, "resolve_config.py", "--project-root", dir), { core });
    }),
);

Deno.test(verifies("work:flat-scripts", "knowledge.py lists the help of every module"), () =>
  withProject({
    [`${SKILLS}/bmod-method/migration-1.toml`]:
      '[migration]\nmodule = "method"\nfrom = "6"\nto = "7"\ntitle = "Move on"\n',
    [`${SKILLS}/bmod-tea/bmod.toml`]:
      '[bmod]\ncode = "tea"\nversion = "2"\nupdate_source = "github:a/b"\nskills = ["bmad-tea", "bmad-testarch-ci", "bmad-testarch-nfr"]\n' +
      '[[bmod.knowledge]]\npath = "knowledge/pipelines.md"\nskills = ["bmad-testarch-ci"]\n' +
      '[[bmod.knowledge]]\npath = "../../secret.md"\n',
    "secret.md": "hidden",
  }, async (dir) => {
    const report = await ask(dir, "knowledge.py", "--root", SKILLS, "--content");
    assert.deepEqual(report.roots, [SKILLS]);
    assert.deepEqual(
      report.skills.map(({ module, skill }: Json) => `${module}/${skill}`).sort(),
      flatNames("tickets"),
    );
    const skill = (id: string) => report.skills.find((one: Json) => one.skill === id);
    const root = `${dir}/${SKILLS}`;
    assert.deepEqual(skill("bmad-prd"), { skill: "bmad-prd", module: "method", bmod: "bmod-method", root });
    assert.deepEqual(skill("release-notes").bmod, "release-notes");
    assert.deepEqual(report.documents.map(({ module, path }: Json) => `${module}: ${path}`), [
      "core-tools: help/help.md",
      "method: help/help.md",
      "notes: help/help.md",
      "tea: help/help.md",
      "tea: knowledge/pipelines.md",
    ]);
    const [, method, , tea, pipelines] = report.documents;
    assert.deepEqual(method.skills, [...FLAT_SKILLS.method, ...NEWEST_SKILLS.method]);
    assert.match(method.content, /^# Method/);
    assert.deepEqual([tea.skills.length, tea.installed_skills.length, tea.reported_from], [3, 2, "bmod-tea"]);
    assert.deepEqual(pipelines.skills, ["bmad-testarch-ci"]);
    assert.deepEqual(report.topics, [
      {
        module: "method",
        topic: "tickets",
        path: "help/tickets.md",
        file: `${root}/bmod-method/help/tickets.md`,
      },
    ]);
    assert.deepEqual(report.migrations, [
      {
        ...{ module: "method", path: "migration-1.toml", file: `${root}/bmod-method/migration-1.toml` },
        ...{ from: "6", to: "7", title: "Move on" },
      },
    ]);
    assert.deepEqual(report.problems, []);
  }));

Deno.test(verifies("work:flat-scripts", "roster.py lists agents, guests and groups"), () =>
  withProject({
    "_bmad/config.toml": '[agents.mine]\nname = "Mia"\ndescription = "Hums."\ntoken = "hush"\n',
    "_bmad/custom/bmad-agent-pm.toml": '[agent]\nname = "Paula"\n',
  }, async (dir) => {
    const report = await ask(dir, "roster.py", "--root", SKILLS, "--project-root", dir);
    assert.deepEqual(Object.keys(report.agents).sort(), ["dev", "mine", "pm"]);
    assert.deepEqual(report.agents.pm, {
      ...{
        code: "pm",
        module: "method",
        source: "roster",
        name: "Paula",
        icon: "📋",
        title: "Product Manager",
      },
      ...{ persona: "Asks why three times.", skill: "bmad-agent-pm", installed: true },
    });
    assert.deepEqual(report.agents.mine, { code: "mine", source: "config", name: "Mia", persona: "Hums." });
    assert.equal(report.members.critic.name, "Cora");
    assert.deepEqual(report.groups.map(({ id, module }: Json) => [id, module]), [["kitchen", "method"]]);
  }));

const TREE = Deno.env.get("BMAD_TREE");
const ORIGINAL = `${TREE}/skills/bmad/scripts/knowledge.py`;

Deno.test({
  name: "upstream's own script agrees on modules and members",
  ignore: NO_PYTHON || TREE === undefined,
  fn: async () => {
    const root = `${TREE}/skills`;
    const command = new Deno.Command("python3", { args: [ORIGINAL, "--root", root], stdout: "piped" });
    const { stdout } = await command.output();
    const theirs = JSON.parse(new TextDecoder().decode(stdout));
    const ours = await ask(TREE!, "knowledge.py", "--root", root);
    for (const part of ["skills", "documents", "topics", "migrations"]) {
      assert.deepEqual(ours[part], theirs[part], part);
    }
  },
});
