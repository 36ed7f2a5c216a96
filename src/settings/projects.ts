/** Found by the names in folders, before rights are dropped; nothing in them is read. */
import { compareTexts } from "../base/text.ts";
import type { Listing, SettingsInput } from "./file_rules.ts";
import { type LeavesOut, withIgnoreFile } from "./left_out.ts";
import { isPart, signOf } from "./place.ts";
import { repositoryAt } from "./repository.ts";

const [MAX_DEPTH, MAX_PROJECTS, MAX_FOLDERS] = [3, 200, 1_000];
/** A start pays for each: most projects have no other below them. */
const MAX_FOLDERS_BELOW = 200;
const MAX_SKIPPED = 20;

/** What tools keep, and samples: nobody works on a project in there. */
const FOREIGN =
  /^(?:\..*|node_modules|bower_components|vendor|third_party|__.*__|venv|site-packages|testdata|fixtures)$/i;

interface Folder {
  readonly path: string;
  readonly isAlone: boolean;
  readonly leavesOut: LeavesOut;
}

/** Breadth first, so that a limit cuts off what lies deepest. */
export function findProjects(
  top: string,
  disk: Parameters<typeof signOf>[1] & Pick<SettingsInput, "list">,
  { isAlone, isProject }: { readonly isAlone: boolean; readonly isProject: boolean },
) {
  const maxFolders = isProject ? MAX_FOLDERS_BELOW : MAX_FOLDERS;
  const paths: string[] = [];
  /** Completes "it …". */
  const skipped: { readonly path: string; readonly reason: string }[] = [];
  const first = disk.list?.(top);
  if (first === undefined) return { paths, skipped };
  let level = insideOf({ path: "", isAlone, leavesOut: () => undefined }, first);
  let [looked, limit] = [0, undefined as string | undefined];
  for (let depth = 1; depth <= MAX_DEPTH && limit === undefined; depth++) {
    const next: Folder[] = [];
    for (const folder of level) {
      if (++looked > maxFolders) limit = `${maxFolders} folders`;
      else if (paths.length === MAX_PROJECTS) limit = `${MAX_PROJECTS} projects`;
      if (limit !== undefined) break;
      const at = `${top}/${folder.path}`;
      const listing = disk.list?.(at);
      if (listing === undefined) continue;
      const problem = listing.uid === first.uid ? listing.problem : "belongs to another user";
      if (problem !== undefined) {
        if (skipped.length < MAX_SKIPPED) skipped.push({ path: folder.path, reason: problem });
        continue;
      }
      const own = withRepository(folder, at, listing);
      if (own === undefined) continue;
      if (signOf(at, disk, { isAlone: own.isAlone, names: listing.names }) !== undefined) {
        paths.push(own.path);
      } else if (depth < MAX_DEPTH) next.push(...insideOf(own, listing));
    }
    level = next;
  }
  return { paths: paths.sort(compareTexts), skipped, ...(limit !== undefined && { limit }) };

  function insideOf(folder: Folder, { names, folders }: Listing): readonly Folder[] {
    const { path, isAlone } = folder;
    const at = path === "" ? top : `${top}/${path}`;
    const text = names.includes(".gitignore") ? disk.readHead?.(`${at}/.gitignore`) : undefined;
    const leavesOut = text === undefined ? folder.leavesOut : withIgnoreFile(text, path, folder.leavesOut);
    return folders.toSorted(compareTexts)
      .filter((name) => !FOREIGN.test(name) && !isPart(at, name, disk, { isAlone, names }))
      .map((name) => ({ path: path === "" ? name : `${path}/${name}`, isAlone, leavesOut }))
      .filter((inner) => leavesOut(inner.path) !== true);
  }

  /** Undefined for a worktree, which is the same project as its repository. */
  function withRepository(folder: Folder, at: string, { names, folders }: Listing): Folder | undefined {
    if (!names.includes(".git")) return folder;
    const isFile = !folders.includes(".git");
    if (isFile && /[\\/]worktrees[\\/]/.test(disk.readHead?.(`${at}/.git`) ?? "")) return undefined;
    const { look, os, readHead } = disk;
    const found = look && repositoryAt(at, { os, look, readHead });
    return { ...folder, isAlone: folder.isAlone && (found === undefined || found.reason !== undefined) };
  }
}

/** The end of a name is enough if it is the only one. */
export function projectNamed(names: readonly string[], word: string): string | undefined {
  if (names.includes(word)) return word;
  const ends = names.filter((name) => name.endsWith(`/${word}`));
  return ends.length === 1 ? ends[0] : undefined;
}

/** Such as `packages/api:1-2`. */
export function projectOfStory(
  names: readonly string[],
  story: string,
): readonly [project: string, story: string] | undefined {
  for (let at = story.indexOf(":"); at > 0; at = story.indexOf(":", at + 1)) {
    const name = projectNamed(names, story.slice(0, at));
    if (name !== undefined) return [name, story.slice(at + 1)];
  }
  return undefined;
}

/** The shortest ends of paths that tell them apart, and from other names, in whatever order. */
export function namesOf(paths: readonly string[], others: readonly string[] = []): readonly string[] {
  const parts = paths.map((path) => path.split(/[\\/]/).filter(Boolean));
  const end = (path: readonly string[], count: number) => path.slice(-count).join("/");
  return parts.map((path) => {
    const isTold = (count: number) =>
      parts.filter((other) => end(other, count) === end(path, count)).length === 1 &&
      !others.includes(end(path, count));
    return end(path, path.keys().map((at) => at + 1).find(isTold) ?? path.length);
  });
}
