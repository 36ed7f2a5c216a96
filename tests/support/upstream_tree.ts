/**
 * Do BMAD's own scripts of the generation after 6.12 agree with us about a checkout of that line?
 *
 * `knowledge.py` says which skill belongs to which module and what documents there are, `setup.py --status` which modules
 * there are with which members. Where a script wants the network, it is refused at once.
 */
import assert from "node:assert/strict";
import { findResolvers, type Library, openLibrary } from "../../src/content/library/mod.ts";
import { commandOf, runScript } from "../../src/project/scripts/mod.ts";
import { opening } from "./library.ts";
import { worldOf } from "./scripts.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

/** Where a checkout or an installation has its skills. */
const PLACES = ["skills", ".agents/skills", ".claude/skills"];

/** What is compared, by script: its arguments, and what of its answer counts. */
interface Question {
  args(root: string, skills: string): readonly string[];
  pick(answer: Json): Json;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  "knowledge.py": {
    args: (_, skills) => ["--root", skills],
    pick: ({ skills, documents, topics, migrations }) => ({ skills, documents, topics, migrations }),
  },
  "setup.py": {
    args: (root, skills) => ["--status", "--project-root", root, "--skill", `${skills}/bmad`],
    pick: ({ modules, bmad }) => ({
      bmad,
      modules: modules.map(({ module, folder, version, skills, absent_skills }: Json) => (
        { module, folder, version, skills, absent_skills }
      )),
    }),
  },
};

/** Fails unless each of these scripts that the tree has agrees with ours; returns their names. */
export async function compareTree(tree: string): Promise<readonly string[]> {
  const root = await Deno.realPath(tree);
  const place = PLACES.find((place) => exists(`${root}/${place}/bmad/scripts`));
  assert.ok(place !== undefined, `${root} has no skill bmad with scripts in ${PLACES.join(", ")}`);
  const skills = `${root}/${place}`;
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const world = worldOf(root, { resolvers: () => findResolvers(library) });
  const compared: string[] = [];
  for (const [script, { args, pick }] of Object.entries(QUESTIONS)) {
    const original = `${skills}/bmad/scripts/${script}`;
    const given = args(root, skills);
    if (!exists(original)) continue;
    const theirs = await runPython([original, ...given]);
    if (theirs.code === 2) {
      // The first forms have another mode, and manifests in each skill instead of records.
      if (script === "setup.py" && await compareManifests(library, original, root, skills)) {
        compared.push("setup.py --update");
      }
      continue;
    }
    assert.equal(theirs.code, 0, `${script}: ${theirs.stderr}`);
    const ours = await runScript(commandOf([script, ...given]), world);
    assert.equal(ours.status, 0, `${script}: ${ours.stderr}`);
    assert.deepEqual(pick(JSON.parse(ours.stdout)), pick(JSON.parse(theirs.stdout)), script);
    compared.push(script);
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
  const args = ["--project-root", root, "--skill", `${skills}/bmad`, "--update"];
  const { code, stdout, stderr } = await runPython([original, ...args]);
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
  const command = new Deno.Command("python3", { args: ["-B", ...args], env });
  const { code, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out!, stderr: err! };
}
