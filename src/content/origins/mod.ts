/** Opening the origins of content: from the plan of a configuration to trees, in order of priority. */
import type { Access, OriginPlan } from "../../settings/plan/mod.ts";
import { BmadError, describe, fail, type Failure } from "../../base/errors.ts";
import type { CopyFacts, Diagnostic, Inventory, Origin, PreparedWords, TreeUse } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { diskTree, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { type Footprint, trackReads } from "./footprint.ts";
import { openPack } from "./pack.ts";
import { type CopyOptions, openPinned, openRepository } from "./repository.ts";

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

interface OpenOptions extends CopyOptions {
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
      if (!(error instanceof BmadError)) throw error;
      const fix = "hint" in error.failure ? error.failure.hint : undefined;
      const message = describe({ ...error.failure, hint: undefined } as Failure);
      diagnostics.push({ level: "error", code: "origin-unavailable", message, fix, origin: origin.id });
    }
  }
  return { origins, diagnostics };
}

type Opened = Omit<OpenOrigin, "origin">;

async function open({ kind, location }: Origin, access: Access, options: OpenOptions): Promise<Opened> {
  switch (access.via) {
    case "folder":
      return { ...openFolder(access, options), use: kind === "project" ? "project" : "named" };
    case "shared-skills":
      return { ...openFolder(access, options), use: "shared" };
    case "pack":
      return {
        ...openPack(access.pack, access.contentDir),
        use: "named",
        isFallback: access.isFallback,
      };
    case "git":
      return { ...await openRepository(access.repository, options), use: "named" };
    case "pinned":
      return { ...await openPinned(location, access, options), use: "named" };
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
    read: (path) => isGone(path) ? fail({ code: "not-found", what: "file", name: path }) : tree.read(path),
  };
}

/** A tree in which only one folder is listed at the top, and the records that it may belong to. */
function narrowed(tree: Tree, only: string): Tree {
  const isListed = (name: string) => name === only || name.startsWith("bmod-");
  return {
    ...tree,
    list: (dir) => dir === "" ? tree.list("").filter(({ name }) => isListed(name)) : tree.list(dir),
  };
}
