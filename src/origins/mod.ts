/**
 * Opening the places that content comes from.
 *
 * From plans (config) to trees, in order of priority. An origin that cannot be opened is a diagnostic, not a
 * failure: the others still serve.
 */
import type { Access, OriginPlan } from "../config/mod.ts";
import { BmadError } from "../errors.ts";
import type { Diagnostic, Inventory, Origin, TreeUse } from "../model.ts";
import { diskTree, type Tree } from "../tree/mod.ts";
import { type Footprint, noteUse } from "./footprint.ts";
import { openPack } from "./pack.ts";

export { BAKED_PATHS, type BuildStamp, findLicences, findStamp } from "./baked.ts";
export type { Footprint } from "./footprint.ts";
export { watchFolders } from "./watch.ts";
export { PACK_PATHS, type PackIndex } from "./pack.ts";

/** An origin that can be read. */
export interface OpenOrigin {
  /** As it was planned by the configuration. */
  readonly origin: Origin;
  /** Its files: a folder on disk, which may not exist yet, or an embedded pack. */
  readonly tree: Tree;
  /** The inventory, when it was taken beforehand. */
  readonly inventory?: Inventory;
  /** What the tree is to us: the user's project, a folder given as BMAD content, or one that others use too. */
  readonly use: TreeUse;
  /** Tells whether what was read from the tree is still there; missing where nothing can change. */
  readonly footprint?: Footprint;
}

/** How origins are opened. */
export interface OpenOptions {
  /** In bytes: no larger file is read. */
  readonly maxFile: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An origin that is open already and need not be opened again. */
  keep?(origin: Origin): OpenOrigin | undefined;
}

/** Opens every origin that can be opened. */
export function openOrigins(plans: readonly OriginPlan[], options: OpenOptions): {
  readonly origins: readonly OpenOrigin[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const origins: OpenOrigin[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { origin, access } of plans) {
    try {
      origins.push(options.keep?.(origin) ?? { origin, ...open(origin, access, options) });
    } catch (error) {
      if (!(error instanceof BmadError)) throw error;
      diagnostics.push({
        level: "error",
        code: error.failure.code,
        message: error.message,
        origin: origin.id,
      });
    }
  }
  return { origins, diagnostics };
}

function open({ kind }: Origin, access: Access, options: OpenOptions): Omit<OpenOrigin, "origin"> {
  switch (access.via) {
    case "folder":
      return {
        ...openFolder(access, options),
        use: kind === "project" ? "project" : "named",
      };
    case "shared-skills":
      return { ...openFolder(access, options), use: "shared" };
    case "pack":
      return { ...openPack(access.pack, access.contentDir), use: "named" };
    case "git":
      throw new BmadError({
        code: "origin-unavailable",
        origin: access.url,
        reason: "this version does not fetch repositories",
        hint: "Clone it yourself and name the folder",
      });
  }
}

function openFolder(
  { path, within }: { readonly path: string; readonly within?: string },
  { maxFile, now }: OpenOptions,
): Pick<OpenOrigin, "tree" | "footprint"> {
  const footprint = noteUse(diskTree(path, { maxBytes: maxFile, within }), now);
  return { tree: footprint.tree, footprint };
}
