/**
 * What a start needs: which origins to look in, where the project keeps its memory and runs, and the rights for it.
 *
 * `resolveConfig` adds to the user's choices everything that has to be known while the whole disk can still be seen.
 * Pure: the disk is asked through the functions that are handed in.
 */
import { isGitLocation } from "../locations/mod.ts";
import type { Person } from "../../base/roles.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import {
  type ExportPlan,
  planExport,
  planValidation,
  validationOrigins,
  type ValidationPlan,
} from "./authoring.ts";
import { type BackupPlan, backupRights, planBackup } from "./backup.ts";
import { isChosen } from "./choice.ts";
import {
  type Choices,
  type Invocation,
  isStandalone,
  type LookAt,
  namedProjects,
  type OwnChange,
  planOwnChange,
  type RefusedPath,
  resolveRight,
  resolveSettings,
  type Settings,
  type SettingsInput,
  type WantedPath,
} from "../mod.ts";
import { liesIn } from "../../base/paths.ts";
import {
  findKit,
  type KitDisk,
  planKit,
  type ProjectKit,
  type ScriptVariables,
  scriptVariables,
  withKit,
} from "./kit.ts";
import { type MemoryPlan, memoryRights, planMemory } from "./memory.ts";
import type { ToolNeeds } from "./needs.ts";
import { type NewPlan, newRights, planNew } from "./new_item.ts";
import { outputRights } from "./output.ts";
import { remembering, type SeenInput, type SourceLists, sourceLists } from "./source_lists.ts";
import { planTeam, type TeamPlan, teamRights } from "./team.ts";
import { planVerify, type VerifyPlan, verifyRights } from "./verify.ts";
import { type HttpState, httpStateRights, planHttpState } from "./http_state.ts";
import { planWork, withWork, type WorkPlan, workRights } from "./work.ts";
import {
  addsUses,
  cacheFolder,
  type GitRules,
  gitRules,
  logFiles,
  type OriginPlan,
  ownRights,
  planOrigins,
  usageFolder,
  usesProject,
  usesSources,
  wantedRights,
} from "./origins.ts";

export type { ExportPlan, ValidationPlan } from "./authoring.ts";
export type { BackupPlan } from "./backup.ts";
export type { OutputPlan } from "./output.ts";
export type { NewPlan } from "./new_item.ts";
export { type Choosing, isChosen } from "./choice.ts";
export { type Pin, type PinnedLocation, type Toolset, TOOLSETS } from "../mod.ts";
export {
  CONTRACTS_FOLDER,
  DEFAULT_BRANCH,
  type KitFolders,
  KITS,
  type ProjectKit,
  RUN_ACTIONS,
  RUNS_FOLDER,
  type ScriptVariables,
  TASK_ACTIONS,
} from "./kit.ts";
export type { Endpoint, MemoryPlan } from "./memory.ts";
export type { ToolNeeds } from "./needs.ts";
export {
  findRepository,
  type RefusedRepository,
  type Repository,
  type RepositoryDisk,
} from "./repository.ts";
export { configFor, type Personal } from "./person.ts";
export type { SourceLists } from "./source_lists.ts";
export type { RemotePlan, SharedPlan, TeamPlan } from "./team.ts";
export type { VerifyPlan } from "./verify.ts";
export type { HttpState } from "./http_state.ts";
export type { WorkPlan } from "./work.ts";
export type { RefusedPath } from "../mod.ts";
export { type Access, type GitRules, type OriginPlan, usesProject } from "./origins.ts";

