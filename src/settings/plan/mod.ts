/** All of it has to be known while the whole disk can still be seen. */
import { describe } from "../../base/errors.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { hasRight, type Person } from "../../base/roles.ts";
import {
  type Choices,
  isStandalone,
  planOwnChange,
  type RefusedPath,
  resolveRight,
  resolveSettings,
  type Settings,
  type SettingsInput,
} from "../mod.ts";
import { planNew } from "./authoring.ts";
import { type Claims, isChosen, type Start, type ToolNeeds } from "./choice.ts";
import { planContent } from "./content.ts";
import { planHttpState } from "./http_state.ts";
import { findKit, planTools, type ProjectKit, withKit, withMemory } from "./kit.ts";
import { findMemory, planMemory } from "./memory.ts";
import { usesProject } from "./origins.ts";
import { planBackup, planExport } from "./outputs.ts";
import { remembering, type SeenInput } from "./source_lists.ts";
import { planProjects, type Projects, type Sibling, type Standing, unlessBroken } from "./siblings.ts";
import { planTeam, type TeamPlan } from "./team.ts";
import { planWork, withWork, type WorkPlan } from "./work.ts";

export type { NewPlan } from "./authoring.ts";
export { type Choosing, isChosen, type ToolNeeds } from "./choice.ts";
export { GIT_SECONDS, type GitRules, NO_ANSWER } from "./content.ts";
export {
  findPlace,
  findRepository,
  type Pin,
  type PinnedLocation,
  projectNamed,
  projectOfStory,
  type RefusedPath,
  type Toolset,
  TOOLSETS,
} from "../mod.ts";
export {
  CONTRACTS_FOLDER,
  DEFAULT_BRANCH,
  KITS,
  type ProjectKit,
  RUN_ACTIONS,
  RUNS_FOLDER,
  TASK_ACTIONS,
} from "./kit.ts";
export type { Endpoint, MemoryPlan } from "./memory.ts";
export { type Access, type OriginPlan, usesProject } from "./origins.ts";
export type { BackupPlan, ExportPlan } from "./outputs.ts";
export { describeProjects } from "./siblings.ts";
export type { RemotePlan, SharedPlan } from "./team.ts";

function planAll(start: Start, kit: ProjectKit | undefined) {
  const work = kit && planWork(start, kit);
  const { isBeside } = start;
  return {
    httpState: planHttpState(start),
    exporting: isBeside ? undefined : planExport(start),
    creating: isBeside ? undefined : planNew(start),
    work,
    team: kit && planTeam(start, kit.root, work),
    memory: kit && planMemory(start, kit),
    backup: kit && !isBeside ? planBackup(start, kit) : undefined,
    tools: kit && planTools(start, kit),
    ownChange: isBeside ? undefined : planOwnChange(start.invocation, start, {
      ...start,
      found: start.place?.from === undefined ? start.place?.folder : undefined,
    }),
  };
}

export interface ScriptVariables {
  readonly path: string | undefined;
  readonly home: string | undefined;
}

export interface Config
  extends Choices, Standing, ReturnType<typeof planContent>, ReturnType<typeof planAll> {
  /** Whether a root of the client may become the project. */
  readonly isProjectOpen: boolean;
  /** Sorted by name: those that the line names, or that lie below the place. */
  readonly siblings: readonly Config[];
  /** Undefined for a sibling. */
  readonly projects?: Projects;
  /** As they are now, if this start can still see that: what is new can be read, and not changed. */
  findSiblings(): readonly Config[];
  readonly kit: ProjectKit | undefined;
  readonly hasMemoryResources: boolean;
  readonly script: ScriptVariables | undefined;
  /** Undefined for the user who runs the program. */
  readonly person?: Person;
  readonly rights: WantedRights;
  /** Paths without a right, because of where they lead. */
  readonly refused: RefusedPath[];
}

/** Fails with invalid-config or invalid-input. `toolNeeds` are known to the tools' surface alone. */
export function resolveConfig(given: SettingsInput, toolNeeds: readonly ToolNeeds[]): Config {
  const input = remembering(given);
  const once = { ...input, readSettings: input.readOnce };
  const chosen = resolveSettings(once);
  const { own, others, ignored = [], ...projects } = planProjects(chosen, once);
  const choices = { ...chosen, ignored: [...chosen.ignored, ...ignored] };
  const planned = others.map((one) => [one, planSibling(input, one, toolNeeds)] as const);
  const siblings = planned.flatMap(([, plan]) => "rights" in plan ? [plan] : []);
  const broken = planned.flatMap(([{ name }, plan]) => "rights" in plan ? [] : [{ path: name, ...plan }]);
  // Without one that can be used, the top is all there is.
  const standing = siblings.length > 0 ? own : { ...own, isCurrent: true, mayChange: true };
  const first = planStart(input, choices, toolNeeds, standing);
  const findSiblings = watchSiblings(first, siblings, projects.top, () => {
    input.forgetMissing();
    return planProjects(choices, once).others.map((one) =>
      [one.folder, () => planSibling(input, { ...one, mayChange: false }, toolNeeds)] as const
    );
  });
  const found = {
    projects: { ...projects, skipped: [...projects.skipped, ...broken], broken },
    findSiblings,
  };
  if (siblings.length === 0) {
    const left = broken.map(({ path, reason }) => `${path} is left out: it ${reason}`);
    return { ...first, ...found, warnings: [...first.warnings, ...left] };
  }
  const all = [first, ...siblings];
  const changing = all.filter((one) => one === first || one.mayChange);
  return {
    ...first,
    ...found,
    siblings,
    rights: withoutInner(joinRights(...all.map(({ rights }) => rights))),
    // Of a project that is only read, nothing is missed.
    refused: outermostRefused(changing.flatMap(({ refused }) => refused)),
    // Those of the user's own file are found with each.
    faults: new Map(all.flatMap(({ faults }) => faults.map((fault) => [describe(fault), fault]))).values()
      .toArray(),
    ignored: (choices.invocation.name === "doctor" ? all : changing).flatMap(({ ignored }) => ignored),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
  };
}

