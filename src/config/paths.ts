/**
 * Which folders of this user the program may want, by the rules of each system.
 *
 * Pure text work on absolute paths: nothing here looks at the disk. Forward slashes are used in joined paths;
 * every system takes them.
 */

/** What is needed to know a user's folders. */
export interface Place {
  /** Absolute; what relative paths in arguments and variables start from. */
  readonly cwd: string;
  /** Absolute; undefined when no variable tells, and then the user has no folders. */
  readonly home: string | undefined;
  /** Such as `linux`, `darwin` or `windows`: each keeps settings in another place. */
  readonly os: typeof Deno.build.os;
  /** Where the embedded packs lie, absolute. */
  readonly contentDir: string;
  /** A variable's value; undefined when it is unset, empty or not ours to see. */
  env(name: string): string | undefined;
}

/** The folders that belong to us, or to BMAD, in a user's home. */
interface UserFolders {
  /** Where `config.toml` is. */
  readonly settings: string | undefined;
  /** Where we keep what must survive a restart. */
  readonly state: string | undefined;
  /** The user's own BMAD root. */
  readonly bmad: string | undefined;
  /** Folders of skills that clients share between projects. */
  readonly skills: readonly string[];
}

/** Finds a user's folders. XDG variables count on every system when they are set. */
export function userFolders(place: Place): UserFolders {
  const { home, os } = place;
  const own = (variable: string, fallback: string | undefined) => {
    const base = place.env(variable) ?? fallback;
    return base === undefined ? undefined : `${base}/bmad-mcp`;
  };
  const below = (path: string) => home === undefined ? undefined : `${home}/${path}`;
  const library = below("Library/Application Support");
  return {
    settings: own(
      "XDG_CONFIG_HOME",
      os === "windows" ? place.env("APPDATA") : os === "darwin" ? library : below(".config"),
    ),
    state: own(
      "XDG_STATE_HOME",
      os === "windows" ? place.env("LOCALAPPDATA") : os === "darwin" ? library : below(".local/state"),
    ),
    bmad: below(".bmad"),
    skills: home === undefined ? [] : [`${home}/.claude/skills`, `${home}/.agents/skills`],
  };
}

/** The absolute form of a path that was written down relative to `base`; `~/` is the home folder. */
export function resolvePath(path: string, base: string, home: string | undefined): string {
  if (home !== undefined && /^~(?=$|[\\/])/.test(path)) return tidy(home + path.slice(1));
  return tidy(isAbsolute(path) ? path : `${base}/${path}`);
}

/** Whether a folder is the whole disk or the whole home: too much to be anybody's project by accident. */
export function isTooWide(folder: string, home: string | undefined): boolean {
  return isWholeDisk(folder) || (home !== undefined && tidy(home) === folder);
}

/** Whether a folder is the root of a disk. */
export function isWholeDisk(folder: string): boolean {
  return /^([A-Za-z]:)?[\\/]*$/.test(folder);
}

/** Whether a folder is `parent` or lies below it. */
export function liesIn(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}

function isAbsolute(path: string): boolean {
  return /^([A-Za-z]:)?[\\/]/.test(path);
}

/** Removes `.`, `..` and doubled slashes from an absolute path. */
function tidy(path: string): string {
  // `\\\\server` is a server of a Windows network and keeps both slashes.
  const drive = /^(?:[A-Za-z]:|\\(?=\\[^\\/]))/.exec(path)?.[0].replace("\\", "/") ?? "";
  const kept: string[] = [];
  for (const part of path.slice(drive.length).split(/[\\/]+/)) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${drive}/${kept.join("/")}`;
}
