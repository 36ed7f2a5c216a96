/** Which files will a command touch, with exactly which rights? */
import type { WantedRights } from "../../base/model.ts";
import { liesIn, type Owner, resolvePath } from "../../base/paths.ts";
import type { Host } from "../../process/host.ts";
import { resolveRight } from "../../settings/mod.ts";
import { type Client, type HookFile, onSystem, variablesIn } from "./client.ts";
import { SKILL } from "./skill.ts";

export type Machine = Pick<Host, "home" | "os" | "env" | "look" | "namesIn">;

interface Candidate {
  readonly path: string;
  /** Never removed, even if empty: the home, the project, and what variables name. */
  readonly bases: readonly string[];
  /** The client reads no other, even if another candidate exists. */
  readonly isExclusive: boolean;
}

function candidatesOf(
  client: Pick<Client, "user" | "project">,
  project: string | undefined,
  machine: Machine,
): readonly Candidate[] {
  if (project !== undefined) {
    const bases = [project];
    return (client.project ?? []).map((path) => ({ path: `${project}/${path}`, bases, isExclusive: false }));
  }
  return onSystem(client.user, machine.os).flatMap((template) => {
    const bases = [machine.home, ...variablesIn(template).map((name) => machine.env(name))]
      .filter((base) => base !== undefined).map((base) => resolvePath(base, { ...machine, base: "/" }));
    return expand(template, machine).map((path) => ({ path, bases, isExclusive: template.includes("*") }));
  });
}

export function isInstalled(client: Client, machine: Machine): boolean {
  if (client.programs?.some((name) => isOnPath(name, machine))) return true;
  const markers = onSystem(client.detectBy, machine.os);
  const templates = markers.length > 0 ? markers : onSystem(client.user, machine.os).map(folderOf);
  return templates.flatMap((one) => expand(one, machine)).some((path) => machine.look(path) !== undefined);
}

/** From WSL, PATH has Windows' programs too, which have their files there. */
function isOnPath(name: string, machine: Machine): boolean {
  // npm and editors install scripts.
  const endings = machine.os === "windows" ? [".exe", ".cmd", ".bat"] : [""];
  return pathFolders(machine).filter((folder) => !/^\/mnt\/[a-z]\//.test(folder)).some((folder) =>
    endings.some((ending) => machine.look(`${folder}/${name}${ending}`)?.kind === "file")
  );
}

/** One that is not absolute means another folder everywhere, and does not count. */
export function pathFolders({ os, env }: Pick<Machine, "os" | "env">): readonly string[] {
  return (env("PATH") ?? "").split(os === "windows" ? ";" : ":").filter((folder) =>
    /^(?:\/|[A-Za-z]:[\\/])/.test(folder)
  );
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function expand(template: string, machine: Machine): readonly string[] {
  const filled = template.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, standard: string) => machine.env(name) ?? standard,
  );
  if (filled.startsWith("~") && machine.home === undefined) return [];
  const path = resolvePath(filled, { ...machine, base: "/" });
  const [, before, start, after] = /^(.*)\/([^/]*)\*(\/.*)$/.exec(path) ?? [];
  if (before === undefined) return [path];
  return machine.namesIn(before).filter((name) => name.startsWith(start!)).toSorted()
    .map((name) => `${before}/${name}${after}`);
}

export interface FilePlace {
  readonly path: string;
  readonly real: string;
  readonly exists: boolean;
  /** Of a new file of the user's own, nobody else sees what is added later, such as a token. */
  readonly scope?: "user" | "project";
  readonly problem?: string;
  /** The outermost that must be created. */
  readonly missingFolder?: string;
  /** The owner of the folder that it is created in. */
  readonly newOwner?: Owner;
  /** Those that may have been created for it, innermost first. */
  readonly parents: readonly string[];
  /** What its own program makes while changing it, which keeps others out. */
  readonly lock?: string;
}

export interface Target extends FilePlace {
  readonly client: Client;
  readonly hooks?: HookFile;
  readonly isSkill?: true;
  readonly scope: "user" | "project";
  readonly isClientInstalled: boolean;
}

export function isEntry({ hooks, isSkill }: Pick<Target, "hooks" | "isSkill">): boolean {
  return hooks === undefined && isSkill === undefined;
}

export function backupOf({ real }: Pick<FilePlace, "real">): string {
  return `${real}.bmad-mcp-backup`;
}

export function draftOf({ real, lock }: Pick<FilePlace, "real" | "lock">): string {
  return lock ?? `${real}.bmad-mcp-new`;
}

type FindTargets = (
  client: Client,
  project: string | undefined,
  machine: Machine,
  isNew: boolean,
) => readonly Target[];

/** The file for a new entry; otherwise all that exist, or else that one. */
export const targetsOf: FindTargets = (client, project, machine, isNew) => {
  const candidates = candidatesOf(client, project, machine);
  const existing = candidates.filter(({ path }) => machine.look(path) !== undefined);
  const chosen = candidates.find((one) => one.isExclusive || existing.includes(one)) ?? candidates[0];
  const meant = isNew || existing.length === 0 ? [chosen ?? []].flat() : existing;
  return meant.map((candidate) => buildTarget(client, project, candidate, machine));
};

