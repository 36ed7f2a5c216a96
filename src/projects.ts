/** Each project is opened when it is first used, and closed when it is idle for a while. */
import {
  type App,
  type BoardReport,
  type Config,
  type Findings,
  type NameQuery,
  openApp,
  type Place,
  projectNamed,
  projectOfStory,
  type Projects,
  type Report,
  type Row,
  type SearchRequest,
} from "./app.ts";
import { BmadError, expectFailure, failInput, failMissing, failUnknown, failureIn } from "./base/errors.ts";
import { bulleted, firstLines, joinLines } from "./base/report.ts";
import { suggest } from "./base/suggestions.ts";
import { abbreviateList, command, counted, NO_COMMAND, oneLine, splitLines } from "./base/text.ts";
import { isWithin } from "./base/time.ts";
import { isValues, type Values } from "./base/values.ts";
import { type Clock, pause } from "./base/work.ts";

export interface OpenProject {
  readonly name: string;
  readonly app: App;
  isUsed?(): boolean;
  close?(): Promise<void>;
}

interface Opening<P extends OpenProject> {
  open(name: string, app: App): P;
  readonly idleMs?: number;
  bug(error: unknown): void;
  warn?(text: string): void;
}

interface Kept<P> {
  readonly project: P;
  lastUsed: number;
  uses: number;
  /** Whether nobody has asked for it by itself. */
  isPassing: boolean;
}

/** Until a new project is seen; in a place with many folders, a hundred times as long as the look. */
const LOOK_MS = 1_000;
const IDLE_MS = 600_000;
const SWEEP_MS = 60_000;
/** So many stay open after a look at all: to open one takes longer than its answer. */
const MAX_PASSING = 16;

export function openProjects<P extends OpenProject>(
  config: Config,
  clock: Clock,
  { open, idleMs = IDLE_MS, bug, warn }: Opening<P>,
) {
  const { name: home, isCurrent } = config;
  const all = (siblings: readonly Config[]) =>
    new Map((isCurrent ? [config, ...siblings] : siblings).map((one) => [one.name, one]));
  let [siblings, lookedAt, pauseMs] = [config.siblings, clock.now(), LOOK_MS];
  let configs = all(siblings);
  const namesNow = (): readonly string[] => {
    const begun = clock.now();
    if (!isWithin(pauseMs, lookedAt, begun)) {
      const found = config.findSiblings();
      lookedAt = clock.now();
      pauseMs = Math.max(LOOK_MS, 100 * (lookedAt - begun));
      if (found !== siblings) configs = all(siblings = found);
    }
    return [...configs.keys()];
  };
  const opened = new Map<string, Kept<P>>();
  let cancelSweep: (() => void) | undefined;
  const planSweep = () => cancelSweep ??= clock.after(Math.min(idleMs, SWEEP_MS), sweep);
  const sweep = () => {
    cancelSweep = undefined;
    for (const [name, one] of opened) {
      if (!isUsed(one) && clock.now() - one.lastUsed >= idleMs) end(name, one);
    }
    if (opened.size > 0) planSweep();
  };
  const isUsed = ({ uses, project }: Kept<P>) => uses > 0 || project.isUsed?.() === true;
  const end = (name: string, one: Kept<P>) => {
    opened.delete(name);
    void shut(one).catch(bug);
  };
  const shut = async ({ project }: Kept<P>) => {
    await project.close?.();
    await project.app.close();
  };
  const keep = (name: string): Kept<P> | undefined => {
    const own = name === home ? config : configs.get(name);
    const known = opened.get(name);
    if (known !== undefined || own === undefined) return known;
    const app = openApp(own, clock, warn, { name, place });
    const kept = { project: open(name, app), lastUsed: clock.now(), uses: 0, isPassing: true };
    opened.set(name, kept);
    planSweep();
    return kept;
  };
  const find = (name: string): P | undefined => {
    const kept = keep(name);
    if (kept === undefined) return undefined;
    kept.lastUsed = clock.now();
    kept.isPassing = false;
    return kept.project;
  };
  const hold = (name: string): () => void => {
    const kept = keep(name);
    if (kept === undefined) return () => {};
    kept.uses++;
    return () => {
      kept.uses--;
      kept.lastUsed = clock.now();
      if (kept.isPassing && opened.size > MAX_PASSING && !isUsed(kept)) end(name, kept);
    };
  };
  const place: Place = {
    get names() {
      return namesNow();
    },
    hold,
    find: (name) => find(name)?.app,
    pass: (name) => keep(name)?.project.app,
  };
  return {
    names: namesNow,
    home,
    find,
    hold,
    opened: (): readonly P[] => opened.values().map(({ project }) => project).toArray(),
    close: async (): Promise<void> => {
      cancelSweep?.();
      await Promise.all(opened.values().map(shut));
    },
  };
}

