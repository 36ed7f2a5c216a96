/**
 * One of BMAD's scripts. It returns what the original prints and its exit status, and throws only failures of the
 * request.
 */
import { recover } from "../../base/absence.ts";
import { asValues, parseJson, type Values } from "../../base/values.ts";
import type { Person, Right } from "../../base/roles.ts";
import type { Clock } from "../../base/work.ts";
import type { GitAnswer } from "../../content/repositories/mod.ts";
import { loadCleaner, type Resolvers } from "../../content/library/mod.ts";
import { LIMITS } from "../limits.ts";
import { type ProjectFiles, refuseWrite } from "../files/mod.ts";
import {
  type Argument,
  type Given,
  parseArguments,
  type Parsed,
  renderHelp,
  renderUsage,
  type Usage,
} from "./options.ts";
import { type JsonForm, pathText, pythonJson, quote, universalNewlines } from "./python.ts";
import { demand } from "../../base/people.ts";
import { baseName, joinPath, parentPath } from "../../content/tree/mod.ts";
import { JOURNAL_FILE, QUESTIONS_FILE } from "../work/formats/mod.ts";

/** The files of a served skill may be embedded, and then exist nowhere on disk. */
export interface ScriptSkill {
  readonly name: string;
  /** Its folder, absolute, or its URI: `bmad://core/bmad-brainstorming`. No slash at the end. */
  readonly location: string;
  read(path: string): string | undefined;
}

export interface ScriptResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whose rules the answer follows, if the installed script is an unknown one. */
  readonly note?: string;
}

export interface ScriptWorld {
  readonly files: ProjectFiles;
  readonly clock: Pick<Clock, "now">;
  readonly stdin: string;
  readonly skills: readonly ScriptSkill[];
  /** The script's own skill: the one in its path, else the first with such a script. */
  readonly skill?: ScriptSkill;
  /** `git log` over a range; undefined where git may not run. */
  git?(folder: string, options: readonly string[], range: string, signal?: AbortSignal): Promise<GitAnswer>;
  resolvers?(): Promise<Resolvers>;
  random(): number;
  readonly signal?: AbortSignal;
  /** Undefined for a user who runs the program alone. */
  readonly person?: Person;
}

export type ScriptFiles = Pick<ScriptWorld, "files" | "skills" | "signal">;

export interface Need {
  readonly right: Right;
  readonly instead: string;
}

export type Run = (given: Given, world: ScriptWorld) => ScriptResult | Promise<ScriptResult>;

export interface Script {
  readonly name: string;
  readonly usage: Usage & {
    readonly commands?: Readonly<Record<string, Usage & { readonly run?: Run }>> | undefined;
  };
  foreign?(args: readonly string[]): string | undefined;
  isWriter?(given: Given): boolean;
  /** Whether a writing call may change the states of stories. */
  readonly movesStories?: true;
  /** The right that a writing call needs if an operation would need force for it. */
  needs?(given: Given, world: ScriptWorld): Need | undefined | Promise<Need | undefined>;
  /** The release whose rules it follows here, if not the newest. */
  rules?(world: ScriptWorld): string | undefined;
  /** Prints a failure otherwise than as `error: …` on stderr. */
  fail?(error: string, status: number): ScriptResult;
  /** The same for originals that always print JSON, also for wrong arguments. */
  report?(error: string, status: number, details?: Values): ScriptResult;
  /** The exit status for a file that cannot be read, if not 1. */
  readonly unreadable?: 2;
  /** What a script without commands does, or each command that has no `run`. */
  readonly run?: Run;
}

export function printed(stdout: string): ScriptResult {
  return { status: 0, stdout, stderr: "" };
}

export function answer(
  value: unknown,
  { status = 0, end = "\n", ...form }: JsonForm & { readonly status?: number; readonly end?: string } = {},
): ScriptResult {
  return { ...printed(`${pythonJson(value, form)}${end}`), status };
}

/** Without a line end, as the scripts of retrospectives print it. */
export function reply(value: Values, status = 0): ScriptResult {
  return answer(value, { status, end: "" });
}

export function failed(status: number, stderr: string): ScriptResult {
  return { status, stdout: "", stderr };
}

