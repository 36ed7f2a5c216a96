/**
 * Does a native script do what BMAD's own does? Runs both on two copies of a tree and compares what they print, their
 * exit statuses and the files they leave.
 */
import type { Resolvers } from "../../src/content/library/mod.ts";
import { isDeepStrictEqual as equal } from "node:util";
import { diskTree, findText } from "../../src/content/tree/mod.ts";
import { openFiles } from "../../src/project/files/mod.ts";
import { parseArguments } from "../../src/project/scripts/options.ts";
import { execute } from "../../src/project/scripts/script.ts";
import type { Script, ScriptSkill, ScriptWorld } from "../../src/project/scripts/script.ts";
import { NO_PYTHON, PYTHON } from "./python.ts";
import { type TreeFile, withTree } from "./trees.ts";

/** Whether BMAD's own scripts cannot be compared with here: on Windows they print paths with backslashes. */
export const NO_ORIGINALS: boolean = NO_PYTHON || Deno.build.os === "windows";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runNative(
  script: Script,
  root: string,
  args: readonly string[],
  stdin = "",
  parts: Partial<ScriptWorld> = {},
): Promise<Ran> {
  return await execute(script, parseArguments(script.usage, args), worldOf(root, { stdin, ...parts }));
}

/** Of a project whose tickets are those of the initiative `shop`, in its folder `out`. */
export const OF_SHOP: Pick<ScriptWorld, "resolvers"> = {
  resolvers: () =>
    Promise.resolve(
      {
        config: () => ({
          core: { output_folder: "{project-root}/out", active_initiative: "initiative-shop" },
        }),
      } as unknown as Resolvers,
    ),
};

export function worldOf(root: string, parts: Partial<ScriptWorld> = {}): ScriptWorld {
  return {
    files: openFiles({ root, output: "out", writable: [root] }, Date.now),
    clock: { now: Date.now },
    stdin: "",
    skills: [],
    random: Math.random,
    ...parts,
  };
}

export interface ScriptCase {
  readonly files: Readonly<Record<string, TreeFile>>;
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly isUnordered?: true;
}

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Comparing {
  readonly world?: Partial<ScriptWorld>;
  readonly python?: string;
  /** Drops what both say in words of their own. */
  readonly normalize?: (outcome: Outcome, before: ScriptCase) => Outcome;
}

/** The calls that a native script and BMAD's own answer differently; not those on which BMAD's own crashes. */
export async function findDifferences(
  script: Script,
  original: string,
  cases: readonly ScriptCase[],
  { world, python, normalize }: Comparing = {},
) {
  const theirs = await runAll(cases, (root) => runOriginals(original, root, cases, python), normalize);
  const hasCrashed = theirs.map(({ stderr }) => stderr.startsWith("Traceback "));
  if (hasCrashed.every(Boolean)) throw new Error(theirs[0]!.stderr.trim().split("\n").at(-1));
  const ours = await runAll(cases, (root) => runNatives(script, root, cases, world), normalize);
  return cases.flatMap(({ files, args, stdin }, at) => {
    const [own, other] = [ours[at]!, theirs[at]!];
    if (hasCrashed[at] || equal(own.outcome, other.outcome)) return [];
    const texts = Object.entries(files).map(([path, content]) => [path, asText(content)]);
    const call = `${script.name} ${JSON.stringify({ args, stdin, texts }).slice(0, 5000)}`;
    const said = `they said: ${other.stderr}\nwe said: ${own.stderr}`;
    return [{ call: `${call}\n${said}`, ours: own.outcome, theirs: other.outcome }];
  });
}

function asText(content: TreeFile): TreeFile {
  return content instanceof Uint8Array ? new TextDecoder().decode(content) : content;
}

export async function runAll(
  cases: readonly ScriptCase[],
  run: (root: string) => Promise<readonly Ran[]>,
  normalize: Comparing["normalize"] = (outcome) => outcome,
): Promise<readonly { readonly outcome: Outcome; readonly stderr: string }[]> {
  const trees = Object.fromEntries(
    cases.flatMap(({ files }, at) => [
      [`${at}/`, ""],
      ...Object.entries(files).map(([path, content]) => [`${at}/${path}`, content]),
    ]),
  );
  return await withTree(trees, async (top) => {
    const results = await run(top);
    return cases.map((one, at) => {
      const root = `${top}/${at}`;
      const { status, stdout, stderr } = results[at]!;
      const lines = comparable(stdout, root).split("\n");
      const shown = (one.isUnordered ? lines.sort() : lines).join("\n");
      return { outcome: normalize({ status, stdout: shown, files: filesIn(root) }, one), stderr };
    });
  });
}

export async function runNatives(
  script: Script,
  root: string,
  cases: readonly ScriptCase[],
  world?: Partial<ScriptWorld>,
): Promise<readonly Ran[]> {
  const results: Ran[] = [];
  for (const [at, { args, stdin }] of cases.entries()) {
    results.push(await runNative(script, `${root}/${at}`, args, stdin, world));
  }
  return results;
}

/**
 * Runs a script in Python once for each case, in one process: to start Python takes longer than a call. It reads the
 * cases on stdin, and prints what each printed and how it ended.
 */
const DRIVER = `
import io, json, os, sys, traceback
results = []
with sys.stdin:
    cases = json.load(sys.stdin)
for case in cases:
    os.chdir(case["folder"])
    path = case["script"]
    sys.argv = [path, *case["args"]]
    sys.path[0] = os.path.dirname(path)
    texts = (case.get("stdin", ""), "", "")
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8") for text in texts]
    kept, (sys.stdin, sys.stdout, sys.stderr) = (sys.stdin, sys.stdout, sys.stderr), streams
    try:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        exec(code, {"__name__": "__main__", "__file__": path})
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in streams[1:]:
        stream.flush()
    sys.stdin, sys.stdout, sys.stderr = kept
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams[1:])
    results.append({"status": status, "stdout": out, "stderr": err})
print(json.dumps(results))
`;

export async function runOriginals(
  original: string,
  root: string | ((at: number) => string),
  cases: readonly Omit<ScriptCase, "files">[],
  python = PYTHON,
): Promise<readonly Ran[]> {
  const calls = cases.map(({ args, stdin = "" }, at) => ({
    folder: typeof root === "string" ? `${root}/${at}` : root(at),
    script: original,
    args,
    stdin,
  }));
  const child = new Deno.Command(python, {
    args: ["-B", "-c", DRIVER],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(calls)));
  await writer.close();
  return JSON.parse(new TextDecoder().decode((await child.output()).stdout));
}

/** Without the time of day, the folder and the words of a parser of arguments. */
export function comparable(text: string, root = "\0"): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d/g, "NOW").replaceAll(root, "ROOT")
    .replace(/"argument error: (?:[^"\\]|\\.)*"/, '"argument error: …"');
}

/** The texts of all files of a project, without our own records. */
function filesIn(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  const read = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`${root}/${folder}`)) {
      const path = `${folder}${name}`;
      if (isDirectory && name !== ".bmad-work") read(`${path}/`);
      else if (!isDirectory) files[path] = comparable(Deno.readTextFileSync(`${root}/${path}`), root);
    }
  };
  read("");
  return files;
}

export function skillAt(folder: string): ScriptSkill {
  const tree = diskTree(folder);
  return {
    name: folder.slice(folder.lastIndexOf("/") + 1),
    location: folder,
    read: (path) => findText(tree, path),
  };
}
