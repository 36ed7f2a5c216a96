/** An installed script that ours was not compared with may follow other rules. */
import { sha256 } from "../../base/text.ts";
import { joinPath } from "../../content/tree/mod.ts";
import type { ProjectFiles } from "../files/mod.ts";
import { LIMITS } from "../limits.ts";
import { KNOWN_SCRIPTS } from "./known_scripts.ts";
import { allArguments } from "./options.ts";
import type { Script, ScriptSkill, ScriptWorld } from "./script.ts";

type InstalledScript = Readonly<Record<"name" | "place" | "text", string>>;

export type ScriptState = Awaited<ReturnType<typeof judgeScript>>;

export function sharedFolders({ files: { tree } }: Pick<ScriptWorld, "files">): readonly string[] {
  const modules = tree.list("_bmad").filter(({ isDirectory, name }) => isDirectory && name !== "scripts");
  return ["_bmad/scripts", ...modules.map(({ name }) => `_bmad/${name}/scripts`)];
}

function isKnownName(name: string): boolean {
  return Object.hasOwn(KNOWN_SCRIPTS, name);
}

/** Undefined for a script that is not BMAD's. */
export async function isCompared(name: string, text: string): Promise<boolean | undefined> {
  return isKnownName(name) ? await findRelease({ name, text, place: name }) !== undefined : undefined;
}

function newestRules(name: string): string {
  return Object.values(KNOWN_SCRIPTS[name] ?? {}).at(-1) ?? newestRules("memlog.py");
}

/** Line ends do not count: a checkout may change them. 64 bits tell a few hundred files apart. */
export async function scriptHash(text: string): Promise<string> {
  return (await sha256(text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n"))).slice(0, 16);
}

export async function judgeScript(script: InstalledScript, native: Script | undefined, world: ScriptWorld) {
  const { name, place, text } = script;
  const release = await findRelease(script);
  const helpers = await Promise.all(
    findHelpers(script, world).map(async (helper) => ({
      place: helper.place,
      isKnown: await findRelease(helper) !== undefined,
    })),
  );
  return {
    name,
    place,
    release,
    isNative: native !== undefined,
    /** The release whose rules a native script follows here. */
    rules: native && (native.rules?.(world) ?? newestRules(name)),
    /** The files in no compared release: its own, or one that it calls. */
    strange: [
      ...(release === undefined ? [place] : []),
      ...helpers.filter(({ isKnown }) => !isKnown).map(({ place }) => place),
    ],
    lacks: native === undefined || release !== undefined ? [] : findMissing(native, text),
  };
}

async function findRelease({ name, text }: InstalledScript): Promise<string | undefined> {
  return KNOWN_SCRIPTS[name]?.[await scriptHash(text)];
}

function findHelpers(
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
    return [helper, ...findHelpers(helper, world, seen)];
  });
}

function calls(text: string, other: string): boolean {
  const module = other.replace(/\.py$/, "");
  return text.includes(`from ${module} import`) || text.includes(`import ${module}\n`) ||
    text.includes(`"${other}"`) || text.includes(`'${other}'`);
}

/** Positional words have no name for a caller. */
function findMissing({ usage }: Script, text: string): readonly string[] {
  const ours = new Set(["-h", "--help", ...allArguments(usage).flatMap(({ names }) => names)]);
  const { commands, args } = declaredNames(text);
  return [
    ...commands.filter((name) => !Object.hasOwn(usage.commands ?? {}, name)),
    ...args.filter((name) => name.startsWith("-") && !ours.has(name)),
  ];
}

const SCRIPT = /^(?!test_)[\w-]+\.(?:py|sh|[cm]?js|ts|rb|ps1)$/;

export async function judgeInstalled(
  scripts: readonly Script[],
  world: ScriptWorld,
): Promise<readonly ScriptState[]> {
  const found = [
    ...sharedFolders(world).flatMap((folder) => scriptsIn(world.files, folder, () => true)),
    ...world.skills.flatMap((skill) => findSkillScripts(skill, scripts, world.files)),
  ];
  const unique = new Map(found.map((script) => [script.place, script]));
  return await Promise.all(
    unique.values().take(LIMITS.scripts.installed).map((script) => {
      const native = scripts.find(({ name }) => name === script.name);
      const owner = world.skills.find(({ location }) => script.place.startsWith(`${location}/`));
      return judgeScript(script, native, { ...world, skill: owner });
    }),
  );
}

function scriptsIn({ root, tree, find }: ProjectFiles, folder: string, isWanted: (name: string) => boolean) {
  return tree.list(folder).flatMap(({ name, isDirectory }): readonly InstalledScript[] => {
    const isScript = !isDirectory && SCRIPT.test(name) && isWanted(name);
    const text = isScript ? find(joinPath(folder, name)) : undefined;
    return text === undefined ? [] : [{ name, place: `${root}/${folder}/${name}`, text }];
  });
}

function findSkillScripts(
  { name: id, location, read }: ScriptSkill,
  scripts: readonly Script[],
  files: ProjectFiles,
): readonly InstalledScript[] {
  if (location.startsWith("bmad://")) return [];
  if (location.startsWith(`${files.root}/`)) {
    const isNative = (name: string) => scripts.some((one) => one.name === name);
    const isBmads = (name: string) => id.startsWith("bmad") || isKnownName(name) || isNative(name);
    return scriptsIn(files, `${location.slice(files.root.length + 1)}/scripts`, isBmads);
  }
  return scripts.flatMap(({ name }) => {
    const text = read(`scripts/${name}`);
    return text === undefined ? [] : [{ name, place: `${location}/scripts/${name}`, text }];
  });
}

const DECLARATION =
  /\.add_(parser|argument)\(\s*((?:(?:"[^"\n]{1,60}"|'[^'\n]{1,60}')\s{0,20},?\s{0,20}){1,4})/g;

export function declaredNames(source: string) {
  const [commands, args] = [new Set<string>(), new Set<string>()];
  for (const [, kind, list] of source.matchAll(DECLARATION)) {
    const declared = kind === "parser" ? commands : args;
    for (const [, name] of list!.matchAll(/["']([^"'\n]+)["']/g)) declared.add(name!);
  }
  return { commands: [...commands], args: [...args] };
}
