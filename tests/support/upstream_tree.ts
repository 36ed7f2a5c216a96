/**
 * Do BMAD's own scripts of the generation after 6.12 agree with us about a checkout of that line?
 *
 * `knowledge.py` says which skill belongs to which module and what documents there are; in the first forms,
 * `setup.py --update` says it. Where a script wants the network, it is refused at once.
 */
import assert from "node:assert/strict";
import { findResolvers, type Library, openLibrary } from "../../src/content/library/mod.ts";
import { commandOf, runScript } from "../../src/project/scripts/mod.ts";
import { opening } from "./library.ts";
import { PYTHON } from "./python.ts";
import { worldOf } from "./scripts.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const PLACES = ["skills", ".agents/skills", ".claude/skills"];

function factsOf(stdout: string): Json {
  const { skills, documents, topics, migrations } = JSON.parse(stdout);
  return { skills, documents, topics, migrations };
}

/** Fails unless each of these scripts that the tree has agrees with us; returns their names. */
export async function compareTree(tree: string): Promise<readonly string[]> {
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
