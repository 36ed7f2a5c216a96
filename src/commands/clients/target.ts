/**
 * Which files will a command touch? Decided before the rights are dropped.
 *
 * A target is one file of one client, with everything that must be known while the whole disk is still visible: its
 * path with links resolved, and the folders above it that are missing or may become empty. `rightsFor` turns targets
 * into exact rights: these files, with the draft and the backup of each, and no others.
 */
import { liesIn, type Owner } from "../../base/paths.ts";
import type { WantedRights } from "../../base/model.ts";
import { resolveRight } from "../../settings/mod.ts";
import type { Client, HookFile } from "./client.ts";
import { type Candidate, candidatesOf, folderOf, isInstalled, type Machine } from "./paths.ts";

/** A file to change, and what is around it. */
export interface FilePlace {
  /** As people know it. */
  readonly path: string;
  /** With links resolved: this is what is read and written. */
  readonly real: string;
  readonly exists: boolean;
  /** Why it cannot be changed. */
  readonly problem?: string;
  /** The outermost folder that must be created for it. */
  readonly missingFolder?: string;
  /** Who gets what is created for it: the owner of the folder that it is created in. */
  readonly newOwner?: Owner;
  /** The folders above it that may have been created for it, innermost first. */
  readonly parents: readonly string[];
  /** The file that its own program makes while it changes it, and that keeps others from doing so. */
  readonly lock?: string;
}

/** A file of a client. */
export interface Target extends FilePlace {
  readonly client: Client;
  /** Set if its hooks are meant, and not its entries of servers. */
  readonly hooks?: HookFile;
  /** Whether it applies to all projects of the user, or to one. */
  readonly scope: "user" | "project";
  /** Whether the client seems to be installed. */
  readonly isClientInstalled: boolean;
}

/** The copy of a file from before our first change. */
export function backupOf({ real }: Pick<FilePlace, "real">): string {
  return `${real}.bmad-mcp-backup`;
}

/** The new version of a file until it replaces it. */
export function draftOf({ real, lock }: Pick<FilePlace, "real" | "lock">): string {
  return lock ?? `${real}.bmad-mcp-new`;
}

/** The file for a new entry; undefined for a client without files on this system. */
export function targetOf(client: Client, project: string | undefined, machine: Machine): Target | undefined {
  const candidates = candidatesOf(client, project, machine);
  const chosen =
    candidates.find(({ path, isExclusive }) => isExclusive || machine.look(path) !== undefined) ??
      candidates[0];
  return chosen && buildTarget(client, project, chosen, machine);
}

/** Every file that may have an entry: all that exist, or else the one for a new entry. */
export function targetsOf(client: Client, project: string | undefined, machine: Machine): readonly Target[] {
  const existing = candidatesOf(client, project, machine).filter(({ path }) =>
    machine.look(path) !== undefined
  );
  if (existing.length > 0) {
    return existing.map((candidate) => buildTarget(client, project, candidate, machine));
  }
  const target = targetOf(client, project, machine);
  return target === undefined ? [] : [target];
}

/**
 * The same for a client's hooks: the file for new ones, or every file that may have one and exists. A file with a list for
 * the start of a session and one for the end of a turn is two targets, in this order.
 */
export function hookTargetsOf(
  client: Client,
  project: string | undefined,
  machine: Machine,
  isNew: boolean,
): readonly Target[] {
  const { hooks } = client;
  if (hooks === undefined) return [];
  const candidates = candidatesOf(hooks, project, machine);
  const chosen = isNew
    ? candidates.slice(0, 1)
    : candidates.filter(({ path }) => machine.look(path) !== undefined);
  const end: HookFile | undefined = hooks.end === undefined
    ? undefined
    : { ...hooks, keys: hooks.keys.with(-1, hooks.end), isEnd: true, trust: undefined };
  return chosen.flatMap((candidate) => {
    const target = buildTarget(client, project, candidate, machine);
    return [{ ...target, hooks }, ...(end === undefined ? [] : [{ ...target, hooks: end }])];
  });
}

/** What to do with targets. */
export type Purpose = "read" | "add" | "remove";

/** The rights that it takes. */
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
  // Folders are looked at, to see whether root created them, or whether they are gone.
  const both = [...files, ...folders];
  return { read: both, write: both, run: [], net: false };
}

function filesOf(target: FilePlace): readonly string[] {
  return [target.real, backupOf(target), draftOf(target)];
}

/** The folders above some targets that contain only targets, and other such folders. */
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

/** Where a file is, or would be; with a project, it must lie in it. */
export function placeOf(
  path: string,
  bases: readonly string[],
  project: string | undefined,
  machine: Pick<Machine, "look">,
): FilePlace {
  const place = findPlace(path, bases, project, machine);
  // A pipe would never end, and a link could lead to any file.
  const odd = [backupOf(place), draftOf(place)].find((file) => {
    const found = machine.look(file);
    return found !== undefined && (found.kind !== "file" || found.real !== file);
  });
  return place.problem !== undefined || odd === undefined
    ? place
    : { ...place, problem: `${odd} is in the way. Delete it` };
}

function findPlace(
  path: string,
  bases: readonly string[],
  project: string | undefined,
  machine: Pick<Machine, "look">,
): FilePlace {
  // A cloned repository must not make us write elsewhere.
  const root = project && (machine.look(project)?.real ?? project);
  const within = root === undefined ? {} : { within: { root } };
  const { real = path, grant = real, exists = machine.look(path) !== undefined, reason } = resolveRight(
    { path, kind: "file", ...within },
    machine.look,
  );
  const place = { path, real, exists, parents: parentsOf(real, bases, machine) };
  if (reason !== undefined) return { ...place, problem: `it ${reason}` };
  if (exists) return place;
  const newOwner = machine.look(folderOf(grant))?.owner;
  return { ...place, newOwner, ...(grant !== real && { missingFolder: grant }) };
}

/** The folders that must be created for a file, innermost first. */
export function missingFolders({ real, missingFolder }: FilePlace): readonly string[] {
  const found: string[] = [];
  if (missingFolder === undefined) return found;
  for (let folder = folderOf(real); folder.length >= missingFolder.length; folder = folderOf(folder)) {
    found.push(folder);
  }
  return found;
}

/** The folders above a file, up to one that is never removed. */
function parentsOf(
  real: string,
  bases: readonly string[],
  machine: Pick<Machine, "look">,
): readonly string[] {
  const stops = bases.map((base) => machine.look(base)?.real ?? base);
  const found: string[] = [];
  for (let folder = folderOf(real);; folder = folderOf(folder)) {
    if (stops.includes(folder) || !stops.some((stop) => liesIn(folder, stop))) return found;
    found.push(folder);
  }
}