export function openPlace(config: Config, clock: Clock, warn: (text: string) => void) {
  const bug = (error: unknown) => warn(error instanceof Error ? error.message : String(error));
  const { home, find, hold, close } = openProjects(config, clock, {
    open: (name, app) => ({ name, app }),
    bug,
    warn,
  });
  hold(home);
  return { app: find(home)!.app, close };
}

export function findProject({ names, find }: Projects, word: string): App {
  const app = find(projectNamed(names, word) ?? word);
  return app ?? failUnknown("project", word, names, suggest(word, names));
}

interface Asked {
  readonly what: string;
  readonly story?: unknown;
  readonly isForAll: boolean;
  readonly isChange: boolean;
  readonly isModel?: true | undefined;
}

/** Undefined stands for all projects. */
export async function routeOf(
  app: App,
  projects: Projects,
  { what, story, isForAll, isChange, isModel }: Asked,
): Promise<{ readonly app: App; readonly story?: unknown } | undefined> {
  const named = typeof story === "string" ? projectOfStory(projects.names, story) : undefined;
  if (named !== undefined) return { app: projects.find(named[0])!, story: named[1] };
  if (projects.current !== undefined) return { app, story };
  if (typeof story === "string") return { app: await ownerOf(projects, story), story };
  const mayRun = (name: string) => !isChange || !isModel || projects.pass(name)!.config.mayChange;
  // The refusal of one is that of all.
  if (!projects.names.some(mayRun)) return { app: projects.find(projects.names[0]!)! };
  return isForAll ? undefined : failUndecided(projects, what, isModel);
}

export function failUndecided(projects: Projects, what: string, isModel?: boolean): never {
  const { names } = projects;
  const shown = abbreviateList(names, MAX_NAMED);
  const problem = `${what} is about one project, and there are ${names.length} here: ${shown}`;
  return failInput(problem, `Say which: ${wayTo(projects, names[0]!, isModel)}`);
}

function wayTo({ pass }: Projects, name: string, isModel = false): string {
  return isModel ? `project ${name}` : command`--project ${pass(name)!.config.project!}` ?? NO_COMMAND;
}

const MAX_NAMED = 10;

async function ownerOf(projects: Projects, story: string): Promise<App> {
  const answers = await askAll(projects, async (app) => {
    try {
      return await (await app.project.work()).show(story);
    } catch (error) {
      // One that has several of this name is asked which.
      if (error instanceof BmadError && error.failure.code === "not-found") return undefined;
      throw error;
    }
  });
  const owners = answers.filter(({ answer, isAmbiguous }) => answer !== undefined || isAmbiguous);
  const [first, ...others] = owners.map(({ project }) => project);
  if (first === undefined) {
    return failMissing("story", story, {
      hint: `It is in none of ${counted(projects.names.length, "project")}`,
    });
  }
  if (others.length === 0) return projects.find(first)!;
  const names = abbreviateList([first, ...others], MAX_NAMED);
  return failInput(`${story} is in ${names}`, `Say which: ${first}:${story}`);
}

/** So many are opened with all of their content for one answer. */
const MAX_OPENED = 10;
/** The origin of what a project has itself. */
const OWN = "project";

/** The one project that has an item of this name, where none is current. */
export async function ownerOfItem(
  app: App,
  projects: Projects,
  { what, query, isModel, isNeeded }: {
    readonly what: string;
    readonly query: NameQuery;
    readonly isModel?: true;
    /** Whether the place itself cannot stand for them. */
    readonly isNeeded: boolean;
  },
): Promise<App> {
  const has = (one: App, origin = query.origin) =>
    one.resolve({ ...query, origin }).then(() => true, (error) => expectFailure(error).code === "ambiguous");
  const owners: string[] = [];
  const looked = query.origin === undefined || query.origin === OWN
    ? projects.names.slice(0, MAX_OPENED)
    : [];
  for (const name of looked) {
    if (await has(projects.pass(name)!, OWN)) owners.push(name);
    if (owners.length > 1) break;
  }
  const [owner] = owners;
  if (owners.length === 1 && looked.length === projects.names.length) return projects.find(owner!)!;
  // Nobody has it: whoever asks is told what is like it.
  if (owner === undefined && !(isNeeded && await has(app))) return app;
  return failUndecided(projects, what, isModel);
}

