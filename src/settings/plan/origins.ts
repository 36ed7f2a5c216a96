/**
 * From settings to origins: which there are, in order of priority, and the rights for them.
 *
 * Pure: it says where to look, not what is there. The numbers are the priorities that people see.
 */
import type { Origin, OriginKind, WantedRights } from "../../base/model.ts";
import { type CommandName, commandNeeds, type Invocation } from "../../operations/mod.ts";
import {
  gitEnvironment,
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

/** How an origin is opened. A shared skills folder also contains foreign skills: only BMAD's count there. */
export type Access =
  | {
    readonly via: "folder";
    readonly path: string;
    /** The folder it must be in, links resolved: a project may not name anything outside itself. */
    readonly within?: string;
    /** The only folder directly in it that counts, besides records of modules; all of them if it is undefined. */
    readonly only?: string;
    /** Folders in it, relative to it, that belong to programs and are no part of it; missing if there are none. */
    readonly caches?: readonly string[];
  }
  | { readonly via: "shared-skills"; readonly path: string }
  | { readonly via: "git"; readonly repository: GitLocation }
  | {
    readonly via: "pinned";
    readonly source: PinnedLocation;
    /** What of it is served; undefined if the lock file does not say, and then nothing is. */
    readonly pin: Pin | undefined;
  }
  | {
    readonly via: "pack";
    readonly pack: Exclude<Pack, "none">;
    readonly contentDir: string;
    /** Whether it serves only where nothing else is installed, because the user did not ask for it by name. */
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
    /** A folder with its links resolved: once the rights are dropped, only that name can be opened. */
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

const USING: readonly CommandName[] = ["serve", "show", "execute", "call"];

/** Where usage is kept: in a folder of its own, because all of it is writable. Undefined if the user does not want it. */
export function usageFolder({ rememberUsage }: Settings, place: Place): string | undefined {
  const { state } = userFolders(place);
  return state === undefined || !rememberUsage ? undefined : `${state}/usage`;
}

export function addsUses({ rememberUsage, readOnly }: Settings, command: CommandName): boolean {
  return rememberUsage && !readOnly && USING.includes(command);
}

export function logFiles(file: string): readonly string[] {
  return [file, ...[1, 2, 3].map((age) => `${file}.${age}`)];
}

export interface GitRules {
  /** The folder, absolute, links resolved as far as it exists. */
  readonly cache: string;
  /** In milliseconds: how long a copy stays fresh, and how long to wait after a failed fetch. */
  readonly ttl: number;
  readonly timeout: number;
  readonly maxSize: number;
  readonly offline: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

export function cacheFolder({ gitCache }: Settings, place: Place): string | undefined {
  const { cache } = userFolders(place);
  return gitCache ?? (cache && `${cache}/git`);
}

export function gitRules(
  settings: Settings,
  place: Place,
  plans: readonly OriginPlan[],
  cache: string | undefined,
): GitRules | undefined {
  if (cache === undefined) return undefined;
  return {
    cache,
    ttl: settings.gitTtl * 1_000,
    timeout: settings.gitTimeout * 1_000,
    maxSize: settings.gitMaxSize,
    offline: settings.offline,
    // Variables are read only if git may be called.
    environment: holdsGit(plans) ? gitEnvironment(place) : {},
  };
}

function holdsGit(plans: readonly OriginPlan[]): boolean {
  return plans.some(({ access }) => access.via === "git");
}

/** The rights for the origins, our own folders and what is written. A folder inside another adds nothing to read. */
export function wantedRights(
  plans: readonly OriginPlan[],
  place: Place,
  { name, operands }: Invocation,
  { realNames, written, git, lists }: {
    /** The real names of paths, without those that no right is planned for. */
    realNames(paths: readonly string[]): readonly string[];
    readonly written: readonly string[];
    readonly git: GitRules | undefined;
    /** The lists of sources, if they are read again: what is added later is in the cache. */
    readonly lists: readonly string[] | undefined;
  },
): WantedRights {
  const folders = realNames(plans.flatMap(({ access }) => {
    if (access.via === "shared-skills") return [access.path];
    return access.via === "folder" ? [access.within ?? access.path] : [];
  }));
  const user = userFolders(place);
  // Not the whole state folder: the user's HTTP token is in it, too.
  const kept = user.state === undefined ? [] : [`${user.state}/memory`, `${user.state}/usage`];
  const own = realNames([user.bmad ?? [], ...kept, place.contentDir].flat());
  const isGit = holdsGit(plans);
  const [action] = name === "cache" ? operands : [];
  const fetches = isGit && git?.offline === false && (commandNeeds(name, "copies") || action === "update");
  const cache = git === undefined ? [] : [git.cache];
  const unseen = cache.filter((folder) => !own.some((parent) => liesIn(folder, parent)));
  const isCached = isGit || name === "cache" || lists !== undefined ||
    plans.some(({ access }) => access.via === "pinned");
  const unread = lists?.filter((file) => !folders.some((folder) => liesIn(file, folder))) ?? [];
  return {
    read: [...new Set([...folders, ...own, ...(isCached ? unseen : []), ...unread, ...written])],
    write: [...(fetches || action === "clear" ? cache : []), ...written],
    // The doctor only asks git for its version.
    run: fetches || (isGit && name === "doctor") ? ["git"] : [],
    net: false,
  };
}
