/**
 * What one of BMAD's scripts is, when this program does its work.
 *
 * A script gets its arguments and the project, and returns what the original prints and its exit status. It never throws
 * for what the original reports; anything that it throws is a failure of the request.
 */
import { asValues, type Values } from "../../base/values.ts";
import type { Person, Right } from "../../base/roles.ts";
import type { Clock } from "../../base/work.ts";
import type { GitAnswer } from "../../content/repositories/mod.ts";
import { loadCleaner, type Resolvers } from "../../content/library/mod.ts";
import type { ProjectFiles } from "../files/mod.ts";
import type { Given, Usage } from "./options.ts";
import { type JsonForm, pythonJson } from "./python.ts";

/** A skill that is served, as scripts see it. Its files may be embedded: then they exist nowhere on disk. */
export interface ScriptSkill {
  /** `bmad-brainstorming`. */
  readonly name: string;
  /** Its folder on disk, absolute, else its URI: `bmad://core/bmad-brainstorming`. No slash at the end. */
  readonly location: string;
  /** The text of one of its files, such as `assets/methods.csv`; undefined if there is none. */
  read(path: string): string | undefined;
}

/** What a script printed, and how it ended. */
export interface ScriptResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whose rules the answer follows, in a line, if the installed script is none that ours was compared with. */
  readonly note?: string;
}

/** What a script works on. */
export interface ScriptWorld {
  readonly files: ProjectFiles;
  readonly clock: Pick<Clock, "now">;
  readonly stdin: string;
  /** Every skill that is served, one per name. */
  readonly skills: readonly ScriptSkill[];
  /** The skill that the script belongs to: the one that its path names, else the one that has such a script. */
  readonly skill?: ScriptSkill;
  /** Runs `git log` with options over a range of commits; undefined where this start may not run git. */
  git?(folder: string, options: readonly string[], range: string, signal?: AbortSignal): Promise<GitAnswer>;
  /** What the served content answers to scripts that look something up. */
  resolvers?(): Promise<Resolvers>;
  /** A random number from 0 up to 1. */
  random(): number;
  readonly signal?: AbortSignal;
  /** Who runs it; undefined for a user who runs the program alone. */
  readonly person?: Person;
}

/** What is read from: the files of the project and of the skills. */
export type ScriptFiles = Pick<ScriptWorld, "files" | "skills" | "signal">;

/** What a call takes besides the right to work. */
export interface Need {
  readonly right: Right;
  /** What somebody without that right can do: the operations that check, or another call. */
  readonly instead: string;
}

/** One of BMAD's scripts. */
export interface Script {
  /** As command lines spell it: `memlog.py`. */
  readonly name: string;
  readonly usage: Usage;
  /** Which part of these arguments is not native, if any. */
  foreign?(args: readonly string[]): string | undefined;
  isWriter?(given: Given): boolean;
  /** Of a call that writes: the right that it takes if it does what an operation does only by force. */
  needs?(given: Given, world: ScriptWorld): Need | undefined | Promise<Need | undefined>;
  /** The release whose rules it follows for what is installed, where that is not the newest one. */
  rules?(world: ScriptWorld): string | undefined;
  /** How it says why it failed, if not as `error: …` on stderr. */
  fail?(error: string, status: number): ScriptResult;
  /** The same, of the originals that always print JSON: also for wrong arguments. */
  report?(error: string, status: number, details?: Values): ScriptResult;
  run(given: Given, world: ScriptWorld): ScriptResult | Promise<ScriptResult>;
}

/** How many characters a script may print on stdout, and on stderr. */
export const MAX_STDOUT: number = 4 << 20;
export const MAX_STDERR: number = 64 << 10;

export function printed(stdout: string): ScriptResult {
  return { status: 0, stdout, stderr: "" };
}

/** A value as JSON on stdout; `end` is what follows it. */
export function answer(
  value: unknown,
  { status = 0, end = "\n", ...form }: JsonForm & { readonly status?: number; readonly end?: string } = {},
): ScriptResult {
  return { ...printed(`${pythonJson(value, form)}${end}`), status };
}

/** The same without the end of its line, as the scripts of retrospectives print it. */
export function reply(value: Values, status = 0): ScriptResult {
  return answer(value, { status, end: "" });
}

export function failed(status: number, stderr: string): ScriptResult {
  return { status, stdout: "", stderr };
}

/** The skill that an argument means by its name, its folder or its URI. */
export function findSkill({ skills, files }: ScriptWorld, given: string): ScriptSkill | undefined {
  const plain = given.replace(/(?<![\\/])[\\/]+$/, "").replace(/^\{project-root\}(?=\/)/, files.root);
  const inProject = `${files.root}/${plain.replace(/^\.\//, "")}`;
  return skills.find(({ location }) => location === plain || location === inProject) ??
    skills.find(({ name }) => name === plain);
}

/** The served configuration: the table of the core, then those of the modules. */
export async function configTables({ resolvers }: ScriptWorld): Promise<readonly Values[]> {
  const { core, modules } = (await resolvers?.())?.config() ?? {};
  return [core, ...Object.values(asValues(modules))].map(asValues);
}

/** The originals print secrets; whatever leaves this program has none. */
export async function withoutSecrets(values: Values): Promise<Values> {
  return (await loadCleaner()).config(values);
}
