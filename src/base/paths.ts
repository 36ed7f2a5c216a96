import { replaceHidden } from "./hidden.ts";

export interface Place {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly os: typeof Deno.build.os;
  readonly contentDir: string;
  env(name: string): string | undefined;
}

/** XDG variables count on every system if they are set. */
export function userFolders(place: Pick<Place, "home" | "os" | "env">) {
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
    cache: below(".bmad/cache"),
    skills: home === undefined ? [] : [`${home}/.claude/skills`, `${home}/.agents/skills`],
  };
}

export interface PathInfo {
  readonly kind: "file" | "folder" | "other" | "dead-link";
  /** With links resolved and forward slashes; for a dead link, its own path. */
  readonly real: string;
  readonly owner?: Owner;
  readonly size?: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/** In bytes: what every file system takes. */
const MAX_NAME = 255;
/** In bytes. With the path of the cache before it, a longer one could not be opened. */
export const MAX_PATH = 1_000;

const UNSAFE_NAMES: readonly (readonly [is: (name: string) => boolean, why: string])[] = [
  [(name) => /^\.{0,2}$/.test(name), "it leads out of its folder"],
  // A colon begins a stream of a file, or follows a drive.
  [(name) => /[<>:"|?*/\\]/.test(name), 'it has one of < > : " | ? * \\'],
  [
    (name) => replaceHidden(name, () => "") !== name || /[\t\n\r]/.test(name),
    "it has characters that nobody sees",
  ],
  [(name) => /[. ]$/.test(name), "it ends with a dot or a space, which Windows drops"],
  [(name) => DEVICE.test(name), "it is a device on Windows"],
  [(name) => bytesOf(name) > MAX_NAME, `a name in it has more than ${MAX_NAME} bytes`],
];

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function isPortableName(name: string): boolean {
  return !UNSAFE_NAMES.some(([is]) => is(name));
}

export function openNames(): (path: string) => string | undefined {
  const spellings = new Map<string, string>();
  return (path) => {
    if (bytesOf(path) > MAX_PATH) return `it has more than ${MAX_PATH} bytes`;
    const parts = path.split("/");
    const unsafe = UNSAFE_NAMES.find(([is]) => parts.some(is));
    if (unsafe !== undefined) return unsafe[1];
    const paths = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    const other = paths.map((one) => [one, spellings.getOrInsert(foldName(one), one)] as const)
      .find(([one, first]) => one !== first);
    return other && `${JSON.stringify(other[1])} differs from it only in case or accents`;
  };
}

function foldName(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}

/** It decides what a path in a value means. */
export interface Context {
  readonly base: string;
  readonly home: string | undefined;
  readonly os: typeof Deno.build.os;
  /** A folder with its links resolved; undefined if it does not exist. Without it, names are real. */
  findFolder?(path: string): string | undefined;
}

export function resolvePath(path: string, { base, home, os }: Context): string {
  const { windows, absolute, homely } = SPELLINGS[os === "windows" ? "windows" : "others"];
  const plain = windows ? withoutVerbatim(path) : path;
  if (home !== undefined && homely.test(plain)) return tidy(home + plain.slice(1), os);
  if (absolute.test(plain)) return tidy(plain, os);
  const drive = windows ? DRIVE.exec(tidy(base, os))?.[0] ?? "" : "";
  // `\\team` is on the current drive, `D:team` in the current folder of that drive.
  if (windows && /^[\\/]/.test(plain)) return tidy(drive + plain, os);
  const ownDrive = windows ? DRIVE.exec(plain)?.[0].toUpperCase() : undefined;
  if (ownDrive === undefined) return tidy(`${base}/${plain}`, os);
  return tidy(`${ownDrive === drive ? base : ownDrive}/${plain.slice(2)}`, os);
}

/** Too wide to become a project by accident. HOME is often a link, so real names count, too. */
export function isTooWide(folder: string, { home, ...context }: Omit<Context, "base">): boolean {
  if (isWholeDisk(folder, context)) return true;
  const wide = namesOf(folder, context);
  return home !== undefined && namesOf(home, context).some((own) => wide.some((name) => liesIn(own, name)));
}

const CONTENT = "/bmad-embedded/content";

/** Such as a checkout: it is not a project unless the user names it. */
export function isOwnFolder(
  folder: string,
  { contentDir, ...context }: Pick<Place, "contentDir"> & Pick<Context, "os" | "findFolder">,
): boolean {
  return contentDir.endsWith(CONTENT) &&
    isSameFolder(folder, contentDir.slice(0, -CONTENT.length), context) &&
    context.findFolder?.(contentDir) !== undefined;
}

export function isSameFolder(one: string, other: string, context: Pick<Context, "os" | "findFolder">) {
  return namesOf(one, context).at(-1) === namesOf(other, context).at(-1);
}

function namesOf(folder: string, { os, findFolder }: Pick<Context, "os" | "findFolder">): readonly string[] {
  return [folder, findFolder?.(folder) ?? folder].map((name) => {
    const plain = tidy(os === "windows" ? withoutVerbatim(name) : name, os);
    return FOLDS_CASE.includes(os) ? plain.toLowerCase() : plain;
  });
}

export function isWholeDisk(folder: string, { findFolder }: Pick<Context, "findFolder"> = {}): boolean {
  return [folder, findFolder?.(folder) ?? folder].some((name) => /^([A-Za-z]:)?[\\/]*$/.test(name));
}

export function isShare(folder: string, os: Context["os"]): boolean {
  return os === "windows" && /^[\\/]{2}/.test(folder);
}

export const SHARE_ADVICE = "map it to a drive letter (net use Z: \\\\SERVER\\SHARE) and use that";

export function liesIn(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}

const FOLDS_CASE: readonly Context["os"][] = ["windows", "darwin"];

const DRIVE = /^[A-Za-z]:/;

const SPELLINGS = {
  windows: { windows: true, absolute: /^(?:[A-Za-z]:[\\/]|[\\/]{2})/, homely: /^~(?=$|[\\/])/ },
  others: { windows: false, absolute: /^\//, homely: /^~(?=$|\/)/ },
};

/** `\\?\C:\x` is the same as `C:\x`, and `\\?\UNC\server\x` as `\\server\x`. */
function withoutVerbatim(path: string): string {
  return path.replace(/^[\\/]{2}\?[\\/](?:UNC(?=[\\/]))?/i, (prefix) => prefix.length > 4 ? "\\" : "");
}

function tidy(path: string, os: Context["os"]): string {
  const windows = os === "windows";
  // Keep the two slashes before a server name.
  const head = windows ? (DRIVE.exec(path)?.[0] ?? (isShare(path, os) ? "/" : "")) : "";
  const kept: string[] = [];
  for (const part of path.slice(head.length).split(windows ? /[\\/]+/ : /\/+/)) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${head.toUpperCase()}/${kept.join("/")}`;
}
