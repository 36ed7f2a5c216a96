/**
 * Does a native script do what BMAD's own does? Runs both on two copies of a tree and compares what they print, their
 * exit statuses and the files they leave.
 */
import assert from "node:assert/strict";
import type { Resolvers } from "../../src/content/library/mod.ts";
import { diskTree, findText } from "../../src/content/tree/mod.ts";
import { openFiles } from "../../src/project/files/mod.ts";
import { parseArguments } from "../../src/project/scripts/options.ts";
import { execute } from "../../src/project/scripts/program.ts";
import type { Script, ScriptSkill, ScriptWorld } from "../../src/project/scripts/script.ts";
import { DRIVER } from "../../src/project/verify/driver.ts";
import { NO_PYTHON, PYTHON } from "./python.ts";
import { listTree, type TreeFile, withTree } from "./trees.ts";

/** Whether BMAD's own scripts cannot be compared with here: on Windows they print paths with backslashes. */
export const NO_ORIGINALS: boolean = NO_PYTHON || Deno.build.os === "windows";

/** What one run left. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The date and time in files and answers; both runs may fall into different minutes. */
const MINUTE = /\d{4}-\d\d-\d\dT\d\d:\d\d/g;

/** Runs a native script in a folder, all of which it may change. */
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

/** A folder as the world of a script, all of which it may change. */
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

/** What a JSON answer says of wrong arguments has the words of a parser. */
export function withoutReason(stdout: string): string {
  return stdout.replace(/"argument error: (?:[^"\\]|\\.)*"/, '"argument error: …"');
}

function withoutTime(text: string): string {
  return text.replaceAll(MINUTE, "NOW");
}

async function filesIn(root: string): Promise<Record<string, string>> {
  const paths = (await listTree(root)).map((line) => line.replace(/ \d+$/, ""))
    .filter((path) => !path.endsWith("/") && !path.includes(".bmad-work"));
  const texts = paths.map(async (path) => {
    const text = await Deno.readTextFile(`${root}/${path}`);
    return [path, withoutTime(text)] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** One call in a tree of its own. */
export interface ScriptCase {
  readonly files: Readonly<Record<string, TreeFile>>;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Whether the order of the printed lines is random. */
  readonly isUnordered?: true;
}

/** Runs BMAD's own script for each case, in the folder of its number or the one that is given for it. */
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
    args: ["-B", "-c", DRIVER, "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(calls)));
  await writer.close();
  return JSON.parse(new TextDecoder().decode((await child.output()).stdout));
}

/** Fails unless both answer each call alike and leave the same files in its tree. */
export async function compareCases(
  script: Script,
  original: string,
  cases: readonly ScriptCase[],
  parts?: Partial<ScriptWorld>,
): Promise<void> {
  const trees = Object.fromEntries(
    cases.flatMap(({ files }, at) => [
      [`${at}/`, ""],
      ...Object.entries(files).map(([path, content]) => [`${at}/${path}`, content]),
    ]),
  );
  await withTree(trees, (own) =>
    withTree(trees, async (theirs) => {
      const results = await runOriginals(original, theirs, cases);
      for (const [at, { files, args, stdin, isUnordered }] of cases.entries()) {
        const expected = results[at]!;
        const actual = await runNative(script, `${own}/${at}`, args, stdin, parts);
        const said = `they said: ${expected.stderr}\nwe said: ${actual.stderr}`;
        const about = `${JSON.stringify({ args, stdin, files }).slice(0, 5000)}\n${said}`;
        const comparable = (text: string, root: string) => {
          const lines = withoutTime(text).replaceAll(`${root}/${at}`, "ROOT").split("\n");
          return (isUnordered ? lines.sort() : lines).join("\n");
        };
        assert.equal(comparable(actual.stdout, own), comparable(expected.stdout, theirs), about);
        assert.equal(actual.status, expected.status, about);
        assert.deepEqual(await filesIn(`${own}/${at}`), await filesIn(`${theirs}/${at}`), about);
      }
    }));
}

/** A folder on disk as a skill that is served. */
export function skillAt(folder: string): ScriptSkill {
  const tree = diskTree(folder);
  return {
    name: folder.slice(folder.lastIndexOf("/") + 1),
    location: folder,
    read: (path) => findText(tree, path),
  };
}
