/**
 * Which files a command will touch, found out before the rights are dropped.
 *
 * A target is one file of one client with all that must be known of it while the whole disk can still be seen: its
 * name behind links, and the folders above it that are missing or may be left empty. `rightsFor` turns
 * targets into exact rights: these files, a new version and a copy of each beside it, and no others.
 */
import { liesIn } from "../../base/paths.ts";
import type { Look } from "../../base/host.ts";
import type { WantedRights } from "../../base/model.ts";
import type { Client } from "./client.ts";
import { type Candidate, candidatesOf, folderOf, isPresent, type Surroundings } from "./paths.ts";

/** A file of a client. */
export interface Target {
  /** Whose file it is. */
  readonly client: Client;
  /** Whether it is for all that the user does, or for one project. */
  readonly scope: "user" | "project";
  /** As people know it. */
  readonly path: string;
  /** Behind links: this is what is read and written. */
  readonly real: string;
  /** Whether it was there when the plan was made. */
  readonly exists: boolean;
  /** Whether the client seems to be used on this machine. */
  readonly isClientHere: boolean;
  /** Why it cannot be touched, if it cannot. */
  readonly problem?: string;
  /** The outermost folder that must be made for it. */
  readonly missingFolder?: string;
  /** The folders above it that somebody may have made for it, innermost first. */
  readonly above: readonly string[];
}

/** The copy of a file as it was before we first changed it. */
export function backupOf({ real }: Target): string {
  return `${real}.bmad-mcp-backup`;
}

/** The new version of a file until it takes the file's place. */
export function draftOf({ real }: Target): string {
  return `${real}.bmad-mcp-new`;
}

/** The file that a new entry belongs into; undefined for a client without files here. */
export function targetOf(
  client: Client,
  project: string | undefined,
  around: Surroundings,
): Target | undefined {
  const candidates = candidatesOf(client, project, around);
  const chosen = candidates.find(({ path, certain }) => certain || around.look(path) !== undefined) ??
    candidates[0];
  return chosen && describe(client, project, chosen, around);
}

/** Every file that may hold an entry: all that are there, or else the one that a new entry would go into. */
export function targetsOf(
  client: Client,
  project: string | undefined,
  around: Surroundings,
): readonly Target[] {
  const there = candidatesOf(client, project, around).filter(({ path }) => around.look(path) !== undefined);
  if (there.length > 0) return there.map((candidate) => describe(client, project, candidate, around));
  const target = targetOf(client, project, around);
  return target === undefined ? [] : [target];
}

/** What is to be done with targets. */
export type Purpose = "look" | "add" | "remove";

/** What must be allowed for it. */
export function rightsFor(
  targets: readonly Target[],
  purpose: Purpose,
  { namesIn }: Pick<Surroundings, "namesIn">,
): WantedRights {
  const touchable = targets.filter(({ problem }) => problem === undefined);
  const files = touchable.flatMap(filesOf);
  if (purpose === "look") return { read: files, write: [], run: [], net: false };
  const folders = purpose === "add"
    ? touchable.flatMap(({ missingFolder }) => missingFolder ?? [])
    : lonelyFolders(touchable, namesIn);
  return { read: files, write: [...files, ...folders], run: [], net: false };
}

function filesOf(target: Target): readonly string[] {
  return [target.real, backupOf(target), draftOf(target)];
}

/** The folders above some targets in which there is nothing but targets, and folders of that kind. */
function lonelyFolders(targets: readonly Target[], namesIn: Surroundings["namesIn"]): readonly string[] {
  const files = new Set(targets.flatMap(filesOf));
  const folders = [...new Set(targets.flatMap(({ above, exists }) => exists ? above : []))];
  const isLonely = (folder: string): boolean =>
    namesIn(folder).map((name) => `${folder}/${name}`)
      .every((path) => files.has(path) || (folders.includes(path) && isLonely(path)));
  return folders.filter(isLonely);
}

function describe(
  client: Client,
  project: string | undefined,
  { path, bases }: Candidate,
  around: Surroundings,
): Target {
  const scope = project === undefined ? "user" : "project";
  const found = around.look(path);
  const isClientHere = isPresent(client, around);
  const shared = { client, scope, path, exists: found !== undefined, isClientHere } as const;
  // A repository that somebody cloned must not have us write elsewhere.
  const within = project && (around.look(project)?.real ?? project);
  const leadsOut = (real: string) => within !== undefined && !liesIn(real, within);
  if (found !== undefined) {
    const problem = found.kind !== "file"
      ? PROBLEMS[found.kind]
      : leadsOut(found.real)
      ? LEADS_OUT
      : undefined;
    return { ...shared, real: found.real, problem, above: foldersAbove(found.real, bases, around) };
  }
  let [head, missing]: [string, string | undefined] = [folderOf(path), undefined];
  let above = around.look(head);
  while (above === undefined && folderOf(head) !== "") {
    missing = head;
    head = folderOf(head);
    above = around.look(head);
  }
  const problem = above?.kind !== "folder"
    ? `${head} is no folder`
    : leadsOut(above.real)
    ? LEADS_OUT
    : undefined;
  const real = (above?.real ?? head) + path.slice(head.length);
  const missingFolder = missing && (above?.real ?? head) + missing.slice(head.length);
  return { ...shared, real, problem, missingFolder, above: foldersAbove(real, bases, around) };
}

const PROBLEMS: Readonly<Record<Exclude<Look["kind"], "file">, string>> = {
  folder: "it is a folder",
  other: "it is no plain file",
  "dead-link": "it is a link that leads nowhere",
};

const LEADS_OUT = "it lies behind a link that leads out of the project";

/** The folders above a file, up to one that is there for more than that. */
function foldersAbove(real: string, bases: readonly string[], around: Surroundings): readonly string[] {
  const stops = bases.map((base) => around.look(base)?.real ?? base);
  const found: string[] = [];
  for (let folder = folderOf(real);; folder = folderOf(folder)) {
    if (stops.includes(folder) || !stops.some((stop) => liesIn(folder, stop))) return found;
    found.push(folder);
  }
}
