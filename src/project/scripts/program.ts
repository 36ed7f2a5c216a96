/**
 * What the scripts have in common: arguments, the files that they read, and how they end early.
 */
import { demand } from "../../base/people.ts";
import type { Values } from "../../base/values.ts";
import { renderHelp, renderUsage } from "./help.ts";
import { type Argument, type Given, parseArguments, type Parsed } from "./options.ts";
import { pathText, quote, universalNewlines } from "./python.ts";
import {
  failed,
  MAX_STDOUT,
  printed,
  type Script,
  type ScriptFiles,
  type ScriptResult,
  type ScriptWorld,
} from "./script.ts";
import { type Kind, openTarget } from "./targets.ts";

/** Far above any real document; what a script makes of one may be many times as large. */
const MAX_INPUT = 2 << 20;

/** Whether a script changes files with these arguments. */
export function isWriting({ usage, isWriter }: Script, args: readonly string[]): boolean {
  const parsed = parseArguments(usage, args);
  return parsed.is === "values" && (isWriter?.(parsed.given) ?? false);
}

/** Runs a script: wrong arguments end with status 2, what cannot be read with status 1. */
export async function execute(
  { name, usage, isWriter, needs, report, fail, run }: Script,
  parsed: Parsed,
  world: ScriptWorld,
): Promise<ScriptResult> {
  if (parsed.is === "help") return printed(renderHelp(name, usage, parsed.command));
  if (parsed.is === "problem") {
    const { text, command } = parsed;
    return report?.(`argument error: ${text}`, 2) ??
      failed(2, `${renderUsage(name, usage, command)}${name}: error: ${text}\n`);
  }
  const { given } = parsed;
  try {
    const { person } = world;
    const need = person && isWriter?.(given) ? await needs?.(given, world) : undefined;
    if (need) demand(person!, need.right, `run ${callOf(name, given)} like this`, need.instead);
    return await run(given, world);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return fail?.(error.message, error.status) ?? report?.(error.message, 1, error.details) ??
      failed(error.status, `error: ${error.message}\n`);
  }
}

/** A script and its command: `memlog.py set`. */
export function callOf(name: string, { command }: Given): string {
  return command === undefined ? name : `${name} ${command}`;
}

/** Ends a script early; `details` are what an answer in JSON says besides. */
export class ScriptError extends Error {
  constructor(message: string, readonly status = 1, readonly details: Values = {}) {
    super(message);
  }
}

export class Unreadable extends ScriptError {
  constructor(
    readonly reason: "No such file or directory" | "Is a directory" | "Not valid UTF-8",
    path: string,
  ) {
    super(`${reason}: ${quote(pathText(path))}`);
  }
}

export function stop(problem: string, details?: Values): never {
  throw new ScriptError(problem, 1, details);
}

/**
 * Ends with status 2: it was asked for something else than it can do. BMAD's own scripts have no limits, but what they would
 * answer would not fit into memory.
 */
export function refuse(problem: string): never {
  throw new ScriptError(problem, 2);
}

/** The texts, unless they are together more than a script may print. */
export function printable(texts: Iterable<string>): readonly string[] {
  const kept: string[] = [];
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (size > MAX_STDOUT) stop(`the output is longer than ${MAX_STDOUT} characters`);
    kept.push(text);
  }
  return kept;
}

/** The file of a served skill that an argument names; undefined for any other. */
function servedText({ skills }: ScriptFiles, given: string): string | undefined {
  const skill = skills.find(({ location }) => given.startsWith(`${location}/`));
  return skill?.read(given.slice(skill.location.length + 1));
}

/** `Path(given).is_file()`, in the project or in a served skill. */
export function isFile(world: ScriptWorld, given: string): boolean {
  return servedText(world, given) !== undefined ||
    world.files.tree.stat(world.files.pathOf("path", given)) !== undefined;
}

/**
 * `open(given, newline="", encoding="utf-8")`, of the project or of a served skill: line ends stay. With `isLenient`,
 * what is not UTF-8 becomes replacement characters.
 */
export function readRaw(world: ScriptFiles, given: string, { isLenient = false } = {}): string {
  const served = servedText(world, given);
  return served === undefined ? readOwn(world, given, isLenient) : limited(served, given);
}

function readOwn({ files: { tree, pathOf } }: ScriptFiles, given: string, isLenient = false): string {
  const path = pathOf("path", given);
  if (tree.stat(path) === undefined) {
    throw new Unreadable(
      tree.stamp(path) === undefined ? "No such file or directory" : "Is a directory",
      given,
    );
  }
  const bytes = tree.read(path);
  if (bytes.length > MAX_INPUT) refuseInput(given);
  const decoder = new TextDecoder("utf-8", { fatal: !isLenient, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Unreadable("Not valid UTF-8", given);
  }
}

/**
 * The same; undefined for a missing file or a folder. A file in the project is read as it is, also that of a served skill:
 * to search all of it for secrets takes twenty times as long. The caller does so with what it prints.
 */
export function findRaw(world: ScriptWorld, given: string): string | undefined {
  const { root, tree, pathOf } = world.files;
  const served = given.startsWith(`${root}/`) ? undefined : servedText(world, given);
  if (served !== undefined) return limited(served, given);
  return tree.stat(pathOf("path", given)) === undefined ? undefined : readOwn(world, given);
}

function limited(text: string, given: string): string {
  return text.length > MAX_INPUT ? refuseInput(given) : text;
}

function refuseInput(given: string): never {
  const name = given === "-" ? "stdin" : pathText(given);
  return refuse(`${name} is longer than ${MAX_INPUT} bytes. Split it, or give a part of it`);
}

/** `Path(given).read_text(encoding="utf-8")`: every line end becomes `\n`. */
export function readText(
  world: ScriptFiles,
  given: string,
  options?: { readonly isLenient: boolean },
): string {
  return universalNewlines(readRaw(world, given, options));
}

/** `-` is what the caller pipes in. */
export function readPiped(world: ScriptWorld, given: string): string {
  return given === "-" ? universalNewlines(limited(world.stdin, given)) : readText(world, given);
}

export const OUTPUT: Argument = {
  names: ["-o", "--output"],
  help: "Write the JSON to this file instead of printing it",
};

/** Prints a text and the end of its line, or writes both to the file that `-o` names. */
export async function deliver(
  values: Given,
  { files, signal }: ScriptWorld,
  text: string,
  kind: Kind,
): Promise<ScriptResult> {
  const given = values.one("output");
  if (!given) return printed(`${text}\n`);
  const path = files.pathOf("output", given);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (files.tree.stamp(folder) === undefined) throw new Unreadable("No such file or directory", given);
  openTarget(files, path, kind);
  await files.exclusively(() => files.replace(path, `${text}\n`, openTarget(files, path, kind)), signal);
  return printed("");
}

export function hasOutput(values: Given): boolean {
  return Boolean(values.one("output"));
}