/** The user's choices, and what a start needs for them. */
export interface Config extends Choices {
  /** Whether the mode uses a project and none was named: a root of the client may then become it. */
  readonly isProjectOpen: boolean;
  /** Best first; whether they exist is found out when they are opened. */
  readonly origins: readonly OriginPlan[];
  /** The lists of sources, which change while a server runs; undefined for any other command. */
  readonly sourceLists: SourceLists | undefined;
  /** Where the log is kept on disk, absolute: the present file first, then the older ones; empty for no file. */
  readonly logFiles: readonly string[];
  /** The configurations of the other projects that are served beside this one, over HTTP. */
  readonly siblings: readonly Config[];
  /** The project as the tools for its memory and runs see it; undefined when none is served. */
  readonly kit: ProjectKit | undefined;
  /** How memories of the project are kept and found; undefined when no project is served. */
  readonly memory: MemoryPlan | undefined;
  /** Where work on the project may be written; undefined if this start does none. */
  readonly work: WorkPlan | undefined;
  /** Who works on the project, and what its worktrees share; undefined when no project is served. */
  readonly team: TeamPlan | undefined;
  /** Whether its memories can be read as resources. */
  readonly hasMemoryResources: boolean;
  /** What a script of the project is run with; undefined unless the user allows scripts. */
  readonly script: ScriptVariables | undefined;
  /** Where scripts are compared; undefined for any other command. */
  readonly verify: VerifyPlan | undefined;
  /** The change of the user's settings file that the command line asks for; undefined if it asks for none. */
  readonly ownChange: OwnChange | undefined;
  /** What `validate` looks at; undefined for any other command. */
  readonly validation: ValidationPlan | undefined;
  /** What `export` writes; undefined for any other command. */
  readonly exporting: ExportPlan | undefined;
  /** What `memory backup` and `memory restore` work on; undefined for any other command. */
  readonly backup: BackupPlan | undefined;
  /** What `new` writes; undefined for any other command. */
  readonly creating: NewPlan | undefined;
  /** What a server over HTTP keeps; undefined for a start that needs none of it. */
  readonly httpState: HttpState | undefined;
  /** Whose configuration this is, on a server that knows people; undefined for the user who runs the program. */
  readonly person?: Person;
  /** What stays allowed when the rights are dropped: reading the origins, our own folders and the packs. */
  readonly rights: WantedRights;
  /** Paths that rights were wanted for and that no right is planned for, because of where they lead. */
  readonly refused: readonly RefusedPath[];
  /** Where uses are kept across restarts, as far as they may be written there; undefined when they are not kept. */
  readonly usageFolder: string | undefined;
  /** How repositories are fetched and cached; undefined if no folder can hold the cache. */
  readonly git: GitRules | undefined;
}

/**
 * Resolves the configuration, or fails with invalid-config or invalid-input. Which tools need more than reading is known
 * to their surface alone.
 */
