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
  const { os } = place;
  const home = place.home === undefined || isShare(place.home, os) ? undefined : place.home;
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

/** Where a value was written down, and so what a path in it means. */
export interface Context {
  /** Absolute: the working folder or, for a value from a settings file, the folder of the file. */
  readonly base: string;
  /** What `~/` means; undefined when the environment does not tell. */
  readonly home: string | undefined;
  /** Decides which characters separate folders, and what stands between folders in `BMAD_ROOT`. */
  readonly os: typeof Deno.build.os;
}

/** The absolute form of a path as it was written down; `~/` is the home folder. */
export function resolvePath(path: string, { base, home, os }: Context): string {
  const { windows, absolute, homely } = SPELLINGS[os === "windows" ? "windows" : "others"];
  const plain = windows ? withoutVerbatim(path) : path;
  if (home !== undefined && homely.test(plain)) return tidy(home + plain.slice(1), os);
  if (absolute.test(plain)) return tidy(plain, os);
  const drive = windows ? DRIVE.exec(tidy(base, os))?.[0] ?? "" : "";
  // `\\team` lies on the drive that one is on, `D:team` in the folder that one is in on that drive.
  if (windows && /^[\\/]/.test(plain)) return tidy(drive + plain, os);
  const ownDrive = windows ? DRIVE.exec(plain)?.[0].toUpperCase() : undefined;
  if (ownDrive === undefined) return tidy(`${base}/${plain}`, os);
  return tidy(`${ownDrive === drive ? base : ownDrive}/${plain.slice(2)}`, os);
}

/** Whether a folder is the whole disk or the whole home: too much to be anybody's project by accident. */
export function isTooWide(folder: string, { home, os }: Pick<Context, "home" | "os">): boolean {
  const fold = (path: string) => FOLDS_CASE.includes(os) ? tidy(path, os).toLowerCase() : tidy(path, os);
  return isWholeDisk(folder) || (home !== undefined && fold(home) === fold(folder));
}

/** Whether a folder is the root of a disk. */
export function isWholeDisk(folder: string): boolean {
  return /^([A-Za-z]:)?[\\/]*$/.test(folder);
}

/** Whether a folder lies on a Windows network share, which Deno opens only to programs without any limits. */
export function isShare(folder: string, os: Context["os"]): boolean {
  return os === "windows" && /^[\\/]{2}/.test(folder);
}

/** What to do about a share. */
export const SHARE_ADVICE = "map it to a drive letter (net use Z: \\\\SERVER\\SHARE) and name that";

/** Whether a folder is `parent` or lies below it. */
export function liesIn(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}

/** Systems on whose disks `Shop` and `shop` are one name. */
const FOLDS_CASE: readonly Context["os"][] = ["windows", "darwin"];

const DRIVE = /^[A-Za-z]:/;

/** How paths begin. A backslash separates folders on Windows, and is a letter like any other elsewhere. */
const SPELLINGS = {
  windows: { windows: true, absolute: /^(?:[A-Za-z]:[\\/]|[\\/]{2})/, homely: /^~(?=$|[\\/])/ },
  others: { windows: false, absolute: /^\//, homely: /^~(?=$|\/)/ },
};

/** `\\?\C:\x` and `C:\x` are one, and so are `\\?\UNC\server\x` and `\\server\x`. */
function withoutVerbatim(path: string): string {
  return path.replace(/^[\\/]{2}\?[\\/](?:UNC(?=[\\/]))?/i, (prefix) => prefix.length > 4 ? "\\" : "");
}

/** Removes `.`, `..` and doubled slashes from an absolute path, and gives a drive its large letter. */
function tidy(path: string, os: Context["os"]): string {
  const windows = os === "windows";
  // Two slashes before the name of a server stay.
  const head = windows ? (DRIVE.exec(path)?.[0] ?? (isShare(path, os) ? "/" : "")) : "";
  const kept: string[] = [];
  for (const part of path.slice(head.length).split(windows ? /[\\/]+/ : /\/+/)) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${head.toUpperCase()}/${kept.join("/")}`;
}
