/**
 * What `setup.py` puts below `_bmad`, and whether it is there: scripts, keys of the configuration, answers.
 */
import { isValues, type Values } from "../../base/values.ts";
import { joinPath, walkFiles } from "../../content/tree/mod.ts";
import { raise } from "./program.ts";
import type { ScriptWorld } from "./script.ts";
import type { SetupModule, SetupProblem, SetupRecord } from "./setup_records.ts";

/** `missing`, `stale` or `current`. */
type State = "missing" | "stale" | "current";

/** More files than any folder of scripts has. */
const MAX_FILES = 500;

/** Whether a folder has exactly the files of another one. */
export function treeState(world: ScriptWorld, folder: string, source: string): State {
  return compare(
    world,
    folder,
    new Map(pathsIn(world, source).map((path) => [path, joinPath(source, path)])),
  );
}

/** Whether the scripts that a module's skills declare lie in a folder, and nothing else. */
export function scriptsState(
  world: ScriptWorld,
  folder: string,
  { members, record }: SetupModule,
  problems: SetupProblem[],
): State | "could-not-check" {
  const declared = members.flatMap(({ path, member }) =>
    member!.scripts.map((script) => [script.slice("scripts/".length), joinPath(path, script)] as const)
  );
  const missing = declared.find(([, source]) => world.files.tree.stat(source) === undefined);
  if (missing !== undefined) {
    problems.push({ kind: "scripts", module: record.code, message: `${missing[1]} is declared and missing` });
    return "could-not-check";
  }
  // Setup marks a folder without scripts, because git keeps no empty ones.
  if (declared.length === 0) {
    const paths = pathsIn(world, folder);
    const isMarked = paths.length === 1 && paths[0] === ".gitkeep";
    return isMarked ? "current" : isThere(world, folder) ? "stale" : "missing";
  }
  return compare(world, folder, new Map(declared));
}

function isThere({ files: { tree } }: ScriptWorld, folder: string): boolean {
  return tree.stamp(folder) !== undefined;
}

function compare(world: ScriptWorld, folder: string, expected: ReadonlyMap<string, string>): State {
  const { tree } = world.files;
  if (!isThere(world, folder)) return "missing";
  const found = pathsIn(world, folder);
  const isSame = found.length === expected.size && found.every((path) => {
    const source = expected.get(path);
    return source !== undefined && isEqual(tree.read(source), tree.read(joinPath(folder, path)));
  });
  return isSame ? "current" : "stale";
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** The files below a folder; links can make it endless. */
function pathsIn({ files: { tree } }: ScriptWorld, folder: string): readonly string[] {
  let names = 0;
  const walk = walkFiles(tree, folder, () => ++names > MAX_FILES);
  return walk.map((path) => path.slice(folder.length + 1)).toArray();
}

/** Whether the template has keys that the team's configuration has not. */
export function teamNeedsKeys(template: Values, team: Values): boolean {
  return Object.entries(template).some(([key, value]) => {
    if (!Object.hasOwn(team, key)) return true;
    const own = team[key];
    return isValues(value) && isValues(own) && teamNeedsKeys(value, own);
  });
}

/** The questions of a module that are not answered yet: a team's once, a user's once for each user. */
export function missingQuestions(
  { code, questions }: SetupRecord,
  [team, user]: readonly [Values, Values],
  folder: string,
): readonly Values[] {
  return questions.filter(({ key, scope }) =>
    !hasPath(scope === "user" ? user : team, ["modules", code, ...key.split(".")])
  ).map(({ key, prompt, default: given, scope }) => ({
    ...{ module: code, key, prompt, default: given.replaceAll("{directory_name}", folder), scope },
  }));
}

function hasPath(values: Values, path: readonly string[]): boolean {
  let at: unknown = values;
  for (const part of path) {
    if (!isValues(at)) raise("Exception", `cannot inspect ${path.join(".")}: a parent is not a table`);
    if (!Object.hasOwn(at, part)) return false;
    at = at[part];
  }
  return true;
}