/** A file with a list for the start of a session and one for the end of a turn is two targets, in this order. */
export const hookTargetsOf: FindTargets = (client, project, machine, isNew) => {
  const { hooks } = client;
  if (hooks === undefined) return [];
  const candidates = candidatesOf({ ...client, ...hooks }, project, machine);
  const chosen = candidates.filter(({ path }, at) => isNew ? at === 0 : machine.look(path) !== undefined);
  const lists: HookFile[] = [hooks];
  if (hooks.end !== undefined) {
    lists.push({ ...hooks, keys: hooks.keys.with(-1, hooks.end), isEnd: true, trust: undefined });
  }
  return chosen.flatMap((candidate) => {
    const target = buildTarget(client, project, candidate, machine);
    return lists.map((hooks) => ({ ...target, hooks }));
  });
};

export const skillTargetsOf: FindTargets = (client, project, machine, isNew) => {
  const [user, shared] = (client.skills ?? []).map((folder) => [`${folder}/${SKILL}/SKILL.md`]);
  return candidatesOf({ user, project: shared }, project, machine)
    .filter(({ path }) => isNew || machine.look(path) !== undefined)
    .map((candidate) => ({ ...buildTarget(client, project, candidate, machine), isSkill: true }));
};

export type Purpose = "read" | "add" | "remove";

export function rightsFor(
  targets: readonly FilePlace[],
  purpose: Purpose,
  { namesIn }: Pick<Machine, "namesIn">,
): WantedRights {
  const usable = targets.filter(({ problem }) => problem === undefined);
  const files = usable.flatMap(filesOf);
  if (purpose === "read") return { read: files, write: [], run: [], net: false };
  const folders = purpose === "add"
    ? usable.flatMap(({ missingFolder }) => missingFolder ?? [])
    : foldersToEmpty(usable, namesIn);
  // Looked at to see whether root created them, or whether they are gone.
  const both = [...files, ...folders];
  return { read: both, write: both, run: [], net: false };
}

function filesOf(target: FilePlace): readonly string[] {
  return [target.real, backupOf(target), draftOf(target)];
}

function foldersToEmpty(targets: readonly FilePlace[], namesIn: Machine["namesIn"]): readonly string[] {
  const files = new Set(targets.flatMap(filesOf));
  const folders = [...new Set(targets.flatMap(({ parents, exists }) => exists ? parents : []))];
  const becomesEmpty = (folder: string): boolean =>
    namesIn(folder).map((name) => `${folder}/${name}`)
      .every((path) => files.has(path) || (folders.includes(path) && becomesEmpty(path)));
  return folders.filter(becomesEmpty);
}

function buildTarget(
  client: Client,
  project: string | undefined,
  { path, bases }: Candidate,
  machine: Machine,
): Target {
  const scope = project === undefined ? "user" : "project";
  const isClientInstalled = isInstalled(client, machine);
  return { client, scope, isClientInstalled, ...placeOf(path, bases, project, machine) };
}

export function placeOf(
  path: string,
  bases: readonly string[],
  project: string | undefined,
  { look }: Pick<Machine, "look">,
): FilePlace {
  // A cloned repository must not make us write elsewhere.
  const root = project && (look(project)?.real ?? project);
  const request = { path, kind: "file", ...(root !== undefined && { within: { root } }) } as const;
  const { real = path, grant = real, exists = look(path) !== undefined, reason } = resolveRight(
    request,
    look,
  );
  // A pipe would never end, and a link could lead to any file.
  const odd = [backupOf({ real }), draftOf({ real })].find((file) => {
    const found = look(file);
    return found !== undefined && (found.kind !== "file" || found.real !== file);
  });
  const problem = reason !== undefined ? `it ${reason}` : odd && `${odd} is in the way. Delete it`;
  return {
    path,
    real,
    exists,
    parents: parentsOf(real, bases, look),
    ...(problem && { problem }),
    ...(!exists && reason === undefined && {
      newOwner: look(folderOf(grant))?.owner,
      ...(grant !== real && { missingFolder: grant }),
    }),
  };
}

export function missingFolders({ real, missingFolder }: FilePlace): readonly string[] {
  if (missingFolder === undefined) return [];
  return foldersAbove(real, (folder) => folder.length >= missingFolder.length);
}

function parentsOf(real: string, bases: readonly string[], look: Machine["look"]): readonly string[] {
  const stops = bases.map((base) => look(base)?.real ?? base);
  return foldersAbove(
    real,
    (folder) => !stops.includes(folder) && stops.some((stop) => liesIn(folder, stop)),
  );
}

function foldersAbove(path: string, isMeant: (folder: string) => boolean): readonly string[] {
  const folder = folderOf(path);
  return isMeant(folder) ? [folder, ...foldersAbove(folder, isMeant)] : [];
}
