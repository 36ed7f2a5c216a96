/**
 * Do the scripts of the generation after 6.12 that look something up answer natively?
 *
 * With `BMAD_TREE`, a checkout of that line, upstream's own scripts are asked as well.
 */
import assert from "node:assert/strict";
import { findResolvers, type Library, openLibrary } from "../../../src/content/library/mod.ts";
import { RESOLVERS } from "../../../src/project/scripts/resolvers.ts";
import { FLAT_SKILLS, flatNames, flatSource, NEWEST_SKILLS } from "../../support/flat.ts";
import { opening } from "../../support/library.ts";
import { NO_PYTHON, PYTHON } from "../../support/python.ts";
import { runNative, worldOf } from "../../support/scripts.ts";
import { type TreeFile, withTree } from "../../support/trees.ts";
import { commandOf, runScript } from "../../../src/project/scripts/mod.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const PLACES = ["skills", ".agents/skills", ".claude/skills"];

function factsOf(stdout: string): Json {
  const { skills, documents, topics, migrations } = JSON.parse(stdout);
  return { skills, documents, topics, migrations };
}

/** Fails unless each of these scripts that the tree has agrees with us; returns their names. */
async function compareTree(tree: string): Promise<readonly string[]> {
  const root = await Deno.realPath(tree);
  const place = PLACES.find((place) => exists(`${root}/${place}/bmad/scripts`));
  assert.ok(place !== undefined, `${root} has no skill bmad with scripts in ${PLACES.join(", ")}`);
  const skills = `${root}/${place}`;
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const world = worldOf(root, { resolvers: () => findResolvers(library) });
  const compared: string[] = [];
  const [own, setup] = ["knowledge.py", "setup.py"].map((script) => `${skills}/bmad/scripts/${script}`);
  if (exists(own!)) {
    const args = ["--root", skills];
    const theirs = await runPython([own!, ...args]);
    if (theirs.code !== 2) {
      assert.equal(theirs.code, 0, theirs.stderr);
      const ours = await runScript(commandOf(["knowledge.py", ...args]), world);
      assert.equal(ours.status, 0, ours.stderr);
      assert.deepEqual(factsOf(ours.stdout), factsOf(theirs.stdout));
      compared.push("knowledge.py");
    }
  }
  if (exists(setup!) && await compareManifests(library, setup!, root, skills)) {
    compared.push("setup.py --update");
  }
  return compared;
}

/** Compares the members of each module, with their versions; false if the script has no such mode. */
async function compareManifests(
  { effective }: Library,
  original: string,
  root: string,
  skills: string,
): Promise<boolean> {
  const place = ["--project-root", root, "--skill", `${skills}/bmad`];
  // Later forms, which have manifests of modules instead of skills, know this mode and may write in the other.
  if ((await runPython([original, "--status", ...place])).code !== 2) return false;
  const { code, stdout, stderr } = await runPython([original, ...place, "--update"]);
  if (code === 2) return false;
  assert.equal(code, 0, stderr);
  const theirs = JSON.parse(stdout).modules.flatMap(({ module, copies }: Json) =>
    copies.map(({ skill, version }: Json) => `${module}/${skill} ${version}`)
  );
  assert.deepEqual(
    effective.map(({ module, id, version }) => `${module}/${id} ${version}`).sort(),
    theirs.toSorted(),
  );
  return true;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

async function runPython(args: readonly string[]) {
  const env = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };
  const command = new Deno.Command(PYTHON, { args: ["-B", ...args], env });
  const { code, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out!, stderr: err! };
}

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

Deno.test("resolve_config.py reads the three layers of that line [work:flat-scripts]", () =>
  withProject({
    "_bmad/config.toml": '[core]\nproject_name = "Shop"\n',
    "_bmad/config.user.toml": '[core]\nuser_name = "Old"\n',
    "_bmad/custom/config.user.toml": '[core]\nactive_initiative = "initiative-one"\n',
  }, async (dir) => {
    const core = { project_name: "Shop", active_initiative: "initiative-one" };
    assert.deepEqual(await ask(dir, "resolve_config.py", "--project-root", dir), { core });
  }));

Deno.test("knowledge.py lists the help of every module [work:flat-scripts]", () =>
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
    const root = SKILLS;
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
        module: "method",
        path: "migration-1.toml",
        file: `${root}/bmod-method/migration-1.toml`,
        from: "6",
        to: "7",
        title: "Move on",
      },
    ]);
    assert.deepEqual(report.problems.map(({ kind, problem }: Json) => [kind, problem]), [
      ["knowledge", 'bmod-tea: "../../secret.md" is not a path in its folder'],
    ]);
  }));

