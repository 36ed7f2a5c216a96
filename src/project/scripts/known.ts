/**
 * Whether an installed script is one that ours was compared with.
 *
 * A native script follows the rules of the releases in `known_scripts.ts`. BMAD changes its scripts often: a file with
 * another hash may follow other rules, so its answers say whose rules they follow and how to run the original.
 */
import { joinPath } from "../../content/tree/mod.ts";
import { declaredNames } from "./declared.ts";
import { KNOWN_SCRIPTS } from "./known_scripts.ts";
import { argumentsOf } from "./options.ts";
import type { Script, ScriptWorld } from "./script.ts";

/** A script as it is installed. */
export interface InstalledScript {
  /** `memlog.py`. */
  readonly name: string;
  /** Its file, absolute, or its URI. */
  readonly place: string;
  readonly text: string;
}

/** What is known of an installed script. */
export interface ScriptState {
  readonly name: string;
  readonly place: string;
  /** The newest release that has this very file; undefined if none that was compared has it. */
  readonly release: string | undefined;
  readonly isNative: boolean;
  /** The release whose rules a native script follows here. */
  readonly rules: string | undefined;
  /** The files, its own or one that it calls, that are in no release that was compared. */
  readonly strange: readonly string[];
  /** Commands and options that the native script lacks. */
  readonly lacks: readonly string[];
}

/** The folders with scripts of all skills, then those of single modules. */
export function sharedFolders({ files: { tree } }: Pick<ScriptWorld, "files">): readonly string[] {
  const modules = tree.list("_bmad").filter(({ isDirectory, name }) => isDirectory && name !== "scripts");
  return ["_bmad/scripts", ...modules.map(({ name }) => `_bmad/${name}/scripts`)];
}

/** Whether a name is that of one of BMAD's scripts. */
export function isKnownName(name: string): boolean {
  return Object.hasOwn(KNOWN_SCRIPTS, name);
}

/** Whether a script is in a release that ours was compared with; undefined for one that is not BMAD's. */
export async function isCompared(name: string, text: string): Promise<boolean | undefined> {
  return isKnownName(name) ? await releaseOf({ name, text, place: name }) !== undefined : undefined;
}

/** The newest release of a script that was compared; of a script without one, of any. */
export function newestRules(name: string): string {
  const releases = Object.values(KNOWN_SCRIPTS[name] ?? {}).flat();
  return releases.at(-1) ?? newestRules("memlog.py");
}

/** The hash of a script, whichever line ends a checkout gave it. */
export async function scriptHash(text: string): Promise<string> {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(plain))).toHex();
}

/** Finds out what is known of a script; `native` is ours of the same name. */
export async function judgeScript(
  script: InstalledScript,
  native: Script | undefined,
  world: ScriptWorld,
): Promise<ScriptState> {
  const { name, place, text } = script;
  const release = await releaseOf(script);
  const helpers = await Promise.all(
    helpersOf(script, world).map(async (helper) => ({
      place: helper.place,
      isKnown: await releaseOf(helper) !== undefined,
    })),
  );
  return {
    name,
    place,
    release,
    isNative: native !== undefined,
    rules: native && (native.rules?.(world) ?? newestRules(name)),
    strange: [
      ...(release === undefined ? [place] : []),
      ...helpers.filter(({ isKnown }) => !isKnown).map(({ place }) => place),
    ],
    lacks: native === undefined || release !== undefined ? [] : lacksOf(native, text),
  };
}

async function releaseOf({ name, text }: InstalledScript): Promise<string | undefined> {
  return KNOWN_SCRIPTS[name]?.[await scriptHash(text)]?.[1];
}

/** The scripts that a script imports or starts, and what these do, as they are installed beside it or for all skills. */
function helpersOf(
  script: InstalledScript,
  world: ScriptWorld,
  seen = new Set<string>(),
): readonly InstalledScript[] {
  const { root, tree, find } = world.files;
  const { name, place, text } = script;
  if (!place.startsWith(`${root}/`)) return [];
  seen.add(name);
  const folder = place.slice(root.length + 1, place.lastIndexOf("/"));
  const called = Object.keys(KNOWN_SCRIPTS).filter((other) => !seen.has(other) && calls(text, other));
  return called.flatMap((other) => {
    const path = [folder, "_bmad/scripts"].map((one) => joinPath(one, other)).find(tree.hasFile);
    const content = path === undefined || seen.has(other) ? undefined : find(path);
    if (content === undefined) return [];
    const helper = { name: other, place: `${root}/${path}`, text: content };
    return [helper, ...helpersOf(helper, world, seen)];
  });
}

/** Whether a script imports another one, or names it as a file to start. */
function calls(text: string, other: string): boolean {
  const module = other.replace(/\.py$/, "");
  return text.includes(`from ${module} import`) || text.includes(`import ${module}\n`) ||
    text.includes(`"${other}"`) || text.includes(`'${other}'`);
}

/** What a script declares and ours does not know. Words without a dash have no name for a caller. */
function lacksOf({ usage }: Script, text: string): readonly string[] {
  const ours = new Set(["-h", "--help", ...argumentsOf(usage).flatMap(({ names }) => names)]);
  const { commands, args } = declaredNames(text);
  return [
    ...commands.filter((name) => !Object.hasOwn(usage.commands ?? {}, name)),
    ...args.filter((name) => name.startsWith("-") && !ours.has(name)),
  ];
}
