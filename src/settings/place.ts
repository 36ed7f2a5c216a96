/** Found upwards, as git finds a repository, before rights are dropped: nothing above it is read later. */
import { LEDGER_FILES, ROOT_NAMES } from "../base/model.ts";
import { isOwnFolder, isShare, isTooWide, liesIn } from "../base/paths.ts";
import type { SettingsInput } from "./file_rules.ts";
import { MAX_LEVELS, repositoryAt } from "./repository.ts";

interface FoundPlace {
  /** Where the walk began, links resolved. */
  readonly start: string;
  readonly folder: string;
  readonly sign?: string;
  /** Completes "it …". */
  readonly reason: string;
  /** Where the walk ended, unless at the top of a repository. */
  readonly end?: string;
}

export interface ProjectPlace extends FoundPlace {
  readonly from?: string;
  readonly isAbove: boolean;
  readonly isElsewhere: boolean;
}

type PlaceDisk = Pick<
  SettingsInput,
  "os" | "home" | "contentDir" | "findFolder" | "look" | "readHead" | "namesIn"
>;

interface Sign {
  /** A folder, unless its name ends like a file's. */
  readonly name: string;
  /** One of these has to be in it: the name alone says nothing. */
  readonly needs?: readonly string[];
  /** What in it shows a project even without a repository; a file counts anyway. */
  readonly proof?: (folder: string, disk: PlaceDisk) => boolean;
}

const CONFIG_FOLDERS = ["_config", "_cfg"];
const MANIFESTS = [
  ...CONFIG_FOLDERS.flatMap((folder) =>
    ["manifest.yaml", "skill-manifest.csv", "agent-manifest.csv", "workflow-manifest.csv"]
      .map((name) => `${folder}/${name}`)
  ),
  "config.toml",
];
const V4_MANIFESTS = ["install-manifest.yaml", "core-config.yaml"];
/** The folder of our own records in the output folder. */
export const RECORDS_FOLDER = ".bmad-work";
export const DEFAULT_OUTPUT = "_bmad-output";
export const PROJECT_FILE = ".bmad-mcp.toml";

const has = (names: readonly string[]): Sign["proof"] => (folder, { readHead }) =>
  names.some((name) => readHead?.(`${folder}/${name}`) !== undefined);

const INSTALLATIONS: readonly Sign[] = [
  ...ROOT_NAMES.map((name) => ({
    name,
    // Any folder may be called so.
    ...(name === "bmad" && { needs: CONFIG_FOLDERS }),
    proof: has(MANIFESTS),
  })),
  { name: ".bmad-core", proof: has(V4_MANIFESTS) },
  { name: "_grimoire", proof: has(MANIFESTS) },
];
const SIGNS: readonly Sign[] = [
  { name: PROJECT_FILE },
  ...INSTALLATIONS,
  { name: DEFAULT_OUTPUT, proof: holdsLedger },
];

/** In each skill of the generation after 6.12, and in each description of a module. */
const RECORD_FILES = ["bmod.toml", "module-manifest.toml"];
const MAX_TOOLS = 30;
const MAX_SKILLS = 200;

/** Without a repository around it, a name alone shows nothing. */
export function signOf(
  folder: string,
  disk: PlaceDisk,
  { isAlone = false, names = disk.namesIn?.(folder) } = {},
): string | undefined {
  const looking = { isAlone, names };
  return SIGNS.find((sign) => isThere(sign, folder, disk, looking))?.name ??
    findFlatSkills(folder, disk, looking);
}

/** Not only what an installation wrote. */
export function isInstalled(folder: string, disk: PlaceDisk, isAlone: boolean): boolean {
  const looking = { isAlone, names: disk.namesIn?.(folder) };
  return INSTALLATIONS.some((sign) => isThere(sign, folder, disk, looking)) ||
    findFlatSkills(folder, disk, looking) !== undefined;
}

export function isPart(folder: string, name: string, disk: PlaceDisk, looking: Looking): boolean {
  return SIGNS.some((sign) => sign.name === name && isThere(sign, folder, disk, looking));
}

type Level = { readonly folder: string; readonly names: readonly string[] | undefined };
type Looking = { readonly isAlone: boolean; readonly names: Level["names"] };

function isThere(sign: Sign, folder: string, disk: PlaceDisk, { isAlone, names }: Looking): boolean {
  // A folder is listed once: asking for what is not there takes longer.
  if (names?.includes(sign.name) === false) return false;
  const path = `${folder}/${sign.name}`;
  if (isAlone && !isOwn(path, folder, disk)) return false;
  if (sign.proof === undefined) return disk.readHead?.(path) !== undefined;
  const real = disk.findFolder?.(path);
  // Our own records alone are left by a request, not by a project.
  return real !== undefined && real !== folder && liesIn(real, folder) &&
    disk.namesIn?.(path).join() !== RECORDS_FOLDER &&
    (sign.needs?.some((name) => disk.findFolder?.(`${path}/${name}`) !== undefined) ?? true) &&
    (!isAlone || sign.proof(path, disk));
}

