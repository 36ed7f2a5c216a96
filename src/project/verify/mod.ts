/**
 * Compares native scripts with the installed ones: both answer the same generated calls, ours here and the original by
 * the user's own Python, each in a copy of a small project.
 *
 * Nothing of the user's project is changed: scripts and their skills are copied into a folder of ours, which is removed.
 */
import { chanceFrom } from "../../base/chance.ts";
import { splitLines } from "../../base/text.ts";
import type { Clock } from "../../base/work.ts";
import { parseJson } from "../../base/values.ts";
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import { diskTree, findText, joinPath, parentPath, type Tree, walkFiles } from "../../content/tree/mod.ts";
import type { VerifyPlan } from "../../settings/plan/mod.ts";
import { openFiles } from "../files/mod.ts";
import type { Script, ScriptSkill, ScriptState, ScriptWorld } from "../scripts/mod.ts";
import { type Case, GENERATORS, NOT_COMPARED, skillFolder } from "./cases.ts";
import { DRIVER } from "./driver.ts";
import type { CallResult, ScriptComparison, ScriptDifference, Verification } from "./report.ts";

export type { CallResult, ScriptComparison, ScriptDifference, Verification } from "./report.ts";

/** What is compared, and by what. */
export interface VerifyRequest extends Pick<Clock, "now" | "after"> {
  readonly plan: VerifyPlan;
  /** The project's folder. */
  readonly root: string;
  /** The installed scripts; those without a native one are left out. */
  readonly installed: readonly ScriptState[];
  /** Only the scripts of these names, unless empty. */
  readonly names: readonly string[];
  /** How many calls of each. */
  readonly calls: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** The oldest Python that BMAD's scripts run on. */
const CHECK = "import sys; print(sys.version.split()[0]); sys.exit(sys.version_info < (3, 11))";
const PROGRAMS = ["python3", "python"];
/** For all calls of one script. */
const LIMIT_MS = 120_000;
const MAX_OUTPUT = 16 << 20;
/** Files of a skill that a script may read; larger ones are pictures and the like. */
const MAX_COPIED = 1 << 20;

/** Compares the scripts, one after the other. */
export async function verifyScripts(request: VerifyRequest): Promise<Verification> {
  const { installed, names, plan, seed } = request;
  const { SCRIPTS, runNative } = await import("../scripts/mod.ts");
  const wanted = installed.filter(({ name, isNative }) =>
    isNative && (names.length === 0 || names.includes(name))
  );
  Deno.mkdirSync(plan.folder, { recursive: true });
  const folder = Deno.makeTempDirSync({ dir: plan.folder, prefix: "verify-" });
  try {
    const python = await findPython(request, folder);
    const scripts: ScriptComparison[] = [];
    for (const state of wanted) {
      const { name, place, release, rules } = state;
      const facts = { name, place, release, rules };
      const problem = NOT_COMPARED[name] ??
        (GENERATORS[name] === undefined ? "no input is known for it" : undefined) ??
        (python === undefined ? "there is no Python 3.11 or newer" : undefined) ??
        (place.startsWith(`${request.root}/`) ? undefined : "it is not in the project");
      if (problem !== undefined) {
        scripts.push({ ...facts, calls: 0, differences: [], problem });
        continue;
      }
      const native = SCRIPTS.find((script) => script.name === name)!;
      const at = `${folder}/${scripts.length}`;
      const result = await compare(state, {
        request,
        folder: at,
        program: python!.program,
        native,
        runNative,
      });
      scripts.push({ ...facts, ...result });
    }
    return { python: python && `Python ${python.version}`, seed, scripts };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function findPython(request: VerifyRequest, folder: string) {
  for (const program of PROGRAMS) {
    const { code, stdout } = await run(request, folder, [program, "-B", "-c", CHECK]);
    if (code === 0) return { program, version: stdout.trim() };
  }
  return undefined;
}

interface Comparing {
  readonly request: VerifyRequest;
  readonly folder: string;
  readonly program: string;
  readonly native: Script;
  runNative(script: Script, args: readonly string[], world: ScriptWorld): Promise<Omit<CallResult, "files">>;
}

async function compare({ name, place }: ScriptState, comparing: Comparing) {
  const { request, folder, program, native, runNative } = comparing;
  const { root, seed, calls } = request;
  const project = diskTree(root);
  const owner = skillOf(place, root);
  const base = copiedFiles(project, place.slice(root.length + 1), owner);
  const chance = chanceFrom(seed);
  const own = owner === undefined ? "" : skillFolder(owner.id);
  const cases = Array.from({ length: calls }, () => GENERATORS[name]!(chance, own));
  const trees = ["ours", "theirs"].map((whose) =>
    cases.map((one, at) => plant(`${folder}/${whose}/${at}`, { ...base, ...one.files }))
  );
  const script = owner === undefined ? `_bmad/scripts/${name}` : `${own}/scripts/${name}`;
  const theirs = await runOriginals(request, folder, program, cases, trees[1]!, script);
  if (typeof theirs === "string") return { calls: 0, differences: [], problem: theirs };
  const differences: ScriptDifference[] = [];
  for (const [at, { args }] of cases.entries()) {
    const [mine, other] = [trees[0]![at]!, trees[1]![at]!];
    const { status, stdout } = await runNative(native, args, worldOf(mine, request, own));
    const results = [
      {
        status,
        stdout: comparable(stdout, mine),
        files: changedFiles(mine, { ...base, ...cases[at]!.files }),
      },
      {
        status: theirs[at]!.status,
        stdout: comparable(theirs[at]!.stdout, other),
        files: changedFiles(other, { ...base, ...cases[at]!.files }),
      },
    ] as const;
    if (JSON.stringify(results[0]) === JSON.stringify(results[1])) continue;
    differences.push({ call: shownCall(name, args), ours: results[0], theirs: results[1] });
  }
  return { calls: cases.length, differences, problem: undefined };
}

/** The skill that a script belongs to, and its folder in the project; none for a script of all skills. */
function skillOf(place: string, root: string) {
  const folder = parentPath(parentPath(place.slice(root.length + 1)));
  return folder.startsWith("_bmad") ? undefined : { id: folder.slice(folder.lastIndexOf("/") + 1), folder };
}

/** What a script may need of the installation: the scripts of all skills, and its own skill. */
function copiedFiles(
  project: Tree,
  place: string,
  owner: ReturnType<typeof skillOf>,
): Record<string, string> {
  const files: Record<string, string> = {};
  const copy = (from: string, to: string) => {
    for (const path of walkFiles(project, from, (path) => /\/(?:tests|__pycache__)$/.test(path))) {
      if ((project.stat(path)?.size ?? 0) > MAX_COPIED) continue;
      const text = findText(project, path);
      if (text !== undefined) files[joinPath(to, path.slice(from.length + 1))] = text;
    }
  };
  copy("_bmad/scripts", "_bmad/scripts");
  if (owner === undefined) copy(parentPath(place), "_bmad/scripts");
  else copy(owner.folder, skillFolder(owner.id));
  return files;
}

/** Writes a tree and returns its real name. */
function plant(folder: string, files: Readonly<Record<string, string>>): string {
  Deno.mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(joinPath(folder, parentPath(path)), { recursive: true });
    Deno.writeTextFileSync(`${folder}/${path}`, text);
  }
  return Deno.realPathSync(folder);
}

/** The tree as the world of a native script. */
function worldOf(root: string, { now, signal }: VerifyRequest, own: string): ScriptWorld {
  const tree = diskTree(root);
  const ids = tree.list(".claude/skills").filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  const skills = ids.map((id): ScriptSkill => {
    const folder = skillFolder(id);
    return {
      name: id,
      location: `${root}/${folder}`,
      read: (path) => findText(tree, joinPath(folder, path)),
    };
  });
  return {
    files: openFiles({ root, output: "out", writable: [root] }, now),
    clock: { now },
    stdin: "",
    skills,
    skill: skills.find(({ location }) => own !== "" && location === `${root}/${own}`),
    random: () => 0.5,
    signal,
  };
}

/** What the originals answered, or why they could not. */
async function runOriginals(
  request: VerifyRequest,
  folder: string,
  program: string,
  cases: readonly Case[],
  trees: readonly string[],
  script: string,
): Promise<readonly Omit<CallResult, "files">[] | string> {
  const list = cases.map(({ args }, at) => ({ folder: trees[at], script: `${trees[at]}/${script}`, args }));
  Deno.writeTextFileSync(`${folder}/cases.json`, JSON.stringify(list));
  Deno.writeTextFileSync(`${folder}/driver.py`, DRIVER);
  const { code, stdout, stderr } = await run(request, folder, [
    program,
    "-B",
    `${folder}/driver.py`,
    `${folder}/cases.json`,
  ]);
  const results = code === 0 ? parseJson(stdout) : undefined;
  if (!Array.isArray(results)) return `Python could not run it: ${lastLine(stderr) || `exit status ${code}`}`;
  const said = results.map(({ stdout, stderr }) => `${stdout}${stderr}`);
  const [, missing] = /No module named '([\w.]+)'/.exec(said.join("\n")) ?? [];
  const isNeeded = missing !== undefined && said.every((text) => text.includes(missing.split(".")[0]!));
  return isNeeded ? `Python has no module ${missing}` : results;
}

function lastLine(text: string): string {
  return splitLines(text.trim()).at(-1) ?? "";
}

/** Runs a program in a folder until it ends, or takes too long. */
async function run(
  { plan, after, signal }: VerifyRequest,
  folder: string,
  command: readonly [string, ...string[]],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const late = new AbortController();
  const cancel = after(LIMIT_MS, () => late.abort());
  const [stdout, stderr] = [collectOutput(MAX_OUTPUT), collectOutput(MAX_OUTPUT)];
  try {
    const code = await supervise({
      command,
      shell: "bash",
      folder,
      variables: { ...plan.environment, PYTHONUTF8: "1" },
      signal: AbortSignal.any([late.signal, ...signal === undefined ? [] : [signal]]),
      stdout: stdout.push,
      stderr: stderr.push,
    });
    signal?.throwIfAborted();
    return { code, stdout: stdout.text(), stderr: late.signal.aborted ? "it took too long" : stderr.text() };
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return { code: 127, stdout: "", stderr: error.reason };
  } finally {
    cancel();
  }
}

/** The time of day in answers and files: both runs may fall into different minutes. */
const MINUTE = /\d{4}-\d\d-\d\dT\d\d:\d\d/g;

function comparable(text: string, root: string): string {
  // What is wrong with arguments is said in the words of a parser.
  return text.replaceAll(MINUTE, "NOW").replaceAll(root, "ROOT")
    .replace(/"argument error: (?:[^"\\]|\\.)*"/, '"argument error: …"');
}

/** The files that a call has written or changed. */
function changedFiles(
  root: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const tree = diskTree(root);
  const skip = (path: string) => /(?:^|\/)(?:\.bmad-work|__pycache__)$/.test(path);
  const changed = [...walkFiles(tree, "", skip)].map((path) => [path, findText(tree, path) ?? ""] as const)
    .filter(([path, text]) => before[path] !== text);
  return Object.fromEntries(changed.map(([path, text]) => [path, comparable(text, root)]));
}

function shownCall(name: string, args: readonly string[]): string {
  return [name, ...args.map((arg) => /^[\w./=:@-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)]
    .join(" ");
}
