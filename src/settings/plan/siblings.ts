import { recover } from "../../base/absence.ts";
import { BmadError, describe } from "../../base/errors.ts";
import { liesIn } from "../../base/paths.ts";
import { abbreviateList, compareTexts, counted } from "../../base/text.ts";
import type { CommandName } from "../../operations/mod.ts";
import {
  type Choices,
  DEFAULT_OUTPUT,
  findProjects,
  findRepository,
  holdsFile,
  type IgnoredSetting,
  isInstalled,
  isStandalone,
  namesOf,
  PROJECT_FILE,
  projectOfStory,
  resolveSettings,
  signOf,
  unfitFolder,
} from "../mod.ts";
import { usesProject } from "./origins.ts";
import type { SeenInput } from "./source_lists.ts";

export interface Standing {
  /** Its path below the place (`packages/api`), or the end of its path. */
  readonly name: string;
  readonly isCurrent: boolean;
  readonly mayChange: boolean;
  /** The top of its place, if that serves it because it has no installation of its own. */
  readonly servedFrom?: string;
}

export interface Sibling extends Standing {
  /** As the line spells it, or real. */
  readonly folder: string;
  readonly isNamed?: true;
}

export interface Projects {
  readonly top?: string;
  /** Completes "it …". */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly broken?: Projects["skipped"];
  readonly limit?: string;
}

interface PlannedProjects extends Projects {
  readonly ignored?: readonly IgnoredSetting[];
  readonly own: Standing;
  readonly others: readonly Sibling[];
}

/** Commands about one project, or none, look for no other. */
const ALONE: readonly CommandName[] = [
  ..."install uninstall token record script cache add preview remove update modules".split(" "),
  ..."validate new export".split(" "),
] as CommandName[];

export function planProjects(choices: Choices, input: SeenInput): PlannedProjects {
  const { project, named, settings, invocation } = choices;
  const [only = "default"] = namesOf([project ?? ""]);
  const own = { name: only || "default", isCurrent: true, mayChange: true };
  const alone = { own, others: [], skipped: [] };
  if (named.length > 1) return planNamed(choices, input);
  if (project === undefined || !usesProject(settings.mode) || isStandalone(invocation)) return alone;
  const root = input.findFolder(project);
  if (root === undefined) return alone;
  const isExact = settings.project !== undefined && choices.place === undefined;
  const repository = findRepository(root, input);
  const isAlone = repository === undefined || repository.reason !== undefined;
  const whole = isAlone ? root : repository.top;
  const top = isExact ? root : whole;
  const sharing = (folder: string) => sharedBy(whole, folder, isAlone, input);
  const single = { ...alone, own: { ...own, ...sharing(root) } };
  if (ALONE.includes(invocation.name)) return single;
  const search = { isAlone, isProject: hasWork(top, input) };
  const listing = root === top ? choices : choicesOf(top, input) ?? choices;
  const { folders: all, ...found } = projectsIn(top, search, listing, input);
  const folders = all.filter((folder) => folder !== root);
  if (folders.length === 0) return { ...single, top, ...found };
  const names = namesBelow(top, [root, ...folders]);
  // `mark packages/api:1-2 done` names a project, too.
  const meant = invocation.operands.flatMap((word) => projectOfStory(names, word)?.[0] ?? []);
  const others = folders.map((folder, at) => {
    const name = names[at + 1]!;
    return { folder, name, isCurrent: false, mayChange: meant.includes(name), ...sharing(folder) };
  });
  const isShared = others.some(({ servedFrom }) => servedFrom === top);
  // An installation there may be for those below, and so may a settings file.
  const hasOwn = () => search.isProject || !isShared && hasSign(top, isAlone, input);
  const isCurrent = isExact || root !== top || hasOwn();
  return {
    own: { name: names[0]!, isCurrent, mayChange: isCurrent, ...sharing(root) },
    others: others.sort(byName),
    top,
    ...found,
  };
}

function planNamed({ project, named }: Choices, input: SeenInput): PlannedProjects {
  const folders = named.map((text) => resolveSettings(input, text).project ?? "");
  const all = [...new Set([project ?? "", ...folders])];
  const standingOf = (folder: string) => {
    const found = findRepository(folder, input);
    const shared = found !== undefined && found.reason === undefined &&
      sharedBy(found.top, folder, false, input);
    return { isCurrent: false, mayChange: true, ...shared };
  };
  const [own = "", ...names] = namesOf(all);
  const others = names.map((name, at): Sibling => ({
    ...standingOf(all[at + 1]!),
    name,
    folder: all[at + 1]!,
    isNamed: true,
  }));
  const first = { ...standingOf(all[0]!), name: own, isCurrent: true };
  return { own: first, others: others.sort(byName), skipped: [] };
}

