/**
 * Does a native script do what BMAD's own does? Runs both on two copies of a tree and compares what they print, their
 * exit statuses and the files they leave.
 */
import assert from "node:assert/strict";
import { openFiles } from "../../src/project/files/mod.ts";
import type { Script, ScriptWorld } from "../../src/project/scripts/script.ts";
import { listTree, withTree } from "./trees.ts";

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
): Promise<Ran> {
  return await script.run(args, worldOf(root, { stdin }));
}

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

/** Runs BMAD's own script in a folder. */
export async function runOriginal(
  path: string,
  root: string,
  args: readonly string[],
  stdin = "",
): Promise<Ran> {
  const child = new Deno.Command("python3", {
    args: ["-B", path, ...args],
    cwd: root,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A script that reads nothing may be gone already.
  await writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { status: code, stdout: decode(stdout), stderr: decode(stderr) };
}

/** Fails unless both print the same on stdout, end alike and leave the same files, over a series of calls. */
export async function compareRuns(
  script: Script,
  original: string,
  tree: Readonly<Record<string, string>>,
  calls: readonly { readonly args: readonly string[]; readonly stdin?: string }[],
): Promise<void> {
  await withTree(tree, (own) =>
    withTree(tree, async (theirs) => {
      for (const { args, stdin } of calls) {
        const expected = await runOriginal(original, theirs, args, stdin);
        const actual = await runNative(script, own, args, stdin);
        const about = `${script.name} ${
          args.join(" ")
        }\nthey said: ${expected.stderr}\nwe said: ${actual.stderr}`;
        assert.equal(actual.status, expected.status, about);
        assert.equal(
          actual.stdout.replaceAll(MINUTE, "NOW"),
          expected.stdout.replaceAll(MINUTE, "NOW"),
          about,
        );
        assert.deepEqual(await filesIn(own), await filesIn(theirs), about);
      }
    }));
}

async function filesIn(root: string): Promise<Record<string, string>> {
  const paths = (await listTree(root)).map((line) => line.replace(/ \d+$/, ""))
    .filter((path) => !path.endsWith("/") && !path.includes(".bmad-work"));
  const texts = paths.map(async (path) => {
    const text = await Deno.readTextFile(`${root}/${path}`);
    return [path, text.replaceAll(MINUTE, "NOW")] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}
