/** Rights cannot grow: only files named at the start are read again, and only what can be read is served. */
import { attempt } from "../../base/absence.ts";
import { cachedWith } from "../../base/cache.ts";
import { liesIn, type PathInfo, userFolders } from "../../base/paths.ts";
import {
  type Choices,
  type findRepository,
  lockFileOf,
  type LookAt,
  pinnedLocation,
  type PlannedPath,
  resolveRight,
  resolveSettings,
  type Settings,
  type SettingsInput,
} from "../mod.ts";
import type { OriginPlan } from "./origins.ts";

export interface SeenInput extends SettingsInput {
  readonly seen: ReadonlyMap<string, string>;
  readonly look: LookAt;
  findFolder(path: string): string | undefined;
  /** Each settings file is read once for the plans of all projects. */
  readonly readOnce: SettingsInput["readSettings"];
  readonly repositories: Map<string, ReturnType<typeof findRepository>>;
  /** What did not exist may exist when it is asked for again. */
  forgetMissing(): void;
}

const GIT_FILE = /\/(?:\.git(?:config)?|config|HEAD|commondir)$/;

/** Once the rights are dropped, links cannot be resolved any more. */
export function remembering(input: SettingsInput): SeenInput {
  const looks = new Map<string, PathInfo | undefined>();
  const seen = new Map<string, string>();
  const heads = new Map<string, string | undefined>();
  const texts = new Map<string, string | undefined>();
  const repositories: SeenInput["repositories"] = new Map();
  const listings = new Map<string, readonly string[]>();
  const known = cachedWith((names: readonly string[]) => new Set(names.map(alike)));
  const list: SettingsInput["list"] = (folder) => {
    const found = input.list?.(folder);
    if (found !== undefined && found.problem === undefined) listings.set(folder, found.names);
    return found;
  };
  const namesIn = (folder: string) => {
    const names = listings.get(folder) ?? input.namesIn?.(folder) ?? [];
    // One that cannot be listed may hold anything.
    return names.length === 0 ? names : listings.getOrInsert(folder, names);
  };
  /** An error of the system takes longer than all else that a plan does with a path. */
  const isMissing = (path: string): boolean => {
    const cut = path.lastIndexOf("/");
    if (cut <= 0) return false;
    const folder = path.slice(0, cut);
    const names = listings.get(folder);
    return names === undefined ? isMissing(folder) : !known(names).has(alike(path.slice(cut + 1)));
  };
  const readHead = (path: string) => {
    if (isMissing(path)) return undefined;
    // Git's own files are asked for again for each project in a repository, and some lie in the user's home.
    if (!GIT_FILE.test(path)) return input.readHead?.(path);
    return heads.getOrInsertComputed(path, () => input.readHead?.(path));
  };
  const reals: LookAt["reals"] = new Map();
  const look: LookAt = Object.assign(
    (path: string) => looks.getOrInsertComputed(path, () => isMissing(path) ? undefined : input.look?.(path)),
    { reals },
  );
  const readSettings: SettingsInput["readSettings"] = (path, options) => {
    const text = input.readSettings(path, options);
    seen.set(path, text ?? "");
    return text;
  };
  return {
    ...input,
    seen,
    look,
    repositories,
    ...(input.list && { list }),
    ...(input.readHead && { readHead }),
    ...(input.namesIn && { namesIn }),
    findFolder: (path) => {
      const found = look(path);
      return found?.kind === "folder" ? found.real : undefined;
    },
    forgetMissing: () => {
      [repositories, reals, listings].forEach((each) => each.clear());
      for (const [path, found] of looks) if (found === undefined) looks.delete(path);
    },
    readSettings,
    readOnce: (path, options) =>
      texts.getOrInsertComputed(path, () => {
        if (!isMissing(path)) return readSettings(path, options);
        seen.set(path, "");
        return undefined;
      }),
  };
}

/** File systems tell names apart in different ways. */
function alike(name: string): string {
  return name.normalize().toLowerCase();
}

export function sourceLists(
  input: SeenInput,
  { files, project, settings: { sources: first } }: Choices,
  planWith: (choices: Pick<Settings, "sources"> & Pick<Choices, "pins">) => readonly OriginPlan[],
) {
  const own = userFolders(input).settings;
  const planned = files.flatMap(({ path }) => [path, lockFileOf(path)]).map((path) =>
    [path, resolveList(path, own !== undefined && liesIn(path, own), input)] as const
  );
  const names = new Map(planned.map(([path, { real = path }]) => [path, real]));
  const last = new Map(input.seen);
  const readSettings: SettingsInput["readSettings"] = (path, options) =>
    input.readSettings(names.get(path) ?? path, options);
  const differs = (path: string): boolean => {
    const text = attempt(() => readSettings(path, { links: false }) ?? "");
    // A link, for example: it counts again after a restart.
    if (text === undefined) return false;
    // What the start had no reason to read, the lock file of an empty list, changes nothing by itself.
    const isNew = last.has(path) && last.get(path) !== text;
    last.set(path, text);
    return isNew;
  };
  const canRead = (source: string) =>
    pinnedLocation(source) !== undefined || first.includes(source) ||
    input.findFolder(source) !== undefined;
  return {
    isChanged: () => [...names.keys()].filter(differs).length > 0,
    plan: () => {
      input.forgetMissing();
      const { settings: { sources }, pins } = resolveSettings({ ...input, readSettings }, project);
      return planWith({ sources: sources.filter(canRead), pins });
    },
    files: planned.flatMap(([, { real }]) => real ?? []),
  };
}

function resolveList(path: string, isOwn: boolean, { look }: SeenInput): PlannedPath {
  if (isOwn) return resolveRight({ path, kind: "file" }, look);
  const cut = path.lastIndexOf("/");
  const folder = resolveRight({ path: path.slice(0, cut) || "/", kind: "folder" }, look);
  if (folder.reason !== undefined) return folder;
  return resolveRight({ path: `${folder.real}${path.slice(cut)}`, kind: "file", isPlain: true }, look);
}