Deno.test("they look into the folders given, and no others [work:flat-scripts]", () =>
  withProject({
    ...flatSource("lists", "vendor/skills"),
    "vendor/skills/bmod-garden/bmod.toml":
      '[bmod]\ncode = "garden"\nversion = "1"\nupdate_source = "github:a/b"\nskills = ["garden-dig"]\n',
    "vendor/skills/bmod-garden/roster.toml":
      '[[members]]\ncode = "gus"\nskill = "garden-agent"\nname = "Gus"\n[[members]]\nname = "nobody"\n',
    "vendor/skills/garden-weed/bmod.toml": '[skill]\nbmod = "bmod-weeds"\nsource = "github:a/weeds/skills"\n',
    "vendor/skills/broken/bmod.toml": "[[",
    "_bmad/config.toml": '[agents.mine]\nname = "Mia"\n',
    "empty/x.md": "",
  }, async (dir) => {
    const known = (report: Json) => report.skills.map(({ module, skill }: Json) => `${module}/${skill}`);
    const own = await ask(dir, "knowledge.py", "--root", `${dir}/vendor/skills/`, "--content");
    assert.deepEqual(known(own).sort(), [...flatNames("lists"), "null/garden-weed"].sort());
    assert.ok(own.skills.every(({ root }: Json) => root === `${dir}/vendor/skills/`));
    assert.deepEqual(own.documents.map(({ module, path }: Json) => `${module}: ${path}`), [
      "core-tools: bmad-meta/core-tools-help.md",
      "method: bmad-meta/method-help.md",
    ]);
    assert.deepEqual(own.problems.map(({ kind, skill, install }: Json) => [kind, skill, install]), [
      ["manifest", "broken", undefined],
      ["module", undefined, "npx skills add a/weeds --skill bmod-weeds"],
    ]);
    // The first folder with a name counts.
    const both = await ask(dir, "knowledge.py", "--root", SKILLS, "--root", "vendor/skills");
    assert.deepEqual(
      both.skills.filter(({ root }: Json) => root === "vendor/skills").map(({ skill }: Json) => skill),
      ["garden-weed"],
    );
    for (const root of ["empty", "nowhere", "../..", "/etc", "~/.claude/skills", "\0"]) {
      const { roots, skills, documents, problems } = await ask(dir, "knowledge.py", "--root", root);
      assert.deepEqual([roots, skills, documents], [[root], [], []], root);
      assert.equal(problems.length, root === "empty" ? 0 : 1, root);
    }
    const people = await ask(dir, "roster.py", "--root", "vendor/skills");
    assert.deepEqual(Object.keys(people.agents), ["pm", "dev"]);
    assert.deepEqual(people.members.gus, {
      code: "gus",
      module: "garden",
      source: "roster",
      name: "Gus",
      skill: "garden-agent",
      installed: false,
      install: "npx skills add a/b --skill garden-agent",
    });
    assert.deepEqual(people.problems.map(({ kind }: Json) => kind), ["manifest", "member"]);
    const beside = await ask(dir, "roster.py", "--skill", `${SKILLS}/bmad-prd`, "--project-root", dir);
    assert.deepEqual([Object.keys(beside.agents), beside.members.gus], [["pm", "dev", "mine"], undefined]);
  }));

Deno.test("knowledge.py looks into the user's own folders, too", () =>
  withTree({ ...flatSource("tickets", "home/.claude/skills"), "project/a.md": "" }, async (dir) => {
    const user = { ...opening("user", 4, `${dir}/home/.claude/skills`), use: "shared" as const };
    const library = await openLibrary([opening("project", 1, `${dir}/project`), user], {
      project: `${dir}/project`,
    });
    const script = RESOLVERS.find((one) => one.name === "knowledge.py")!;
    for (const root of ["~/.claude/skills", `${dir}/home/.claude/skills`]) {
      const { stdout } = await runNative(script, `${dir}/project`, ["--root", root], "", {
        resolvers: () => findResolvers(library),
      });
      assert.equal(JSON.parse(stdout).skills.length, flatNames("tickets").length, root);
    }
  }));

