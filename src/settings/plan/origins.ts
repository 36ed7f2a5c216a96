/**
 * From settings to places: which origins there are, in order, and what must be allowed for them.
 *
 * Pure: it says where to look, not what is there. The numbers are the priorities that people see.
 */
import type { Origin, OriginKind, WantedRights } from "../../base/model.ts";
import {
  type Command,
  type CommandName,
  COMMANDS,
  GIT_VARIABLES,
  type Invocation,
  type Mode,
  type Pack,
  type Settings,
} from "../mod.ts";
import { type GitLocation, isGitLocation, parseGitLocation } from "../../base/git_location.ts";
import { liesIn, type Place, userFolders } from "../../base/paths.ts";
import { Invalid } from "../../base/invalid.ts";

/** How an origin is opened. A shared folder holds other people's skills too: only BMAD's count there. */
export type Access =
  | {
    readonly via: "folder";
    readonly path: string;
    /** The folder it must lie in, links followed: a project may not name what lies outside it. */
    readonly within?: string;
  }
  | { readonly via: "shared-skills"; readonly path: string }
  | { readonly via: "git"; readonly repository: GitLocation }
  | { readonly via: "pack"; readonly pack: Exclude<Pack, "none">; readonly contentDir: string };

/** An origin and how to open it. */
export interface OriginPlan {
  /** How people will see it in lists and diagnostics. */
  readonly origin: Origin;
  /** Says where to look; whether anything is there is not known yet. */
  readonly access: Access;
}

const PRIORITY: Readonly<Record<OriginKind, number>> = {
  project: 1,
  cli: 2,
  env: 3,
  user: 4,
  git: 5,
  package: 9,
};

const KINDS_OF_MODE: Readonly<Record<Mode, readonly OriginKind[]>> = {
  auto: ["project", "cli", "env", "user", "git", "package"],
  local: ["project"],
  user: ["user"],
  strict: ["cli", "env", "git"],
};

/** Whether a mode looks into the project. */
export function usesProject(mode: Mode): boolean {
  return KINDS_OF_MODE[mode].includes("project");
}

/** All origins that the settings ask for, best first. */
export function planOrigins(
  settings: Settings,
  place: Place,
  project: string | undefined,
  options: {
    readonly pathsFromProject: boolean;
    /** The name of a folder behind links: once the rights are dropped, only that one can be opened. */
    realName(path: string): string;
  },
): readonly OriginPlan[] {
  const { realName } = options;
  const plans: OriginPlan[] = [];
  const add = (kind: OriginKind, location: string, access: Access) => {
    const count = plans.filter((plan) => plan.origin.kind === kind).length;
    const id = count === 0 ? kind : `${kind}-${count + 1}`;
    plans.push({ origin: { id, kind, priority: PRIORITY[kind], location }, access });
  };
  const addAll = (kind: OriginKind, locations: readonly string[], within?: string) => {
    for (const location of locations) {
      const repository = isGitLocation(location) ? parseGitLocation(location) : undefined;
      // The settings let none through that makes no sense.
      if (repository instanceof Invalid) continue;
      if (repository !== undefined) add("git", repository.shown, { via: "git", repository });
      else {
        const access = { via: "folder", path: realName(location) } as const;
        add(kind, location, within === undefined ? access : { ...access, within: realName(within) });
      }
    }
  };
  const user = userFolders(place);
  if (project !== undefined) add("project", project, { via: "folder", path: realName(project) });
  addAll("cli", settings.paths, options.pathsFromProject ? project : undefined);
  addAll("env", settings.roots);
  if (user.bmad !== undefined) add("user", user.bmad, { via: "folder", path: realName(user.bmad) });
  for (const path of user.skills) add("user", path, { via: "shared-skills", path: realName(path) });
  if (settings.pack !== "none") {
    add("package", settings.pack, { via: "pack", pack: settings.pack, contentDir: place.contentDir });
  }

  const kinds = KINDS_OF_MODE[settings.mode];
  return plans.filter((plan) => kinds.includes(plan.origin.kind))
    .sort((a, b) => a.origin.priority - b.origin.priority);
}

/** The commands by which things are used. */
const USING: readonly CommandName[] = ["serve", "show", "execute", "call"];

