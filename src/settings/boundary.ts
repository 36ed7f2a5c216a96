/**
 * The runtime compares names and then follows links, so rights are for real names only. A cloned project
 * cannot lead a right out of its folder; what the user names may be anywhere.
 */
import { liesIn, type PathInfo } from "../base/paths.ts";

export interface LookAt {
  (path: string): PathInfo | undefined;
  /** Asked for before, for other projects. */
  readonly reals?: Map<string, Found>;
}

export interface WantedPath {
  readonly path: string;
  /** Undefined if anything may be there. */
  readonly kind?: "file" | "folder";
  /** Whether it must not be a link itself. The folder it lies in has its real name then. */
  readonly isPlain?: true;
  /** The project's folder, absolute and real, and what is kept there, if not anything. */
  readonly within?: { readonly root: string; readonly holds?: "documents" | "content" };
}

export type PlannedPath = {
  readonly real: string;
  /** Of a missing folder, its first missing parent, because we create it. */
  readonly grant: string;
  readonly exists: boolean;
  readonly reason?: undefined;
} | {
  readonly real?: undefined;
  readonly grant?: undefined;
  readonly exists?: undefined;
  /** Why there is no right; completes "it …". */
  readonly reason: string;
};

export interface RefusedPath {
  /** As people know it; in the project, relative to it. */
  readonly folder: string;
  readonly key?: string;
  readonly reason: string;
}

/** The folders of an installation, newest first. */
export const BASES = ["_bmad", ".bmad", "bmad"];

/** By the names in a path: parts of a project that belong to programs never hold this. */
const FOREIGN = {
  documents: (names: readonly string[]) =>
    names.some((name) => /^\.(?!(?:bmad-work|runs)$)|^node_modules$/i.test(name)) ||
    [...BASES, "_grimoire"].includes(names[0]!.toLowerCase()),
  content: (names: readonly string[]) =>
    names.some((name) => /^(?:\.git|\.hg|\.svn|\.jj|node_modules)$/i.test(name)),
} as const;

export function resolveRight({ path, kind, isPlain, within }: WantedPath, look: LookAt): PlannedPath {
  const find = () => findReal(path, look);
  const found = look.reals?.getOrInsertComputed(path, find) ?? find();
  if (found.reason !== undefined) return found;
  const { real } = found;
  if (isPlain && real !== path) return { reason: "is a link" };
  if (kind !== undefined && found.kind !== undefined && found.kind !== kind) {
    return { reason: `is not a ${kind}` };
  }
  if (within !== undefined) {
    const { root, holds } = within;
    if (!liesIn(real, root) || real === root) return { reason: "leads out of the project" };
    if (holds !== undefined && FOREIGN[holds](real.slice(root.length).split("/").filter(Boolean))) {
      return { reason: "belongs to a program, not to documents" };
    }
  }
  return { real, grant: found.grant, exists: found.kind !== undefined };
}

type Found =
  | (Omit<Extract<PlannedPath, { real: string }>, "exists"> & { readonly kind?: PathInfo["kind"] })
  | Extract<PlannedPath, { reason: string }>;

const ROOT = /^(?:\/\/[^/]+\/[^/]+|(?:[A-Za-z]:)?\/)/;

/** The longest part that exists, with its links resolved, and the rest as written. */
function findReal(path: string, look: LookAt): Found {
  let [end, found] = [0, undefined as PathInfo | undefined];
  // From the top: plans ask for many paths below few folders, and looking at what is missing takes time.
  for (let next = ROOT.exec(path)?.[0].length ?? path.length; end < path.length;) {
    const at = look(path.slice(0, next));
    if (at === undefined) break;
    [end, found] = [next, at];
    if (at.kind !== "folder") break;
    const cut = path.indexOf("/", next + 1);
    next = cut < 0 ? path.length : cut;
  }
  if (found === undefined) return { real: path, grant: path };
  const names = path.slice(end).split("/").filter(Boolean);
  if (found.kind === "dead-link") {
    return { reason: names.length === 0 ? "is a broken link" : "lies behind a broken link" };
  }
  if (names.length === 0) return { real: found.real, grant: found.real, kind: found.kind };
  if (found.kind !== "folder") return { reason: "lies below something that is not a folder" };
  const folder = found.real.replace(/\/$/, "");
  return { real: [folder, ...names].join("/"), grant: `${folder}/${names[0]}` };
}
