/**
 * What a start needs: which origins to look in, where the project keeps its memory and runs, and the rights for it.
 *
 * `resolveConfig` adds to the user's choices everything that has to be known while the whole disk can still be seen.
 * Pure: the disk is asked through the functions that are handed in.
 */
import type { Invocation } from "../../operations/mod.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { hasRight, type Person } from "../../base/roles.ts";
import { isGitLocation } from "../locations/mod.ts";
import {
  type Choices,
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
import {
  type NewPlan,
  planNew,
  planValidation,
  validationOrigins,
  type ValidationPlan,
} from "./authoring.ts";
import { type Claims, isChosen, type StartView, type ToolNeeds } from "./choice.ts";
import { type HttpState, planHttpState } from "./http_state.ts";
import { findKit, planKit, type ProjectKit, type ScriptVariables, scriptVariables, withKit } from "./kit.ts";
import { type MemoryPlan, planMemory } from "./memory.ts";
import {
  addsUses,
  cacheFolder,
  type GitRules,
  gitRules,
  logFiles,
  type OriginPlan,
  planOrigins,
  usageFolder,
  usesProject,
  usesSources,
  wantedRights,
} from "./origins.ts";
import { type BackupPlan, type ExportPlan, planBackup, planExport } from "./outputs.ts";
import { remembering, type SeenInput, type SourceLists, sourceLists } from "./source_lists.ts";
import { planTeam, type TeamPlan } from "./team.ts";
import { planWork, withWork, type WorkPlan } from "./work.ts";

export type { NewPlan } from "./authoring.ts";
export { type Choosing, isChosen, type ToolNeeds } from "./choice.ts";
export { type Pin, type PinnedLocation, type RefusedPath, type Toolset, TOOLSETS } from "../mod.ts";
export {
  CONTRACTS_FOLDER,
  DEFAULT_BRANCH,
  KITS,
  type ProjectKit,
  RUN_ACTIONS,
  RUNS_FOLDER,
  type ScriptVariables,
  TASK_ACTIONS,
} from "./kit.ts";
export type { Endpoint, MemoryPlan } from "./memory.ts";
export { type Access, type GitRules, type OriginPlan, usesProject } from "./origins.ts";
export type { BackupPlan, ExportPlan } from "./outputs.ts";
export { findRepository, type RemotePlan, type SharedPlan } from "./team.ts";

export interface Config extends Choices {
  /** Whether the mode uses a project and none was named: a root of the client may then become it. */
  readonly isProjectOpen: boolean;
  /** Best first; whether they exist is found out when they are opened. */
  readonly origins: readonly OriginPlan[];
  readonly sourceLists: SourceLists | undefined;
  readonly logFiles: readonly string[];
  /** The configurations of the other projects that are served beside this one, over HTTP. */
  readonly siblings: readonly Config[];
  readonly kit: ProjectKit | undefined;
  readonly memory: MemoryPlan | undefined;
  readonly work: WorkPlan | undefined;
  readonly team: TeamPlan | undefined;
  readonly hasMemoryResources: boolean;
  readonly script: ScriptVariables | undefined;
  readonly ownChange: OwnChange | undefined;
  readonly validation: ValidationPlan | undefined;
  readonly exporting: ExportPlan | undefined;
  readonly backup: BackupPlan | undefined;
  readonly creating: NewPlan | undefined;
  readonly httpState: HttpState | undefined;
  /** Whose configuration this is, on a server that knows people; undefined for the user who runs the program. */
  readonly person?: Person;
  readonly rights: WantedRights;
  /** Paths that rights were wanted for and that no right is planned for, because of where they lead. */
  readonly refused: readonly RefusedPath[];
  /** Where uses are kept across restarts, as far as they may be written there; undefined when they are not kept. */
  readonly usageFolder: string | undefined;
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
  const root = project && (resolveRight({ path: project }, look).real ?? project);
  const view: StartView = {
    ...input,
    settings,
    provenance,
    invocation,
    look,
    findFolder,
    readHead: standalone ? undefined : input.readHead,
    within: (path) =>
      root !== undefined && [project!, root].some((folder) => liesIn(path, folder))
        ? { within: { root, holds: "content" } }
        : {},
    toolNeeds,
    isNamed: settings.project !== undefined || input.clientRoot !== undefined,
  };
  const content = planContent(view, input, choices);
  const found = content.origins.find(({ origin }) => origin.kind === "project")?.access;
  const kit = found?.via === "folder" ? findKit(found.path, view) : undefined;
  const chosen = withWork(withKit({ settings, provenance }, kit), kit?.root, view);
  const start: StartView = { ...view, ...chosen };
  const work = kit && planWork(start, kit);
  const plans = {
    ownChange: planOwnChange(invocation, input, { findFolder, look }),
    httpState: planHttpState(view),
    exporting: planExport(view),
    creating: planNew(view, choices),
    work,
    team: kit && planTeam(kit.root, {
      settings,
      mayRunGit: work?.git !== undefined,
      isWriting: work !== undefined && work.writable.length > 0,
    }, view),
    memory: kit && planMemory(start, kit),
    backup: kit && planBackup(view, kit),
  };
  const { ownChange, ...claiming } = plans;
  const claims: readonly (Claims | undefined)[] = [
    content,
    ...Object.values(claiming),
    planKit(start, kit),
    { rights: ownFileRights(ownChange) },
  ];
  const { rights: _, refused: __, ...served } = content;
  return {
    ...choices,
    ...chosen,
    ...served,
    ...plans,
    isProjectOpen: settings.project === undefined && usesProject(settings.mode),
    kit,
    hasMemoryResources: plans.memory !== undefined &&
      toolNeeds.some((need) => need.hasMemoryResources && isChosen(chosen, need.set, need.tool)),
    script: scriptVariables(view),
    rights: standalone
      ? joinRights({ read: [input.look(input.contentDir)?.real ?? input.contentDir] })
      : joinRights(...claims.map((claim) => claim?.rights ?? {})),
    refused: outermostRefused(claims.flatMap((claim) => claim?.refused ?? [])),
    siblings: [],
  };
}

function planContent(start: StartView, input: SeenInput, choices: Choices) {
  const { settings, provenance, invocation, look, findFolder, within } = start;
  const { project } = choices;
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
  const validation = planValidation(start);
  const sought = { ...settings, paths: [...settings.paths, ...namedRepositories(invocation)] };
  const planWith = ({ sources, pins }: Pick<Settings, "sources"> & Pick<Choices, "pins">) =>
    planOrigins({ ...sought, sources }, start, project, {
      pathsFromProject: !choices.isProjectTrusted &&
        provenance.paths.startsWith(`${project}/.bmad-mcp.toml:`),
      isPackChosen: provenance.pack !== "default",
      pins,
      realName,
    });
  const origins = validation === undefined
    ? planWith({ sources: settings.sources, pins: choices.pins })
    : validationOrigins(validation, start, realName);
  const isFollowed = invocation.name === "serve" && usesSources(settings.mode);
  const lists = isFollowed ? sourceLists(input, choices, planWith) : undefined;
  const log = planLog(
    settings.logFile,
    (path, isPlain) => planned({ path, kind: "file", ...isPlain && { isPlain }, ...within(path) }),
  );
  const cacheAt = cacheFolder(settings, start);
  const cache = cacheAt && planned({
    path: cacheAt,
    kind: "folder",
    ...settings.gitCache !== undefined && within(cacheAt),
  });
  const git = gitRules(settings, start, origins, cache);
  const usesAt = usageFolder(settings, start);
  const uses = usesAt && planned({ path: usesAt, kind: "folder" });
  const written = uses !== undefined && addsUses(settings, invocation.name) ? [...log, uses] : log;
  const realNames = (paths: readonly string[]) => paths.flatMap((path) => planned({ path }) ?? []);
  const rights = wantedRights(origins, start, invocation, { realNames, written, git, lists: lists?.files });
  return {
    validation,
    origins,
    sourceLists: lists,
    logFiles: log,
    usageFolder: uses,
    git,
    rights,
    refused,
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
function ownFileRights(change: OwnChange | undefined): Partial<WantedRights> {
  const own = change === undefined ? [] : [change.file.slice(0, change.file.lastIndexOf("/"))];
  return { read: own, write: own };
}

interface Personal {
  readonly settings: Settings;
  readonly team: TeamPlan | undefined;
  readonly work: WorkPlan | undefined;
}

/** Each is the same object for the same person, because answers are kept by configurations. */
const known = new WeakMap<Person, WeakMap<Personal, Personal>>();

/**
 * A configuration as one person has it: what their role forbids is forbidden as `--read-only` forbids it, and what they
 * do is done in their name.
 */
export function configFor<Config extends Personal>(config: Config, person: Person | undefined): Config {
  if (person === undefined) return config;
  const own = known.getOrInsertComputed(person, () => new WeakMap<Personal, Personal>());
  return own.getOrInsertComputed(config, () => {
    const { settings, team, work } = config;
    const readOnly = settings.readOnly || !hasRight(person.role, "work");
    return {
      ...config,
      person,
      settings: { ...settings, readOnly },
      // What should not be asked for is not possible either.
      ...(readOnly && work !== undefined && { work: { ...work, writable: [] } }),
      ...(person.name !== undefined && team !== undefined && { team: { ...team, who: person.name } }),
    };
  }) as Config;
}
