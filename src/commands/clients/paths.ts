/**
 * From the templates of the table to paths on this machine, and to what is there. Pure: is handed how to look.
 */
import { resolvePath } from "../../base/paths.ts";
import type { Host } from "../../base/host.ts";
import { type Client, onSystem } from "./client.ts";

/** How to look at the disk, and what the variables say. */
export type Surroundings = Pick<Host, "home" | "os" | "env" | "look" | "namesIn">;

/** A file that a client may read its servers from. */
export interface Candidate {
  readonly path: string;
  /** Folders that are not ours to remove, however empty: the home, the project, what variables name. */
  readonly bases: readonly string[];
  /** Whether it counts before others even while it is not there: the client sees no other. */
  readonly certain: boolean;
}

/** The files of a client, best first; none where it has no such files. */
export function candidatesOf(
  client: Client,
  project: string | undefined,
  around: Surroundings,
): readonly Candidate[] {
  if (project !== undefined) {
    return (client.project ?? []).map((path) => ({
      path: `${project}/${path}`,
      bases: [project],
      certain: false,
    }));
  }
  return onSystem(client.user, around.os).flatMap((template) => {
    const bases = [around.home, ...variablesIn(template).map((name) => around.env(name))]
      .filter((base) => base !== undefined).map((base) => resolvePath(base, { ...around, base: "/" }));
    return expand(template, around).map((path) => ({ path, bases, certain: template.includes("*") }));
  });
}

/** Whether a client seems to be used on this machine. */
export function isPresent(client: Client, around: Surroundings): boolean {
  const signs = onSystem(client.signs, around.os);
  const templates = signs.length > 0 ? signs : onSystem(client.user, around.os).map(folderOf);
  return templates.some((template) =>
    expand(template, around).some((path) => around.look(path) !== undefined)
  );
}

/** The folder of a file. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The paths that a template stands for here: one, none without a home, several or none with a `*`. */
function expand(template: string, around: Surroundings): readonly string[] {
  const filled = template.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, standard: string) => around.env(name) ?? standard,
  );
  if (filled.startsWith("~") && around.home === undefined) return [];
  const path = resolvePath(filled, { ...around, base: "/" });
  const [, before, start, behind] = /^(.*)\/([^/]*)\*(\/.*)$/.exec(path) ?? [];
  if (before === undefined) return [path];
  return around.namesIn(before).filter((name) => name.startsWith(start!)).toSorted()
    .map((name) => `${before}/${name}${behind}`);
}

function variablesIn(template: string): readonly string[] {
  return Array.from(template.matchAll(/\$\{(\w+)/g), ([, name]) => name!);
}
