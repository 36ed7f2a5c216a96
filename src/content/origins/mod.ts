/** Opening the origins of content as trees, in order of priority. Nothing is fetched. */
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { Access, GitRules, OriginPlan } from "../../settings/plan/mod.ts";
import { describe, expectFailure, failMissing, type Failure } from "../../base/errors.ts";
import type { CopyFacts, Diagnostic, Inventory, Origin, PreparedWords, TreeUse } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { renderTime } from "../../base/time.ts";
import { type CacheState, findCopyFolder, openState, retryTime } from "../repositories/mod.ts";
import { diskTree, embeddedTree, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { type Footprint, trackReads } from "./footprint.ts";
import { openPack } from "./pack.ts";

export { byListing, type Documents, type Footprint, trackReads, watchFolders } from "./footprint.ts";
export { checkPack, PACK_PATHS, type PackCheck, type PackIndex } from "./pack.ts";

export interface OpenOrigin {
  readonly origin: Origin;
  readonly tree: Tree;
  readonly inventory?: Inventory;
  readonly preparedWords?: () => PreparedWords | undefined;
  /** Serves only where nothing else is installed. */
  readonly isFallback?: boolean;
  readonly use: TreeUse;
  readonly copy?: CopyFacts;
  readonly diagnostics?: readonly Diagnostic[];
  /** Undefined where nothing can change. */
  readonly footprint?: Footprint;
}

interface OpenOptions {
  readonly git?: GitRules;
  readonly maxFile: number;
  now(): number;
  reuse?(origin: Origin): OpenOrigin | undefined;
}

export async function openOrigins(plans: readonly OriginPlan[], options: OpenOptions): Promise<{
  readonly origins: readonly OpenOrigin[];
  readonly diagnostics: readonly Diagnostic[];
}> {
  const origins: OpenOrigin[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { origin, access } of plans) {
    try {
      const opened = options.reuse?.(origin) ?? { origin, ...await open(origin, access, options) };
      origins.push(opened);
      diagnostics.push(...opened.diagnostics?.map((each) => ({ ...each, origin: origin.id })) ?? []);
    } catch (error) {
      const failure = expectFailure(error);
      const fix = "hint" in failure ? failure.hint : undefined;
      const message = describe({ ...failure, hint: undefined } as Failure);
      diagnostics.push({ level: "error", code: "origin-unavailable", message, fix, origin: origin.id });
    }
  }
  return { origins, diagnostics };
}

type Opened = Omit<OpenOrigin, "origin">;

async function open({ kind, location }: Origin, access: Access, options: OpenOptions): Promise<Opened> {
  const use = "named";
  switch (access.via) {
    case "folder":
      return { ...openFolder(access, options), use: kind === "project" ? "project" : use };
    case "shared-skills":
      return { ...openFolder(access, options), use: "shared" };
    case "pack":
      return { ...openPack(access.pack, access.contentDir), use, isFallback: access.isFallback };
    case "git":
      return { ...await openRepository(access.repository, options), use };
    case "pinned":
      return { ...await openPinned(location, access, options), use };
  }
}

function openFolder(
  { path, within, only, caches }: Omit<Extract<Access, { readonly via: "folder" }>, "via">,
  { maxFile, now }: OpenOptions,
) {
  const tree = diskTree(path, { maxBytes: maxFile, within, closed: caches, now });
  const own = caches === undefined ? tree : without(tree, caches);
  const footprint = trackReads(only === undefined ? own : narrowed(own, only), now);
  return { tree: footprint.tree, footprint };
}

function without(tree: Tree, folders: readonly string[]): Tree {
  const isGone = (path: string) => folders.some((folder) => liesIn(normalizePath(path) ?? "", folder));
  const parents = new Set(folders.map(parentPath));
  return {
    ...tree,
    list: (dir) => {
      const items = isGone(dir) ? [] : tree.list(dir);
      return parents.has(dir) ? items.filter(({ name }) => !isGone(joinPath(dir, name))) : items;
    },
    stat: (path) => isGone(path) ? undefined : tree.stat(path),
    hasFile: (path) => !isGone(path) && tree.hasFile(path),
    read: (path) => isGone(path) ? failMissing("file", path) : tree.read(path),
  };
}

function narrowed(tree: Tree, only: string): Tree {
  const isListed = (name: string) => name === only || name.startsWith("bmod-");
  return {
    ...tree,
    list: (dir) => dir === "" ? tree.list("").filter(({ name }) => isListed(name)) : tree.list(dir),
  };
}

function copyTree(
  shown: string,
  folder: string | undefined,
  subpath: string | undefined,
  { maxFile, now }: OpenOptions,
): Tree {
  if (folder === undefined) return embeddedTree(shown, () => ({}), "");
  return diskTree(joinPath(folder, subpath ?? ""), { maxBytes: maxFile, within: folder, now });
}

async function openRepository(repository: GitLocation, options: OpenOptions) {
  const { git: rules } = options;
  const look = rules === undefined ? (): CacheState => ({ mark: "" }) : await openState(rules, repository);
  const state = look();
  const { copy } = state;
  const tree = copyTree(repository.shown, copy?.folder, repository.subpath, options);
  const diagnostics = diagnose(repository, state, tree, rules);
  const problem = diagnostics.find(({ level }) => level !== "info")?.message;
  return {
    tree,
    // A copy never changes; it is replaced by another one.
    footprint: {
      tree,
      folders: () => [],
      readsDiffer: () => false,
      differs: () => Promise.resolve(look().mark !== state.mark),
    },
    copy: {
      ...(copy && { commit: copy.commit, fetched: new Date(copy.fetched).toISOString() }),
      ...(problem && { problem }),
    },
    diagnostics,
  };
}

function diagnose(
  { shown, subpath }: GitLocation,
  { copy, failure }: CacheState,
  tree: Tree,
  rules: GitRules | undefined,
): readonly Diagnostic[] {
  const report = (reason: string, hint?: string) => unavailable(shown, reason, hint);
  if (rules === undefined) {
    const fix = "Configure a folder for the git cache";
    return [{ ...report("no folder can hold a copy of it"), fix }];
  }
  const next = failure &&
    (failure.isLocal ? "at the next start" : `after ${renderTime(retryTime(failure, rules.ttl))}`);
  const retry = next === undefined || rules.offline ? undefined : `Next attempt ${next}`;
  if (copy === undefined) {
    if (failure !== undefined) return [report(failure.problem, retry)];
    if (rules.offline) return [report("not cached, and fetching is disabled by offline mode")];
    const message = `Fetching ${shown}: its content appears once it has arrived`;
    return [{ level: "info", code: "being-fetched", message }];
  }
  const found: Diagnostic[] = [];
  if (failure !== undefined) {
    const message = `Cannot fetch ${shown}, serving the copy from ${renderTime(copy.fetched)}: ` +
      failure.problem + (retry === undefined ? "" : `. ${retry}`);
    found.push({ level: "warning", code: "old-copy", message });
  }
  if (subpath !== undefined && tree.list("").length === 0) {
    found.push(report(`no folder ${subpath} in commit ${copy.commit.slice(0, 10)}`));
  }
  return found;
}

function unavailable(origin: string, reason: string, hint?: string): Diagnostic {
  const code = "origin-unavailable";
  return { level: "error", code, message: describe({ code, origin, reason, hint }) };
}

type PinnedAccess = Extract<Access, { readonly via: "pinned" }>;

async function openPinned(shown: string, access: PinnedAccess, options: OpenOptions) {
  const { folder, subpath, facts } = await findCopy(access, options.git);
  const tree = copyTree(shown, folder, subpath, options);
  const refused = (problem: string) => {
    return { tree, copy: { ...facts, problem }, diagnostics: [unavailable(shown, problem)] };
  };
  if (access.pin === undefined) return refused("it is not pinned");
  if (folder === undefined) return refused("it is not in the cache");
  const isEmpty = subpath !== undefined && tree.list("").length === 0;
  return isEmpty ? refused(`no folder ${subpath} in it`) : { tree, copy: facts };
}

async function findCopy({ source, pin }: PinnedAccess, rules: GitRules | undefined) {
  if (pin === undefined || rules === undefined) return { facts: {} };
  const folder = await findCopyFolder(rules, source, pin);
  if (source.kind === "git") {
    return { folder, subpath: source.repository.subpath, facts: { commit: pin.commit } };
  }
  const subpath = source.kind === "npm" ? source.location.subpath : undefined;
  return { folder, subpath, facts: { version: pin.version ?? pin.integrity?.slice(0, 17) } };
}