/** The installation at the top serves those below that have none. */
function sharedBy(top: string, folder: string, isAlone: boolean, input: SeenInput) {
  const isShared = folder !== top && liesIn(folder, top) && isInstalled(top, input, isAlone) &&
    !isInstalled(folder, input, false);
  return isShared ? { servedFrom: top } : {};
}

function byName(a: Standing, b: Standing): number {
  return compareTexts(a.name, b.name);
}

function projectsIn(
  top: string,
  search: Parameters<typeof findProjects>[2],
  choices: Choices,
  input: SeenInput,
): Omit<PlannedProjects, "own" | "others"> & { readonly folders: readonly string[] } {
  const { settings: { projects: listed }, isProjectTrusted, provenance, project } = choices;
  if (listed.length === 0) {
    const { paths, ...found } = findProjects(top, input, search);
    return { ...found, folders: paths.map((path) => `${top}/${path}`) };
  }
  const isTheirs = provenance.projects.startsWith(`${project}/${PROJECT_FILE}:`) && !isProjectTrusted;
  const whole = listed.length === 1 ? "is the place itself, not a project in it" : undefined;
  const seen = listed.map((path) => {
    const folder = input.findFolder(path);
    const reason = folder === undefined ? "is not a folder" : unfitFolder(folder, input) ??
      (isTheirs && !liesIn(folder, top) ? "leads out of the project" : folder === top ? whole : undefined);
    return { path, folder: folder ?? path, reason };
  });
  const invalid = { setting: "projects", source: provenance.projects, needsTrust: false, isInvalid: true };
  const skipped = seen.flatMap(({ path, reason }) => reason === undefined ? [] : [{ path, reason }]);
  return {
    folders: [...new Set(seen.flatMap(({ folder, reason }) => reason === undefined ? [folder] : []))],
    skipped,
    ignored: skipped.map(({ path, reason }) => ({ ...invalid, reason: `${path} ${reason}` })),
  };
}

/** Undefined without a valid file of its own. */
function choicesOf(top: string, input: SeenInput): Choices | undefined {
  if (input.look(`${top}/${PROJECT_FILE}`) === undefined) return undefined;
  return recover(BmadError, () => resolveSettings(input, top));
}

/** The installer makes empty folders. */
function hasWork(top: string, input: SeenInput): boolean {
  return holdsFile(`${top}/${DEFAULT_OUTPUT}`, input, (name) => /^[^.].*\./.test(name));
}

function hasSign(top: string, isAlone: boolean, input: SeenInput): boolean {
  const names = input.namesIn?.(top).filter((name) => name !== PROJECT_FILE);
  return signOf(top, input, { isAlone, names }) !== undefined;
}

function namesBelow(top: string, folders: readonly string[]): readonly string[] {
  const isBelow = (folder: string) => folder !== top && liesIn(folder, top);
  const others = folders.filter((folder) => !isBelow(folder));
  const ends = namesOf(others, folders.filter(isBelow).map((folder) => folder.slice(top.length + 1)));
  return folders.map((folder) =>
    isBelow(folder) ? folder.slice(top.length + 1) : ends[others.indexOf(folder)]!
  );
}

/** A project that nobody named must not keep a start from working. */
export function unlessBroken<T>(plan: () => T): T | { readonly reason: string } {
  return recover(BmadError, plan, ({ failure }) => ({
    reason: `has settings that cannot be used: ${describe(failure)}`,
  }));
}

interface Served extends Standing {
  readonly project: string | undefined;
  readonly projects?: Projects;
  findSiblings(): readonly (Standing & { readonly project: string | undefined })[];
}

const MAX_SHOWN = 10;

export function describeProjects({ projects, findSiblings, ...own }: Served) {
  const siblings = findSiblings();
  const { top, skipped = [], limit } = projects ?? {};
  if (siblings.length === 0 && skipped.length === 0) return undefined;
  const items = [...own.isCurrent ? [own] : [], ...siblings]
    .map(({ name, project, isCurrent, mayChange }) => ({ name, folder: project!, isCurrent, mayChange }));
  const named = items.map(({ name, isCurrent, mayChange }) =>
    `${name}${isCurrent ? " (current)" : mayChange ? "" : " (only read)"}`
  );
  return {
    lines: [
      `${counted(items.length, "project")}${top === undefined ? "" : ` in ${top}`}: ${
        abbreviateList(named, MAX_SHOWN)
      }`,
      ...skipped.map(({ path, reason }) => `${path} is left out: it ${reason}`),
      ...limit === undefined
        ? []
        : [`The search ended at ${limit}: list the projects as \`projects\` in ${PROJECT_FILE}`],
    ],
    data: { items, skipped, ...(limit !== undefined && { limit }) },
  };
}