export function findSkill({ skills, files }: ScriptWorld, given: string): ScriptSkill | undefined {
  const plain = given.replace(/(?<![\\/])[\\/]+$/, "").replace(/^\{project-root\}(?=\/)/, files.root);
  const inProject = `${files.root}/${plain.replace(/^\.\//, "")}`;
  return skills.find(({ location }) => location === plain || location === inProject) ??
    skills.find(({ name }) => name === plain);
}

export async function configTables({ resolvers }: ScriptWorld): Promise<readonly Values[]> {
  const { core, modules } = (await resolvers?.())?.config() ?? {};
  return [core, ...Object.values(asValues(modules))].map(asValues);
}

/** The originals print secrets; this program never does. */
export async function withoutSecrets(values: Values): Promise<Values> {
  return (await loadCleaner()).config(values);
}

export function isWriting({ usage, isWriter }: Script, args: readonly string[]): boolean {
  const parsed = parseArguments(usage, args);
  return parsed.is === "values" && (isWriter?.(parsed.given) ?? false);
}

/** Wrong arguments end with status 2, unreadable files with status 1. */
export async function execute(
  { name, usage, isWriter, needs, report, fail, unreadable, run: runAny }: Script,
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
  return await recover(ScriptError, async () => {
    const { person } = world;
    const need = person && isWriter?.(given) ? await needs?.(given, world) : undefined;
    if (need) demand(person!, need.right, `run ${callName(name, given)} like this`, need.instead);
    const run = usage.commands?.[given.command ?? ""]?.run ?? runAny!;
    return await run(given, world);
  }, (error) => {
    const status = error instanceof Unreadable ? unreadable ?? error.status : error.status;
    return fail?.(error.message, status) ?? report?.(error.message, 1, error.details) ??
      failed(status, `error: ${error.message}\n`);
  });
}

export function callName(name: string, { command }: Given): string {
  return command === undefined ? name : `${name} ${command}`;
}

/** Ends a script early; `details` are further fields of a JSON answer. */
export class ScriptError extends Error {
  constructor(message: string, readonly status = 1, readonly details: Values = {}) {
    super(message);
  }
}

const MISSING = "No such file or directory";

export class Unreadable extends ScriptError {
  constructor(readonly reason: typeof MISSING | "Is a directory" | "Not valid UTF-8", path: string) {
    super(`${reason}: ${quote(pathText(path))}`);
  }

  get isMissing(): boolean {
    return this.reason === MISSING;
  }
}

export function stop(problem: string, details?: Values): never {
  throw new ScriptError(problem, 1, details);
}

/** Ends with status 2. BMAD's scripts have no limits, but their answer would not fit into memory. */
export function refuse(problem: string): never {
  throw new ScriptError(problem, 2);
}

export function printable(texts: Iterable<string>): readonly string[] {
  const kept: string[] = [];
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (size > LIMITS.scripts.stdout) stop(`the output is longer than ${LIMITS.scripts.stdout} characters`);
    kept.push(text);
  }
  return kept;
}

function servedText({ skills }: ScriptFiles, given: string): string | undefined {
  const skill = skills.find(({ location }) => given.startsWith(`${location}/`));
  return skill?.read(given.slice(skill.location.length + 1));
}

/** `Path(given).is_file()`, also in a served skill. */
export function isFile(world: ScriptWorld, given: string): boolean {
  return servedText(world, given) !== undefined ||
    world.files.tree.stat(world.files.pathOf("path", given)) !== undefined;
}

/** `open(given, newline="", encoding="utf-8")`, also in a served skill. `isLenient` replaces what is not UTF-8. */
export function readRaw(world: ScriptFiles, given: string, { isLenient = false } = {}): string {
  const served = servedText(world, given);
  return served === undefined ? readOwn(world, given, isLenient) : limited(served, given);
}

