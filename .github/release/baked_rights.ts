/**
 * With which rights does the program start?
 *
 * The `start` task of deno.json says it, once: from source, as a bundle and as a binary the program has the same
 * rights. This page only reads the task, leaves out what concerns `deno run` alone, and spells the whole disk as each
 * platform does. What becomes of the rights after the start is up to src/base/rights.ts.
 */
import { ownTarget, type Target, TARGETS } from "./targets.ts";

const CONFIG = new URL("../../deno.json", import.meta.url);

/** What a binary has no use for: it fetches nothing. */
const RUN_ONLY = ["--cached-only"];

/** What follows `deno` in the `start` task, word by word. A word in single quotes may have a `*`, which the shell leaves alone. */
export function startWords(config: URL = CONFIG): readonly string[] {
  const task = JSON.parse(Deno.readTextFileSync(config)).tasks?.start;
  const command: unknown = typeof task === "object" ? task?.command : task;
  const [program, ...words] = typeof command === "string" ? command.trim().split(/\s+/) : [];
  if (program !== "deno" || !words.every((word) => /^(?:[^"'$&|;<>*]+|'[^']+')$/.test(word))) {
    throw new Error(`The start task must be one plain deno command, but is ${JSON.stringify(task)}`);
  }
  return words.map((word) => word.replace(/^'(.*)'$/, "$1"));
}

/** The flags that a binary is compiled with, and with which the bundle runs; by default on this machine. */
export function bakedFlags(
  target: Target = ownTarget(),
  words: readonly string[] = startWords(),
): readonly string[] {
  const flags = words.filter((word) => word.startsWith("-") && !RUN_ONLY.includes(word));
  const strange = flags.find((flag) =>
    !/^--(quiet|no-prompt|ignore-env|allow-net|allow-(read|write|run|env)=.+)$/.test(flag)
  );
  if (strange !== undefined) {
    throw new Error(
      `Cannot bake ${strange} of the start task: say in baked_rights.ts what a binary does with it`,
    );
  }
  return flags.map((flag) =>
    flag.replace(/^(--allow-(?:read|write))=\/$/, `$1=${WHOLE_DISK[TARGETS[target].os]}`)
  );
}

const DRIVES = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`).join(",");

/** A list of folders, never everything: a grant without a list cannot be narrowed after the start. */
const WHOLE_DISK = { linux: "/", darwin: "/", windows: DRIVES } as const;