/** Where uses are kept: a folder of its own, as all of it may be written. Undefined when the user does not want it. */
export function usageFolder(
  { rememberUsage }: Settings,
  place: Place,
  findFolder: (path: string) => string | undefined,
): string | undefined {
  const { state } = userFolders(place);
  return state === undefined || !rememberUsage ? undefined : realFolder(`${state}/usage`, findFolder);
}

/** Whether uses are added to what is kept. */
export function addsUses({ rememberUsage, readOnly }: Settings, command: CommandName): boolean {
  return rememberUsage && !readOnly && USING.includes(command);
}

/** What must stay allowed where no content is asked for: to look at our own. */
export function ownRights({ contentDir }: Place): WantedRights {
  return { read: [contentDir], write: [], run: [], net: false };
}

/** The files of the log, the present one first: full ones are kept beside it for a while. */
export function logFiles(file: string | undefined, realName: (folder: string) => string): readonly string[] {
  if (file === undefined) return [];
  const cut = file.lastIndexOf("/");
  const name = `${realName(file.slice(0, cut) || "/").replace(/\/$/, "")}${file.slice(cut)}`;
  return [name, ...[1, 2, 3].map((age) => `${name}.${age}`)];
}

/** How repositories are fetched, and where their copies are kept. */
export interface GitRules {
  /** Absolute, links resolved as far as it exists. */
  readonly cache: string;
  /** So many milliseconds after a copy was fetched, or could not be, it is fetched again. */
  readonly ttl: number;
  /** In milliseconds: what takes longer has failed. */
  readonly timeout: number;
  /** In bytes: what is larger is not fetched. */
  readonly maxSize: number;
  /** Whether git is never called. */
  readonly offline: boolean;
  /** All that git gets to see of our environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The rules of this start; undefined where neither a setting nor a home folder gives copies a place. */
export function gitRules(
  settings: Settings,
  place: Place,
  plans: readonly OriginPlan[],
  findFolder: (path: string) => string | undefined,
): GitRules | undefined {
  const { bmad } = userFolders(place);
  const folder = settings.gitCache ?? (bmad && `${bmad}/cache/git`);
  if (folder === undefined) return undefined;
  // Nobody looks at variables for a git that is not called.
  const names = holdsGit(plans) ? ["HOME", "USERPROFILE", ...GIT_VARIABLES] : [];
  return {
    cache: realFolder(folder, findFolder),
    ttl: settings.gitTtl * 1_000,
    timeout: settings.gitTimeout * 1_000,
    maxSize: settings.gitMaxSize,
    offline: settings.offline,
    environment: Object.fromEntries(
      names.map((name) => [name, place.env(name)]).filter(([, value]) => value !== undefined),
    ),
  };
}

function holdsGit(plans: readonly OriginPlan[]): boolean {
  return plans.some(({ access }) => access.via === "git");
}

/** The real name of a folder, as far as there is one. */
function realFolder(folder: string, findFolder: (path: string) => string | undefined): string {
  for (let head = folder; head.includes("/"); head = head.slice(0, head.lastIndexOf("/"))) {
    const real = findFolder(head);
    if (real !== undefined) return real + folder.slice(head.length);
  }
  return folder;
}

/**
 * What must stay allowed. A folder that must lie in another one adds nothing of its own to read; what is
 * written is looked at too.
 */
export function wantedRights(
  plans: readonly OriginPlan[],
  place: Place,
  { name, operands }: Invocation,
  { written, git }: { readonly written: readonly string[]; readonly git: GitRules | undefined },
): WantedRights {
  const folders = plans.flatMap(({ access }) => {
    if (access.via === "shared-skills") return [access.path];
    return access.via === "folder" ? [access.within ?? access.path] : [];
  });
  const user = userFolders(place);
  const own = [user.bmad, user.state, place.contentDir].filter((folder) => folder !== undefined);
  const isGit = holdsGit(plans);
  const [action] = name === "cache" ? operands : [];
  const command: Command = COMMANDS[name];
  const fetches = isGit && git?.offline === false && (command.fetches === true || action === "update");
  const cache = git === undefined ? [] : [git.cache];
  const unseen = cache.filter((folder) => !own.some((parent) => liesIn(folder, parent)));
  return {
    read: [...new Set([...folders, ...own, ...(isGit || name === "cache" ? unseen : []), ...written])],
    write: [...(fetches || action === "clear" ? cache : []), ...written],
    // The doctor asks git for its version, and for nothing else.
    run: fetches || (isGit && name === "doctor") ? ["git"] : [],
    net: false,
  };
}
