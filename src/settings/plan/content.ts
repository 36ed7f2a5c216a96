import type { WantedRights } from "../../base/model.ts";
import { liesIn, userFolders } from "../../base/paths.ts";
import { type CommandName, commandNeeds } from "../../operations/mod.ts";
import { isGitLocation } from "../locations/mod.ts";
import {
  type Choices,
  gitEnvironment,
  PROJECT_FILE,
  type RefusedPath,
  resolveRight,
  type Settings,
  type WantedPath,
} from "../mod.ts";
import { planValidation, validationOrigins } from "./authoring.ts";
import type { Start } from "./choice.ts";
import { planOrigins, usesSources } from "./origins.ts";
import { type SeenInput, sourceLists } from "./source_lists.ts";

export interface GitRules {
  readonly cache: string;
  /** In milliseconds. */
  readonly ttl: number;
  readonly timeout: number;
  readonly maxSize: number;
  readonly offline: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** In seconds; fetching a source may take what the user says (--git-timeout). */
export const GIT_SECONDS = {
  /** For what lies on the disk, where a pipe or a device would make it wait for ever. */
  local: 2,
  /** For refs of a remote: whoever waits for a claim should not wait longer. */
  remote: 10,
  /** If it has not answered in time, until it is asked again. */
  silence: 60,
} as const;

/** What begins the reason then. Nobody knows what is committed. */
export const NO_ANSWER = "git did not answer";

const USING: readonly CommandName[] = ["serve", "show", "execute", "call"];

export function planContent(start: Start, input: SeenInput, choices: Choices) {
  const { settings, provenance, invocation, project, pins, look, findFolder, within } = start;
  const { name, operands: [action, ...names] } = invocation;
  const user = userFolders(start);
  const refused: RefusedPath[] = [];
  const planned = (wanted: WantedPath): string | undefined => {
    const { real, reason } = resolveRight(wanted, look);
    if (reason !== undefined) refused.push({ folder: wanted.path, reason });
    return real;
  };
  const realName = (path: string) => {
    const { real = path, exists } = resolveRight({ path }, look);
    // Windows spells it with other slashes, as do all real names that it is compared with later.
    return exists ? findFolder(path) ?? real : real;
  };
  const isUpdate = name === "cache" && action === "update";
  // `cache update` may name repositories itself: nothing else need have configured them.
  const paths = [...settings.paths, ...(isUpdate ? names.filter(isGitLocation) : [])];
  const planWith = ({ sources, pins }: Pick<Settings, "sources"> & Pick<Choices, "pins">) =>
    planOrigins({ ...settings, paths, sources }, start, project, {
      pathsFromProject: !start.isProjectTrusted &&
        provenance.paths.startsWith(`${project}/${PROJECT_FILE}:`),
      isPackChosen: provenance.pack !== "default",
      pins,
      shared: start.servedFrom,
      realName,
    });
  const validation = planValidation(start);
  const origins = validation === undefined
    ? planWith({ sources: settings.sources, pins })
    : validationOrigins(validation, start, realName);
  const isFollowed = name === "serve" && usesSources(settings.mode);
  const lists = isFollowed ? sourceLists(input, choices, planWith) : undefined;
  const logFiles = planLog(
    settings.logFile,
    (path, isPlain) => planned({ path, kind: "file", ...isPlain && { isPlain }, ...within(path) }),
  );
  const cacheAt = settings.gitCache ?? (user.cache && `${user.cache}/git`);
  const cache = cacheAt && planned({
    path: cacheAt,
    kind: "folder",
    ...settings.gitCache !== undefined && within(cacheAt),
  });
  const isGit = origins.some(({ access }) => access.via === "git");
  const git: GitRules | undefined = cache === undefined ? undefined : {
    cache,
    ttl: settings.gitTtl * 1_000,
    timeout: settings.gitTimeout * 1_000,
    maxSize: settings.gitMaxSize,
    // Of another project's sources, copies that there are.
    offline: settings.offline || (start.isBeside && !start.mayChange),
    // Variables are read only if git may be called.
    environment: isGit ? gitEnvironment(start) : {},
  };
  // A folder of its own, because all of it is writable.
  const usageFolder = settings.rememberUsage && user.state !== undefined
    ? planned({ path: `${user.state}/usage`, kind: "folder" })
    : undefined;
  const isUsing = usageFolder !== undefined && !settings.readOnly && USING.includes(name);
  const written = isUsing ? [...logFiles, usageFolder] : logFiles;

  const realNames = (paths: readonly string[]) => paths.flatMap((path) => planned({ path }) ?? []);
  const folders = realNames(origins.flatMap(({ access }) => {
    if (access.via === "shared-skills") return [access.path];
    return access.via === "folder" ? [access.within ?? access.path] : [];
  }));
  // Not the whole state folder: the user's HTTP token is in it, too.
  const state = user.state === undefined ? [] : [`${user.state}/memory`, `${user.state}/usage`];
  const own = realNames([user.bmad ?? [], ...state, start.contentDir].flat());
  const isCached = isGit || name === "cache" || lists !== undefined ||
    origins.some(({ access }) => access.via === "pinned");
  const fetches = isGit && git?.offline === false &&
    (commandNeeds(name, "copies") || isUpdate);
  const caches = git === undefined ? [] : [git.cache];
  const unseen = caches.filter((folder) => isCached && !own.some((parent) => liesIn(folder, parent)));
  // What is added to a list later is in the cache.
  const unread = lists?.files.filter((file) => !folders.some((folder) => liesIn(file, folder))) ?? [];
  const rights: WantedRights = {
    read: [...new Set([...folders, ...own, ...unseen, ...unread, ...written])],
    write: [...(fetches || name === "cache" && action === "clear" ? caches : []), ...written],
    // The doctor only asks git for its version.
    run: fetches || (isGit && name === "doctor") ? ["git"] : [],
    net: false,
  };
  return { validation, origins, sourceLists: lists, logFiles, usageFolder, git, rights, refused };
}

/** By their real names; none if one of them leads elsewhere, or nowhere. */
function planLog(file: string | undefined, resolve: (path: string, isPlain: boolean) => string | undefined) {
  const first = file === undefined ? undefined : resolve(file, false);
  if (first === undefined) return [];
  const older = [1, 2, 3].map((age) => `${first}.${age}`);
  return older.every((path) => resolve(path, true) !== undefined) ? [first, ...older] : [];
}