function findFlatSkills(folder: string, disk: PlaceDisk, { isAlone, names }: Looking): string | undefined {
  const { namesIn, readHead } = disk;
  const isTool = (name: string) => name === "agent" || name.startsWith(".") && name !== ".git";
  const tools = (names ?? []).filter(isTool).slice(0, MAX_TOOLS);
  return tools.filter((tool) => !isAlone || isOwn(`${folder}/${tool}`, folder, disk))
    .map((tool) => `${tool}/skills`)
    .find((skills) =>
      namesIn?.(`${folder}/${skills}`).slice(0, MAX_SKILLS).some((id) =>
        RECORD_FILES.some((file) => readHead?.(`${folder}/${skills}/${id}/${file}`) !== undefined)
      )
    );
}

const [LEDGER_DEPTH, MAX_LEDGER_FOLDERS] = [3, 100];

function holdsLedger(output: string, disk: PlaceDisk): boolean {
  return holdsFile(output, disk, (name) => name === RECORDS_FOLDER || LEDGER_FILES.includes(name));
}

/** By its name alone. */
export function holdsFile(
  output: string,
  { namesIn }: Pick<PlaceDisk, "namesIn">,
  isMeant: (name: string) => boolean,
): boolean {
  let folders = [output];
  let left = MAX_LEDGER_FOLDERS;
  for (let depth = 0; depth <= LEDGER_DEPTH; depth++) {
    const inner = folders.slice(0, left).map((folder) => [folder, namesIn?.(folder) ?? []] as const);
    if (inner.some(([, names]) => names.some(isMeant))) return true;
    left -= inner.length;
    // What has an ending is a document.
    folders = inner.flatMap(([folder, names]) =>
      names.filter((name) => !name.includes(".")).map((name) => `${folder}/${name}`)
    );
  }
  return false;
}

const IS_TOP = "is the top of its git repository";

export function findPlace(start: string, disk: PlaceDisk): FoundPlace {
  // Most starts: what the top holds decides nothing, and need not be listed.
  if (isTopOf(start, disk) && isOwn(`${start}/.git`, start, disk)) {
    return { start, folder: start, reason: IS_TOP };
  }
  const { levels, isRepository, end } = levelsFrom(start, disk);
  const found = (folder: string, reason: string, sign?: string): FoundPlace => ({
    start,
    folder,
    reason,
    ...(sign !== undefined && { sign }),
    ...(end !== undefined && { end }),
  });
  const isAlone = !isRepository;
  // The parts of an installation, and what it wrote, belong to the project that has them.
  const outermost = levels.findLastIndex(({ folder, names }, at) => {
    const inner = levels[at - 1]?.folder.slice(folder.length + 1);
    return inner !== undefined && isPart(folder, inner, disk, { isAlone, names });
  });
  for (const { folder, names } of levels.slice(Math.max(0, outermost))) {
    const sign = signOf(folder, disk, { isAlone, names });
    if (sign !== undefined) return found(folder, `has ${sign}`, sign);
  }
  return isRepository ? found(levels.at(-1)!.folder, IS_TOP) : found(start, "is where the search began");
}

function levelsFrom(start: string, disk: PlaceDisk) {
  const levels: Level[] = [];
  for (let folder = start;;) {
    const names = disk.namesIn?.(folder);
    levels.push({ folder, names });
    if (names?.includes(".git") !== false && isTopOf(folder, disk)) {
      // Git does not use it either.
      return isOwn(`${folder}/.git`, folder, disk)
        ? { levels, isRepository: true }
        : { levels, isRepository: false, end: `${folder} has a repository of another user` };
    }
    const parent = folder.slice(0, folder.lastIndexOf("/"));
    const limit = levels.length === MAX_LEVELS
      ? `is more than ${MAX_LEVELS} folders above`
      : limitAt(parent, start, disk);
    if (limit !== undefined) return { levels, isRepository: false, end: `${parent || "/"} ${limit}` };
    folder = parent;
  }
}

function isTopOf(folder: string, { os, look, readHead }: PlaceDisk): boolean {
  // A repository that cannot be used ends the walk as well: git goes no further.
  return look !== undefined && repositoryAt(folder, { os, look, readHead }) !== undefined;
}

/** Homes of users, by the systems' own names. */
const HOME = /^(?:\/root|(?:\/home|\/Users|\/export\/home)\/[^/]+)$/;

function limitAt(folder: string, start: string, disk: PlaceDisk): string | undefined {
  const { home } = disk;
  const unfit = unfitFolder(folder, disk);
  if (unfit !== undefined) return unfit;
  if (ownerOf(folder, disk) !== ownerOf(start, disk)) return "belongs to another user";
  // Whoever works in another user's folders, as root does, has a home of their own elsewhere.
  const isOthers = home === undefined || ownerOf(home, disk) !== ownerOf(start, disk);
  return isOthers && HOME.test(folder) ? "is a user's home folder" : undefined;
}

/** Completes "it …". */
export function unfitFolder(folder: string, disk: PlaceDisk): string | undefined {
  if (isTooWide(folder, disk)) return "is your home folder, or contains it";
  if (isShare(folder, disk.os)) return "is on a network share";
  return isOwnFolder(folder, disk) ? "holds bmad-mcp itself" : undefined;
}

/** In a folder for all users, anybody may put something. */
function isOwn(path: string, folder: string, disk: PlaceDisk): boolean {
  return ownerOf(path, disk) === ownerOf(folder, disk);
}

function ownerOf(path: string, { look }: PlaceDisk): number | undefined {
  return look?.(path)?.owner?.uid;
}