export async function searchAll(app: App, projects: Projects, request: SearchRequest): Promise<Findings> {
  const isMany = projects.names.length > MAX_OPENED;
  const [{ items: served, ...whole }, answers] = await Promise.all([
    app.find(request),
    askAll(projects, (one) => one.find(request, isMany ? "work" : "own")),
  ]);
  const rowsOf = (key: "stories" | "documents" | "memories" | "items") =>
    answers.flatMap(({ project, answer }) =>
      (answer?.[key] ?? []).map((row, at) => ({ at, row: rowIn(project, row, key === "stories") }))
    ).sort((a, b) => a.at - b.at).map(({ row }) => row);
  const items = rowsOf("items");
  const known = new Set(items.map(({ name }) => name));
  const problems = answers.flatMap(({ project, problem, answer }) => {
    const text = problem ?? answer?.problem;
    return text === undefined ? [] : [`${project}: ${text}`];
  });
  return {
    ...whole,
    stories: rowsOf("stories"),
    documents: rowsOf("documents"),
    memories: rowsOf("memories"),
    items: [...items, ...served.filter(({ name }) => !known.has(name))],
    ...(problems.length > 0 && { problem: abbreviateList(problems, MAX_NAMED) }),
  };
}

interface Answered<T> {
  readonly project: string;
  readonly answer?: T;
  readonly problem?: string;
  readonly isAmbiguous?: boolean;
}

/** Git may be slow in one of them. */
const AT_ONCE = 4;

/** A huge project is left behind: it goes on by itself, and the next answer may have it. */
const MAX_MS = 10_000;

