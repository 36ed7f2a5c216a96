/**
 * Turns the path templates of the table into paths on this machine, and finds which clients are installed.
 *
 * Pure: the disk and the variables are passed in.
 */
import { resolvePath } from "../../base/paths.ts";
import type { Host } from "../../process/host.ts";
import { type Client, onSystem, variablesIn } from "./client.ts";

/** The disk and the variables. */
export type Machine = Pick<Host, "home" | "os" | "env" | "look" | "namesIn">;

/** A file that a client may read its servers from. */
export interface Candidate {
  readonly path: string;
  /** Folders that are never removed, even if empty: the home, the project, and those that variables name. */
  readonly bases: readonly string[];
  /** Whether it is used even if only another candidate exists: the client reads no other. */
  readonly isExclusive: boolean;
}

/** The files that a client may use, best first; none if it has no such files. */
export function candidatesOf(
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

/** Whether a client seems to be installed: by its files, or by its program. */
export function isInstalled(client: Client, machine: Machine): boolean {
  if (client.programs?.some((name) => isOnPath(name, machine))) return true;
  const markers = onSystem(client.detectBy, machine.os);
  const templates = markers.length > 0 ? markers : onSystem(client.user, machine.os).map(folderOf);
  return templates.some((template) =>
    expand(template, machine).some((path) => machine.look(path) !== undefined)
  );
}

/** How the names of programs end on Windows: npm and editors install scripts. */
const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat"];

/** Whether PATH has a program of this name. From WSL, it has Windows' programs too, which have their files there. */
function isOnPath(name: string, machine: Machine): boolean {
  const endings = machine.os === "windows" ? WINDOWS_ENDINGS : [""];
  return pathFolders(machine).filter((folder) => !/^\/mnt\/[a-z]\//.test(folder)).some((folder) =>
    endings.some((ending) => machine.look(`${folder}/${name}${ending}`)?.kind === "file")
  );
}

/** The folders in PATH. One that is not absolute means another folder everywhere, and does not count. */
export function pathFolders({ os, env }: Pick<Machine, "os" | "env">): readonly string[] {
  return (env("PATH") ?? "").split(os === "windows" ? ";" : ":").filter((folder) =>
    /^(?:\/|[A-Za-z]:[\\/])/.test(folder)
  );
}

/** The folder of a file. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The paths of a template: one, none without a home, any number with a `*`. */
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