/** Each access to a file is compared with all of them. */
function withoutInner({ read, ...rights }: WantedRights): WantedRights {
  const all = new Set(read);
  const isInner = (path: string): boolean => {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (all.has(path.slice(0, end))) return true;
    }
    return false;
  };
  return { ...rights, read: read.filter((path) => !isInner(path)) };
}

/** Each keeps its configuration, because answers are kept by them. */
function watchSiblings(
  { rights: { read } }: Config,
  siblings: readonly Config[],
  top: string | undefined,
  search: () => readonly (readonly [folder: string, plan: () => ReturnType<typeof planSibling>])[],
): () => readonly Config[] {
  if (top === undefined || !read.some((folder) => liesIn(top, folder))) return () => siblings;
  const plans = new Map(siblings.map((one) => [one.project!, one]));
  let last = siblings;
  return () => {
    const now = search().flatMap(([folder, plan]) => {
      const known = plans.get(folder) ?? plan();
      if (!("rights" in known)) return [];
      plans.set(folder, known);
      return [known];
    });
    const isSame = now.length === last.length && now.every((one, at) => one === last[at]);
    return isSame ? last : last = now;
  };
}

function planSibling(input: SeenInput, one: Sibling, toolNeeds: readonly ToolNeeds[]) {
  const { folder, ...standing } = one;
  const once = { ...input, readSettings: input.readOnce };
  const plan = () => planStart(input, resolveSettings(once, folder), toolNeeds, standing, true);
  return one.isNamed ? plan() : unlessBroken(plan);
}

function planStart(
  input: SeenInput,
  choices: Choices,
  toolNeeds: readonly ToolNeeds[],
  standing: Standing,
  isBeside = false,
): Config {
  const { settings, invocation, project } = choices;
  const standalone = isStandalone(invocation);
  const { cwd: base, home, os } = input;
  // Each folder that does not exist would cost a standalone command as much as all the rest.
  const disk = standalone ? { ...input, look: nothing, findFolder: nothing, readHead: nothing } : input;
  const root = project && (resolveRight({ path: project }, disk.look).real ?? project);
  const view: Start = {
    ...disk,
    ...choices,
    context: { base, home, os, findFolder: disk.findFolder },
    within: (path) =>
      root !== undefined && [project!, root].some((folder) => liesIn(path, folder))
        ? { within: { root, holds: "content" } }
        : {},
    toolNeeds,
    isNamed: settings.project !== undefined || input.clientRoot !== undefined,
    isBeside,
    mayChange: standing.mayChange,
    servedFrom: standing.servedFrom,
  };
  const content = planContent(view, input, choices);
  const found = content.origins.find(({ origin }) => origin.kind === "project")?.access;
  const kit = found?.via === "folder" ? findKit(found.path, view) : undefined;
  const kept = kit && kit.sign === undefined ? findMemory(kit.root, view) : undefined;
  const chosen = kit === undefined ? view : withMemory(withWork(withKit(view, kit), kit.root, view), kept);
  const { settings: own, provenance } = chosen;
  const start: Start = { ...view, settings: own, provenance };
  const plans = planAll(start, kit);
  const isReader = isBeside && !standing.mayChange;
  const claims: readonly (Claims | undefined)[] = [content, ...Object.values(plans)];
  const rights = joinRights(...claims.map((claim) => claim?.rights ?? {}));
  return {
    ...choices,
    ...standing,
    ...content,
    ...plans,
    settings: own,
    provenance,
    isProjectOpen: settings.project === undefined && usesProject(settings.mode),
    kit,
    hasMemoryResources: plans.memory !== undefined &&
      toolNeeds.some((need) => need.hasMemoryResources && isChosen(start, need.set, need.tool)),
    script: settings.allowExec ? { path: input.env("PATH"), home } : undefined,
    rights: standalone
      ? joinRights({ read: [input.look(input.contentDir)?.real ?? input.contentDir] })
      : isReader
      ? { ...rights, write: [], net: false, run: rights.run.filter((program) => program === "git") }
      : rights,
    refused: outermostRefused(claims.flatMap((claim) => claim?.refused ?? [])),
    siblings: [],
    findSiblings: () => [],
  };
}

const nothing = () => undefined;

/** Each path once, and none that lies in another one; but all that the configuration names. */
function outermostRefused(paths: readonly RefusedPath[]): RefusedPath[] {
  const isInAnother = (folder: string, at: number) =>
    paths.some((other, i) => other.folder === folder ? i < at : liesIn(folder, other.folder));
  return paths.filter(({ folder, key }, at) => key !== undefined || !isInAnother(folder, at));
}

interface Personal {
  readonly settings: Settings;
  readonly team: TeamPlan | undefined;
  readonly work: WorkPlan | undefined;
}

/** The same object for the same person, because answers are kept by configurations. */
const known = new WeakMap<Person, WeakMap<Personal, Personal>>();

/** What the person's role forbids is forbidden as by `--read-only`; what they do is done in their name. */
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
