/**
 * The flags that a release starts with: its rights, and how its engine compiles and collects.
 *
 * The `start` task of deno.json declares the rights once, for the source, the bundle and the binary. This file reads the
 * task, drops the flags that only `deno run` needs, and spells the whole disk for each platform. src/process/rights.ts
 * narrows the rights after the start.
 */
import { ownTarget, type Target, TARGETS } from "./targets.ts";

const CONFIG = new URL("../../deno.json", import.meta.url);

/** Flags without a meaning for a bundle or a binary, which fetch nothing. */
const SOURCE_ONLY = ["--cached-only"];

/**
 * Compiles every function with its module. With a code cache that is done once and spares the start of a bundle 25 ms;
 * without one, as in a binary, or with hundreds of modules, as from source, it would cost more at every start.
 */
const EAGER = "--no-lazy";

/**
 * How much garbage may gather before it is collected, in megabytes: at first, and at most. With the engine's own values a
 * collection doubles the time of every seventeenth request of a client that sends them in a row; later, when there is
 * room for ten times as much, all requests take longer, because it exceeds the processor's cache. What has stayed is
 * looked through once it exceeds the last number: earlier, that takes a twentieth of the time of a large board.
 */
const ROOM = "--min-semi-space-size=3,--max-semi-space-size=6,--initial-old-space-size=64";

/** An idle server collects what it no longer needs (docs/decisions/0022-memory-is-collected-when-idle.md). */
const COLLECTS = "--expose-gc";

/** The caller's folder, which only a task of a checkout has to be told. */
const RUN_ONLY_VARIABLE = /(?<=^--allow-env=.*)\bINIT_CWD,/;

/** The words after `deno` in the `start` task. A word in single quotes may contain a `*`. */
export function startWords(config: URL = CONFIG): readonly string[] {
  const task = JSON.parse(Deno.readTextFileSync(config)).tasks?.start;
  const command: unknown = typeof task === "object" ? task?.command : task;
  const [program, ...words] = typeof command === "string" ? command.trim().split(/\s+/) : [];
  if (program !== "deno" || !words.every((word) => /^(?:[^"'$&|;<>*]+|'[^']+')$/.test(word))) {
    throw new Error(`The start task must be a single deno command, not ${JSON.stringify(task)}`);
  }
  return words.map((word) => word.replace(/^'(.*)'$/, "$1"));
}

/** The flags that the bundle runs with; by default for this machine. */
export function bundleFlags(target: Target = ownTarget()): readonly string[] {
  return [...rightsOf(target), `--v8-flags=${EAGER},${ROOM},${COLLECTS}`];
}

/** The flags that a binary is compiled with. */
export function binaryFlags(
  target: Target = ownTarget(),
  words: readonly string[] = startWords(),
): readonly string[] {
  return [...rightsOf(target, words), `--v8-flags=${ROOM},${COLLECTS}`];
}

function rightsOf(target: Target, words: readonly string[] = startWords()): readonly string[] {
  const flags = words.filter((word) => word.startsWith("-") && !SOURCE_ONLY.includes(word));
  const unknown = flags.find((flag) =>
    !/^--(quiet|no-prompt|ignore-env|allow-net|allow-(read|write|run|env)=.+)$/.test(flag)
  );
  if (unknown !== undefined) {
    throw new Error(
      `Cannot embed ${unknown} of the start task: define its meaning for a binary in binary_rights.ts`,
    );
  }
  return flags.map((flag) =>
    flag.replace(/^(--allow-(?:read|write))=\/$/, `$1=${WHOLE_DISK[TARGETS[target].os]}`)
      .replace(RUN_ONLY_VARIABLE, "")
  );
}

const DRIVES = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `${letter}:\\`).join(",");

/** A list of folders, because a grant without a list cannot be narrowed after the start. */
const WHOLE_DISK = { linux: "/", darwin: "/", windows: DRIVES } as const;
