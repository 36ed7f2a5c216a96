/** Where to look, not what is there. The numbers are the priorities that people see. */
import type { Origin, OriginKind } from "../../base/model.ts";
import {
  type Mode,
  type Pack,
  type Pin,
  pinnedAt,
  type PinnedLocation,
  pinnedLocation,
  type Settings,
} from "../mod.ts";
import { type GitLocation, isGitLocation, parseGitLocation } from "../locations/mod.ts";
import { liesIn, type Place, userFolders } from "../../base/paths.ts";
import { Invalid } from "../../base/invalid.ts";

/** A shared skills folder also contains foreign skills: only BMAD's count there. */
export type Access =
  | {
    readonly via: "folder";
    readonly path: string;
    /** Links resolved: a project may not name anything outside itself. */
    readonly within?: string;
    /** The only folder in it that counts besides records of modules; undefined for all. */
    readonly only?: string;
    /** Folders of programs, which are no part of it. */
    readonly caches?: readonly string[];
  }
  | { readonly via: "shared-skills"; readonly path: string }
  | { readonly via: "git"; readonly repository: GitLocation }
  | {
    readonly via: "pinned";
    readonly source: PinnedLocation;
    /** Undefined if the lock file does not say: nothing is served then. */
    readonly pin: Pin | undefined;
  }
  | {
    readonly via: "pack";
    readonly pack: Exclude<Pack, "none">;
    readonly contentDir: string;
    /** Whether it serves only where nothing else is installed. */
    readonly isFallback: boolean;
  };

export interface OriginPlan {
  readonly origin: Origin;
  readonly access: Access;
}

const PRIORITY: Readonly<Record<OriginKind, number>> = {
  project: 1,
  cli: 2,
  env: 3,
  user: 4,
  git: 5,
  npm: 6,
  package: 9,
};

const KINDS_OF_MODE: Readonly<Record<Mode, readonly OriginKind[]>> = {
  auto: ["project", "cli", "env", "user", "git", "npm", "package"],
  local: ["project"],
  user: ["user"],
  strict: ["cli", "env", "git", "npm"],
};

export function usesProject(mode: Mode): boolean {
  return KINDS_OF_MODE[mode].includes("project");
}

export function usesSources(mode: Mode): boolean {
  return KINDS_OF_MODE[mode].includes("npm");
}

export function planOrigins(
  settings: Settings,
  place: Place,
  project: string | undefined,
  options: {
    readonly pathsFromProject: boolean;
    readonly isPackChosen: boolean;
    readonly pins: ReadonlyMap<string, Pin>;
    /** The folder above a project that has an installation for all below it. */
    readonly shared?: string | undefined;
    /** Once the rights are dropped, only this name can be opened. */
    realName(path: string): string;
  },
): readonly OriginPlan[] {
  const { realName } = options;
  const plans: OriginPlan[] = [];
  const user = userFolders(place);
  const caches = [user.cache, settings.gitCache].flatMap((folder) => folder ?? []).map(realName);
  const add = (kind: OriginKind, location: string, access: Access) => {
    const count = plans.filter((plan) => plan.origin.kind === kind).length;
    const id = count === 0 ? kind : `${kind}-${count + 1}`;
    plans.push({ origin: { id, kind, priority: PRIORITY[kind], location }, access });
  };
  const addFolder = (kind: OriginKind, location: string, within?: string) => {
    const path = realName(location);
    const inner = caches.filter((cache) => cache !== path && liesIn(cache, path))
      .map((cache) => cache.slice(path.length).replace(/^\//, ""));
    add(kind, location, {
      via: "folder",
      path,
      ...(within !== undefined && { within: realName(within) }),
      ...(inner.length > 0 && { caches: inner }),
    });
  };
  const addAll = (kind: OriginKind, locations: readonly string[], within?: string) => {
    for (const location of locations) {
      const repository = isGitLocation(location) ? parseGitLocation(location) : undefined;
      // The settings refuse invalid ones.
      if (repository instanceof Invalid) continue;
      if (repository !== undefined) add("git", repository.shown, { via: "git", repository });
      else addFolder(kind, location, within);
    }
  };
  const addPinned = (location: string) => {
    const pin = options.pins.get(location);
    const source = pinnedLocation(pinnedAt(location, pin));
    if (source === undefined) return addAll("cli", [location]);
    const shown = source.kind === "git"
      ? source.repository.shown
      : source.kind === "npm"
      ? source.location.shown
      : source.path;
    add(source.kind === "git" ? "git" : "npm", shown, { via: "pinned", source, pin });
  };
  if (project !== undefined) addFolder("project", project);
  addAll("cli", settings.paths, options.pathsFromProject ? project : undefined);
  if (options.shared !== undefined) addFolder("cli", options.shared);
  addAll("env", settings.roots);
  settings.sources.forEach(addPinned);
  if (user.bmad !== undefined) addFolder("user", user.bmad);
  for (const path of user.skills) add("user", path, { via: "shared-skills", path: realName(path) });
  if (settings.pack !== "none") {
    const { contentDir } = place;
    const isFallback = !options.isPackChosen;
    add("package", settings.pack, { via: "pack", pack: settings.pack, contentDir, isFallback });
  }

  const kinds = KINDS_OF_MODE[settings.mode];
  return plans.filter((plan) => kinds.includes(plan.origin.kind))
    .sort((a, b) => a.origin.priority - b.origin.priority);
}