export function resolveConfig(given: SettingsInput, toolNeeds: readonly ToolNeeds[]): Config {
  const input = remembering(given);
  const config = planStart(input, resolveSettings(input), toolNeeds);
  if (config.settings.http === undefined || config.invocation.name !== "serve") return config;
  const [first = config, ...others] = namedProjects(input).map((project) =>
    planStart(input, resolveSettings(input, project), toolNeeds)
  );
  const siblings = others.filter(({ project }) => project !== first.project);
  const all = [first, ...siblings];
  return {
    ...first,
    siblings,
    rights: joinRights(...all.map(({ rights }) => rights)),
    refused: outermostRefused(all.flatMap(({ refused }) => refused)),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
}

function planStart(input: SeenInput, choices: Choices, toolNeeds: readonly ToolNeeds[]): Config {
  const { settings, provenance, invocation, project } = choices;
  const standalone = isStandalone(invocation);
  // Each folder that does not exist would cost a standalone command as much as all the rest.
  const findFolder = (path: string) => standalone ? undefined : input.findFolder?.(path);
  const look: LookAt = (path) => standalone ? undefined : input.look(path);
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
  const root = project && (resolveRight({ path: project }, look).real ?? project);
  /** The user names a path in the project, but the project has put there what is found. */
  const within = (path: string): Pick<WantedPath, "within"> =>
    root !== undefined && [project!, root].some((folder) => liesIn(path, folder))
      ? { within: { root, holds: "content" } }
      : {};
  const pathsFromProject = !choices.isProjectTrusted &&
    provenance.paths.startsWith(`${project}/.bmad-mcp.toml:`);
  const isPackChosen = provenance.pack !== "default";
  const sought = { ...settings, paths: [...settings.paths, ...namedRepositories(invocation)] };
  const readHead = standalone ? undefined : input.readHead;
  const validation = planValidation(invocation, input, { findFolder, readHead });
  const planWith = ({ sources, pins }: Pick<Settings, "sources"> & Pick<Choices, "pins">) =>
    planOrigins({ ...sought, sources }, input, project, { pathsFromProject, isPackChosen, pins, realName });
  const origins = validation === undefined
    ? planWith({ sources: settings.sources, pins: choices.pins })
    : validationOrigins(validation, settings, input, realName);
  const isFollowed = invocation.name === "serve" && usesSources(settings.mode);
  const lists = isFollowed ? sourceLists(input, choices, planWith) : undefined;
  const exporting = planExport(invocation, input, { findFolder, look, within }, settings);
  const creating = planNew(invocation, usesProject(settings.mode) ? project : undefined, {
    ...input,
    findFolder,
  }, choices);
  const log = planLog(
    settings.logFile,
    (path, isPlain) => planned({ path, kind: "file", ...isPlain && { isPlain }, ...within(path) }),
  );
  const cacheAt = cacheFolder(settings, input);
  const cache = cacheAt && planned({
    path: cacheAt,
    kind: "folder",
    ...settings.gitCache !== undefined && within(cacheAt),
  });
  const git = gitRules(settings, input, origins, cache);
  const usesAt = usageFolder(settings, input);
  const uses = usesAt && planned({ path: usesAt, kind: "folder" });
  const written = uses !== undefined && addsUses(settings, invocation.name) ? [...log, uses] : log;
  const { namesIn, os, env } = input;
  const kit = kitOf(origins, { findFolder, look, namesIn, readHead, os });
  const isNamed = settings.project !== undefined || input.clientRoot !== undefined;
  const place = { findFolder, look, readHead, env, namesIn, os, home: input.home, toolNeeds, isNamed };
  const chosen = withWork(withKit({ settings, provenance }, kit), kit?.root, place);
  const work = kit && planWork(chosen, invocation, kit, place);
  const team = kit && planTeam(kit.root, { settings, mayRunGit: work?.git !== undefined }, place);
  const memory = kit && planMemory(chosen, invocation, kit, { ...input, look, toolNeeds });
  const backup = kit && planBackup(invocation, kit, input, { findFolder, look, within }, settings);
  const runs = planKit(chosen, invocation, kit, { look, os, toolNeeds });
  const verify = planVerify(invocation, input, (path) => planned({ path, kind: "folder" }));
  const httpState = planHttpState(invocation, settings, input, look);
  const ownChange = planOwnChange(invocation, input, { findFolder, look });
  const realNames = (paths: readonly string[]) => paths.flatMap((path) => planned({ path }) ?? []);
  return {
    ...choices,
    ...chosen,
    ownChange,
    validation,
    exporting,
    backup,
    creating,
    httpState,
    isProjectOpen: settings.project === undefined && usesProject(settings.mode),
    origins,
    sourceLists: lists,
    logFiles: log,
    usageFolder: uses,
    kit,
    memory,
    work,
    team,
    hasMemoryResources: memory !== undefined &&
      toolNeeds.some((need) => need.hasMemoryResources && isChosen(chosen, need.set, need.tool)),
    script: scriptVariables(settings, input),
    verify,
    rights: standalone ? ownRights(input.look(input.contentDir)?.real ?? input.contentDir) : joinRights(
      ownFileRights(ownChange),
      httpStateRights(httpState, invocation, settings),
      outputRights(exporting),
      backupRights(backup),
      newRights(creating, look),
      wantedRights(origins, input, invocation, { realNames, written, git, lists: lists?.files }),
      workRights(work),
      verifyRights(verify),
      teamRights(team, work !== undefined && work.writable.length > 0),
      runs.rights,
      memoryRights(chosen, invocation, memory, {
        base: input.cwd,
        home: input.home,
        os: input.os,
        look,
        toolNeeds,
      }),
    ),
    refused: outermostRefused(
      [work, team, runs, memory, backup, { refused }].flatMap((plan) => plan?.refused ?? []),
    ),
    git,
    siblings: [],
  };
}

/** The repositories that `cache update` names itself: nothing else need have configured them. */
function namedRepositories({ name, operands: [action, ...names] }: Invocation): readonly string[] {
  return name === "cache" && action === "update" ? names.filter(isGitLocation) : [];
}

/** The log's files, by their real names; none if one of them leads elsewhere, or nowhere. */
function planLog(
  file: string | undefined,
  resolve: (path: string, isPlain: boolean) => string | undefined,
): readonly string[] {
  const first = file === undefined ? undefined : resolve(file, false);
  if (first === undefined) return [];
  const files = logFiles(first);
  return files.slice(1).every((older) => resolve(older, true) !== undefined) ? files : [];
}

/** Each path once, and none that lies in another one; but all that the configuration names. */
function outermostRefused(paths: readonly RefusedPath[]): readonly RefusedPath[] {
  const isInAnother = (folder: string, at: number) =>
    paths.some((other, i) => other.folder === folder ? i < at : liesIn(folder, other.folder));
  return paths.filter(({ folder, key }, at) => key !== undefined || !isInAnother(folder, at));
}

/** The user's settings file is replaced as a whole, by a draft beside it. */
function ownFileRights(change: OwnChange | undefined): WantedRights {
  const own = change === undefined ? [] : [change.file.slice(0, change.file.lastIndexOf("/"))];
  return { read: own, write: own, run: [], net: false };
}

/** The project's memory and runs, where the project is served at all. */
function kitOf(origins: readonly OriginPlan[], disk: KitDisk) {
  const project = origins.find(({ origin }) => origin.kind === "project")?.access;
  return project?.via === "folder" ? findKit(project.path, disk) : undefined;
}