/** What fails in one project, or takes too long, harms no other. */
export async function askAll<T>(
  { names, pass, hold }: Pick<Projects, "names" | "pass" | "hold">,
  work: (app: App) => Promise<T>,
  maxMs = MAX_MS,
): Promise<readonly Answered<T>[]> {
  const answers: Answered<T>[] = [];
  const waiting = names.entries();
  const ask = async (project: string): Promise<Answered<T>> => {
    const release = hold(project);
    const done = new AbortController();
    try {
      const asked = (async () => await work(pass(project)!))();
      asked.then(release, release);
      const late = pause(maxMs, done.signal).then(() => undefined);
      const answer = await Promise.race([asked.then((answer) => ({ project, answer })), late]);
      const problem = `No answer within ${maxMs / 1_000} seconds: ask for it alone, or again`;
      return answer ?? { project, problem };
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      const { failure, message = String(error) } = failureIn(error) ?? {};
      return { project, problem: oneLine(message), isAmbiguous: failure?.code === "ambiguous" };
    } finally {
      done.abort();
    }
  };
  const worker = async () => {
    for (const [at, project] of waiting) answers[at] = await ask(project);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

export async function withWork(
  { names, ...projects }: Projects,
  next: (app: App) => Promise<Report>,
): Promise<readonly string[]> {
  const answers = await askAll({ ...projects, names: names.slice(0, MAX_LOOKED) }, next);
  const ranked = answers.flatMap(({ project, answer }) =>
    answer === undefined ? [] : [{ project, rank: rankOf(answer.data) }]
  );
  return ranked.sort((a, b) => a.rank - b.rank).map(({ project }) => project);
}

const MAX_LOOKED = 20;

interface Joining {
  text?(report: Report, project: string): string | undefined;
  /** The lowest comes first. */
  rank?(data: Values): number;
  readonly isByStory?: true;
}

const JOINING: Readonly<Record<string, Joining>> = {
  board: {
    isByStory: true,
    text: (report, project) => {
      const { text, rows, questions, problems } = report as BoardReport;
      const lineOf = ({ name, about, data }: Row) =>
        data["key"] === undefined ? `## ${about}` : `- ${project}:${name} ${about}`;
      return joinLines(firstLine(text), rows.map(lineOf), bulleted([...questions, ...problems]));
    },
  },
  next: { rank: rankOf },
  answer: { text: ({ text, data }) => (data["open"] as readonly unknown[]).length === 0 ? undefined : text },
};

/** What the asker holds comes first, then what can go on. */
function rankOf({ next }: Values): number {
  const { is, story } = (next as readonly Values[])[0] ?? {};
  if (is !== "next") return 3;
  if (!isValues(story)) return 2;
  return story["claim"] === undefined ? 1 : 0;
}

const MAX_TEXT = 8_000;
const MAX_LINES = 20;

/** Lists are joined and numbers added; each item has its project. */
export function joinReports(what: string, answers: readonly Answered<Report>[]): Report {
  const { text: textOf = ({ text }: Report) => text, rank = () => 0, isByStory } = JOINING[what] ?? {};
  const given = answers.flatMap(({ project, answer }) => answer === undefined ? [] : [{ project, ...answer }])
    .sort((a, b) => rank(a.data) - rank(b.data));
  const problems = answers.filter(({ problem }) => problem !== undefined);
  if (given.length === 0) {
    const [first] = problems;
    return failInput(`${first?.project}: ${first?.problem}`);
  }
  const [whole, brief]: [string[], string[]] = [[], []];
  let left = MAX_TEXT;
  for (const { project, ...report } of given) {
    const text = textOf(report, project)?.trimEnd();
    if (text === undefined) continue;
    left -= text.length;
    if (whole.length === 0 || left > 0) whole.push(`# ${project}\n${text}`);
    else brief.push(`${project}: ${firstLine(text)}`);
  }
  const more = (count: number) => `… and ${counted(count, "more project")}`;
  const beside = joinLines(problems.map(({ project, problem }) => `${project}: ${problem}`));
  // Where none has anything to say, one of them says so for all.
  if (whole.length === 0) whole.push(given[0]!.text.trimEnd());
  const parts = [...whole, joinLines(bulleted(firstLines(brief, MAX_LINES, more))), beside];
  const fields = mergeFields(given.map(({ project, text: _, data: __, ...fields }) => [project, fields]));
  return {
    ...withRows(fields, isByStory),
    ...(problems.length > 0 && { beside }),
    text: parts.filter((part) => part !== "").join("\n\n"),
    data: {
      ...mergeFields(given.map(({ project, data }) => [project, data])),
      projects: answers.map(({ project, problem }) => ({ project, problem })),
    },
  };
}

export function listOthers(report: Report, { names, current }: Projects): Report {
  const others = names.filter((name) => name !== current);
  const beside = `Also here: ${abbreviateList(others, MAX_NAMED)} (a story there: ${others[0]}:STORY).`;
  return { ...report, beside, text: `${report.text.trimEnd()}\n\n${beside}` } as Report;
}

function firstLine(text: string): string {
  return splitLines(text)[0]!;
}

type Part = readonly [project: string, value: unknown];

function mergeFields(parts: readonly (readonly [project: string, fields: Values])[]): Values {
  const keys = new Set(parts.flatMap(([, fields]) => Object.keys(fields)));
  return Object.fromEntries(
    keys.values().map((key) => {
      const given = parts.map(([project, fields]): Part => [project, fields[key]])
        .filter(([, value]) => value !== undefined);
      return [key, given.length === 0 ? undefined : mergeValues(given)];
    }),
  );
}

function mergeValues(parts: readonly Part[]): unknown {
  const [, first] = parts[0]!;
  if (Array.isArray(first)) {
    return parts.flatMap(([project, items]) =>
      (items as readonly unknown[]).map((one) => inProject(project, one))
    );
  }
  if (typeof first === "number") return parts.reduce((sum, [, value]) => sum + Number(value), 0);
  if (isValues(first)) return mergeFields(parts as readonly (readonly [string, Values])[]);
  return parts.map(([project, value]) => `${project}: ${value}`).join("\n");
}

function inProject(project: string, item: unknown): unknown {
  if (!isValues(item)) return typeof item === "string" ? `${project}: ${item}` : item;
  const { stories } = item;
  return {
    project,
    ...item,
    ...(Array.isArray(stories) && { stories: stories.map((story) => inProject(project, story)) }),
  };
}

function withRows({ rows, ...fields }: Values, isByStory = false): Values {
  if (!Array.isArray(rows)) return fields;
  const told = (rows as readonly (Row & { readonly project: string })[]).map(({ project, ...row }) =>
    rowIn(project, row, isByStory)
  );
  return { ...fields, rows: told };
}

/** A story is called with its project; other rows by names that calls take. */
function rowIn(project: string, row: Row, isByStory: boolean): Row {
  const { name, about, data } = row;
  const said = isByStory ? { name: `${project}:${name}` } : { about: `${project}: ${about}` };
  return { ...row, ...said, data: { project, ...data } };
}