function readOwn({ files: { tree, pathOf } }: ScriptFiles, given: string, isLenient = false): string {
  const path = pathOf("path", given);
  if (tree.stat(path) === undefined) {
    throw new Unreadable(tree.stamp(path) === undefined ? MISSING : "Is a directory", given);
  }
  const bytes = tree.read(path);
  if (bytes.length > LIMITS.scripts.inputBytes) refuseInput(given);
  const decoder = new TextDecoder("utf-8", { fatal: !isLenient, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Unreadable("Not valid UTF-8", given);
  }
}

/**
 * Undefined for a missing file or a folder. A file in the project is read as it is: to search all of it for secrets
 * takes twenty times as long. The caller cleans what it prints.
 */
export function findRaw(world: ScriptWorld, given: string): string | undefined {
  const { root, tree, pathOf } = world.files;
  const served = given.startsWith(`${root}/`) ? undefined : servedText(world, given);
  if (served !== undefined) return limited(served, given);
  return tree.stat(pathOf("path", given)) === undefined ? undefined : readOwn(world, given);
}

function limited(text: string, given: string): string {
  return text.length > LIMITS.scripts.inputBytes ? refuseInput(given) : text;
}

function refuseInput(given: string): never {
  const name = given === "-" ? "stdin" : pathText(given);
  return refuse(`${name} is longer than ${LIMITS.scripts.inputBytes} bytes. Split it, or give a part of it`);
}

/** `Path(given).read_text(encoding="utf-8")`: every line end becomes `\n`. */
export function readText(world: ScriptFiles, given: string, options?: { readonly isLenient: boolean }) {
  return universalNewlines(readRaw(world, given, options));
}

export function readPiped(world: ScriptWorld, given: string): string {
  return given === "-" ? universalNewlines(limited(world.stdin, given)) : readText(world, given);
}

export const OUTPUT: Argument = {
  names: ["-o", "--output"],
  help: "Write the JSON to this file instead of printing it",
};

/** Prints an answer, or writes it to the file of `OUTPUT`; an earlier one there is JSON with these keys. */
export async function deliver(
  { stdout }: ScriptResult,
  keys: readonly string[],
  values: Given,
  world: ScriptWorld,
): Promise<ScriptResult> {
  const { files } = world;
  const given = values.one("output");
  if (!given) return printed(stdout);
  const path = files.pathOf("output", given);
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (files.tree.stamp(folder) === undefined) throw new Unreadable(MISSING, given);
  const isOwn = (text: string) => {
    const found = asValues(parseJson(text));
    return keys.every((key) => Object.hasOwn(found, key));
  };
  await writeTarget(world, path, stdout, { ends: [".json"], isOwn });
  return printed("");
}

export function hasOutput(values: Given): boolean {
  return Boolean(values.one("output"));
}

export interface Kind {
  readonly ends?: readonly [string, ...string[]];
  isOwn(text: string, path: string): boolean;
}

/** Fails unless a script may write there. Creates nothing; returns the present text. */
export function openTarget(files: ProjectFiles, path: string, { ends, isOwn }: Kind): string | undefined {
  if (isRecord(files, path)) {
    refuseWrite(path, "it is a record that only this program writes. Name another file");
  }
  // A folder is left to the script, which says so.
  const isOther = ends?.every((end) => !path.toLowerCase().endsWith(end)) && !files.realFolder(path);
  if (isOther) {
    refuseWrite(path, `this script writes files that end with ${ends!.join(" or ")}`);
  }
  files.checkTarget(path);
  const before = files.find(path);
  if (before?.trim() && !isOwn(before, path)) {
    refuseWrite(path, "it exists, and this script has not written it. Name another file");
  }
  return before;
}

const RECORDS: readonly string[] = [JOURNAL_FILE, QUESTIONS_FILE];

function isRecord({ root, records, realFolder }: ProjectFiles, path: string): boolean {
  const folder = realFolder(parentPath(path))?.slice(root.length + 1) ?? parentPath(path);
  const parts = joinPath(folder, baseName(path)).toLowerCase().split("/");
  return RECORDS.includes(parts.at(-1)!) || parts.includes(baseName(records));
}

export async function writeTarget(
  { files, signal }: Pick<ScriptWorld, "files" | "signal">,
  path: string,
  text: string,
  kind: Kind,
): Promise<void> {
  openTarget(files, path, kind);
  await files.exclusively(() => files.replace(path, text, openTarget(files, path, kind)), signal);
}