Deno.test("roster.py lists agents, guests and groups [work:flat-scripts]", () =>
  withProject({
    "_bmad/config.toml": '[agents.mine]\nname = "Mia"\ndescription = "Hums."\ntoken = "hush"\n',
    "_bmad/custom/bmad-agent-pm.toml": '[agent]\nname = "Paula"\n',
  }, async (dir) => {
    const report = await ask(dir, "roster.py", "--root", SKILLS, "--project-root", dir);
    assert.deepEqual(Object.keys(report.agents).sort(), ["dev", "mine", "pm"]);
    assert.deepEqual(report.agents.pm, {
      code: "pm",
      module: "method",
      source: "roster",
      name: "Paula",
      icon: "📋",
      title: "Product Manager",
      persona: "Asks why three times.",
      skill: "bmad-agent-pm",
      installed: true,
    });
    assert.deepEqual(report.agents.mine, { code: "mine", source: "config", name: "Mia", persona: "Hums." });
    assert.equal(report.members.critic.name, "Cora");
    assert.deepEqual(report.groups.map(({ id, module }: Json) => [id, module]), [["kitchen", "method"]]);
  }));

const TREE = Deno.env.get("BMAD_TREE");

Deno.test({
  name: "upstream's own scripts agree on modules and members [work:flat-scripts]",
  ignore: NO_PYTHON || TREE === undefined,
  fn: async () => {
    const compared = await compareTree(TREE!);
    assert.ok(compared.length > 0, "BMAD_TREE has no script that can be asked");
  },
});

const KNOWLEDGE = `
import json, pathlib, sys, tomllib
def read(path): return tomllib.loads(path.read_text()) if path.is_file() else {}
def arg(name): return pathlib.Path(sys.argv[sys.argv.index(name) + 1])
def look(root):
    files = {f.name: read(f / "bmod.toml") for f in sorted(root.iterdir()) if (f / "bmod.toml").is_file()}
    records = {name: t["bmod"] for name, t in files.items() if "bmod" in t}
    return files, records
root = arg("--root")
files, records = look(root)
owner = lambda name, t: name if "bmod" in t else t["skill"]["bmod"]
skills = [{"skill": n, "module": records[owner(n, t)]["code"], "bmod": owner(n, t), "root": str(root)}
          for n, t in files.items() if "skill" in t]
def members(name, record): return record.get("skills", [name])
documents, topics = [], []
for name, record in sorted(records.items(), key=lambda item: item[1]["code"]):
    for path in sorted((root / name / "help").glob("*.md")):
        if path.name == "help.md":
            documents.append({"module": record["code"], "path": "help/help.md", "skills": members(name, record),
                              "installed_skills": members(name, record), "reported_from": name})
        else:
            topics.append({"module": record["code"], "topic": path.stem, "path": f"help/{path.name}", "file": str(path)})
print(json.dumps({"skills": skills, "documents": documents, "topics": topics, "migrations": []}))
`;
const UPDATE = `
import json, pathlib, sys, tomllib
if "--update" not in sys.argv: sys.exit(2)
root = pathlib.Path(sys.argv[sys.argv.index("--skill") + 1]).parent
modules = {}
for path in root.glob("*/module-manifest.toml"):
    t = tomllib.loads(path.read_text())
    modules.setdefault(t["module"], []).append({"skill": path.parent.name, "version": t["version"]})
print(json.dumps({"modules": [{"module": m, "copies": c} for m, c in modules.items()]}))
`;

Deno.test({
  name: "the comparison with a tree finds what differs, and nothing else",
  ignore: NO_PYTHON || Deno.build.os === "windows",
  fn: async () => {
    const tree = (knowledge: string): Files => ({
      ...flatSource("tickets"),
      "skills/bmad/scripts/knowledge.py": knowledge,
    });
    const compared = async (files: Files) => await withTree(files, compareTree);
    assert.deepEqual(await compared(tree(KNOWLEDGE)), ["knowledge.py"]);
    const lie = KNOWLEDGE.replace('"module": records', '"module": "x" + records');
    await assert.rejects(compared(tree(lie)), { name: "AssertionError" });
    assert.deepEqual(await compared(tree("raise SystemExit(2)\n")), []);
    const first = (update: string): Files => ({
      ...flatSource("manifests"),
      "skills/bmad/scripts/setup.py": update,
    });
    assert.deepEqual(await compared(first(UPDATE)), ["setup.py --update"]);
    await assert.rejects(compared(first(UPDATE.replace('t["version"]', '"0"'))), { name: "AssertionError" });
  },
});
