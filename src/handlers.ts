import { command, NO_COMMAND } from "./base/text.ts";
import type {
  App,
  Findings,
  ListRequest,
  NameQuery,
  Projects,
  QuestionCalls,
  Report,
  ReviewCalls,
  Row,
  SearchRequest,
  WriteCalls,
} from "./app.ts";
import { fail } from "./base/errors.ts";
import { demand, refusalFor, whyReadOnly } from "./base/people.ts";
import { type Arguments, changes, type Operation, OPERATIONS, type WorkOperation } from "./operations/mod.ts";

export type WorkCalls = WriteCalls & ReviewCalls & QuestionCalls;

export interface Caller {
  readonly app: App;
  callsOn(app: App): WorkCalls;
  /** A model also gets what costs more to find out. */
  readonly isModel?: true;
  /** Gets what is next with the end of a piece of work. */
  readonly goesOn?: boolean;
}

interface Asking extends Pick<Caller, "app" | "isModel" | "goesOn"> {
  readonly calls: WorkCalls;
}

type Handler<N extends WorkOperation> = (asking: Asking, args: Arguments<N>) => Promise<unknown>;

const HANDLERS = {
  next: async (asking, { all, ...request }) => {
    if (!all) return await (await asking.app.project.work()).next(asking.calls, request);
    const { rows, data } = await stepsIn(asking, request);
    const text = rows.map(({ name, about }) => `- ${name}: ${about}`).join("\n");
    return { text, rows, data: { ...data, items: rows.map(({ data }) => data), total: rows.length } };
  },
  board: async ({ app, calls }) => (await app.project.work()).board(calls),
  show: async ({ app }, { story }) => (await app.project.work()).show(story),
  check: async ({ app, calls }, { story }) => (await app.project.work()).check(story, calls),
  trace: async ({ app, isModel }, { story, stale }) =>
    (await app.project.work()).trace(story, stale || isModel),
  context: async ({ app }, { story, budget }) => (await app.project.work()).context(story, budget),
  review: async ({ app, calls }, { story, lens }) =>
    (await app.project.work()).review(story, calls, lens.length > 0 ? lens : undefined),
  finding: async ({ app, calls }, { line, force, file, ...request }) => {
    const place = file === undefined || line === undefined || /:\d/.test(file) ? file : `${file}:${line}`;
    return await (await app.project.work()).finding({ ...request, file: place, isForced: force }, calls);
  },
  evidence: async ({ app }, request) => (await app.project.work()).evidence(request),
  ask: async ({ app, calls }, { text: question, ...request }) =>
    (await app.project.work()).ask({ ...request, question }, calls),
  answer: async ({ app, calls }, { number, text, by }) => {
    const work = await app.project.work();
    return number === undefined || text === undefined
      ? await work.questions(calls, number)
      : await work.answer({ number, text, by });
  },
  mark: async ({ app, calls, goesOn }, { status = "", force, task, ...given }) => {
    const work = await app.project.work();
    const request = { ...given, status, isForced: force };
    return task === undefined
      ? await work.mark(request, goesOn ? calls : undefined)
      : await work.tick({ ...request, task });
  },
  claim: async ({ app }, { force, ...request }) =>
    (await app.project.work()).claim({ ...request, isForced: force }),
  release: async ({ app }, { force, ...request }) =>
    (await app.project.work()).release({ ...request, isForced: force }),
  plan: async ({ app, calls, goesOn }, { force, ...request }) =>
    (await app.project.work()).plan({ ...request, isForced: force }, goesOn ? calls : undefined),
  reconcile: async ({ app }) => (await app.project.work()).reconcile(),
  script: async ({ app }, { script, skill }) => (await app.project.work()).scripts(script, { skill }),
} satisfies { readonly [N in WorkOperation]: Handler<N> };

interface Steps {
  readonly rows: readonly Row[];
  readonly data: Report["data"];
}

export function dataOf(name: WorkOperation, { data }: Pick<Report, "data">): Report["data"] {
  const { items }: Operation = OPERATIONS[name];
  return items === undefined ? data : asItems(data, items);
}

export function asItems(data: Report["data"], ...names: readonly string[]): Report["data"] {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [names.includes(key) ? "items" : key, value]),
  );
}

export function itemsIn(rows: readonly Row[], limit?: number) {
  const items = rows.slice(0, limit).map(({ data, record }) => ({ ...data, ...record }));
  return { items, total: rows.length };
}

export async function listRows(caller: Caller, { what, ...filter }: ListRequest): Promise<Steps> {
  if (what.trim().toLowerCase() === "next") return await listSteps(caller, filter);
  return { rows: await caller.app.list({ what, ...filter }), data: {} };
}

const MAX_FOUND = 50;

export async function findGroups(app: App, request: SearchRequest) {
  const found = await findAll(app, request);
  const { stories, documents, memories, items, isItemMeant } = found;
  const files = await found.files();
  const groups = { ...(isItemMeant && { items }), stories, documents, memories, items, files };
  const data = (limit?: number) => ({
    ...Object.fromEntries(
      Object.entries(groups).map(([name, rows]) => [name, itemsIn(rows, limit ?? MAX_FOUND).items]),
    ),
    ...itemsIn(items, limit),
  });
  return { found, groups, data };
}

export async function readLog(app: App, story: string | undefined, limit = Infinity) {
  const { path, entries = [], rows } = await (await app.project.work()).log(story) ?? {};
  const from = Math.max(0, entries.length - limit);
  const data = { items: entries.slice(from), total: entries.length, ...(path && { journal: path }) };
  return { path, rows: rows?.slice(from), data };
}

type StepsRequest = Omit<Arguments<"next">, "all"> & Omit<ListRequest, "what">;

export async function listSteps({ app, callsOn }: Caller, request: StepsRequest = {}): Promise<Steps> {
  const list = (app: App) => stepsIn({ app, calls: callsOn(app) }, request);
  const projects = undecided(app);
  if (projects === undefined) return await list(app);
  const { askAll, joinReports } = await import("./projects.ts");
  const joined = await askAll(projects, async (app) => ({ text: "", ...await list(app) }));
  return joinReports("list", joined) as unknown as Steps;
}

async function stepsIn({ app, calls }: Asking, { by, count, ...filter }: StepsRequest): Promise<Steps> {
  const rows = await app.list({ what: "next", ...filter });
  if (app.config.kit === undefined) return { rows, data: {} };
  return { rows, data: (await (await app.project.work()).next(calls, { by, count })).data };
}

export async function findAll(app: App, request: SearchRequest): Promise<Findings> {
  const projects = undecided(app);
  if (projects === undefined) return await app.find(request);
  const { searchAll } = await import("./projects.ts");
  return await searchAll(app, projects, request);
}

/** Where a named item is meant: what is executed works in one project. */
export async function placeOfItem(
  app: App,
  what: "execute" | "read",
  query: NameQuery,
  isModel?: true,
): Promise<App> {
  const projects = undecided(app);
  if (projects === undefined) return app;
  const { ownerOfItem } = await import("./projects.ts");
  return await ownerOfItem(app, projects, { what, query, isModel, isNeeded: what === "execute" });
}

/** A request that names none may be about any of them. */
export function undecided({ projects }: App): Projects | undefined {
  return projects?.current === undefined ? projects : undefined;
}

type Answers = { readonly [N in WorkOperation]: Awaited<ReturnType<typeof HANDLERS[N]>> };

export async function runOperation<N extends WorkOperation>(
  name: N,
  caller: Caller,
  args: Arguments<N>,
): Promise<Answers[N]> {
  const { projects } = caller.app;
  const runIn = (app: App, own = args) => runHere(name, { ...caller, app, calls: caller.callsOn(app) }, own);
  if (projects === undefined) return await runIn(caller.app);
  const { askAll, joinReports, listOthers, routeOf } = await import("./projects.ts");
  const row: Operation = OPERATIONS[name];
  const { story } = args as { readonly story?: string };
  const isChange = changes(row, args);
  const isForAll = row.spansProjects === true && !isChange;
  const asked = { what: name, story, isForAll, isChange, isModel: caller.isModel };
  const route = await routeOf(caller.app, projects, asked);
  if (route === undefined) {
    const answers = await askAll(projects, (app) => runIn(app) as Promise<Report>);
    const broken = caller.app.config.projects?.broken ?? [];
    const left = broken.map(({ path, reason }) => ({ project: path, problem: `it ${reason}` }));
    return joinReports(name, [...answers, ...left]) as Answers[N];
  }
  const answer = await runIn(route.app, story === undefined ? args : { ...args, story: route.story });
  return (name === "board" || name === "next") && route.app === caller.app
    ? listOthers(answer as Report, projects) as Answers[N]
    : answer;
}

async function runHere<N extends WorkOperation>(name: N, asking: Asking, args: Arguments<N>) {
  const { app: { config }, isModel } = asking;
  const { settings, person } = config;
  const row: Operation = OPERATIONS[name];
  // A script decides by its own arguments whether it writes.
  const isChange = name !== "script" && changes(row, args);
  if (settings.readOnly && isChange) {
    const what = row.changes === true ? name : `${name} with ${row.changes![0]}`;
    const hint = isModel || person !== undefined ? whyReadOnly(person) : "--read-only allows no change";
    fail({ code: "not-allowed", what, hint, isRight: true });
  }
  if (!config.mayChange && isChange) {
    const option = command`--project ${config.project!}` ?? NO_COMMAND;
    const hint = isModel
      ? `this server only reads here; the user can start it with ${option}`
      : `only its own start may change it: run it in that folder, or with ${option}`;
    fail({ code: "not-allowed", what: `${name} in ${config.name}`, hint, isRight: true });
  }
  for (const [key, { right }] of Object.entries(row.params)) {
    const isGiven = (args as Readonly<Record<string, unknown>>)[key] === true;
    if (right !== undefined && person !== undefined && isGiven) demand(person, right, `${key} it`);
  }
  const handler = HANDLERS[name] as unknown as Handler<N>;
  try {
    return await handler(asking, args) as Answers[N];
  } catch (error) {
    throw refusalFor(error, person, row.params["force"]?.right);
  }
}

export type Spell = (operation: WorkOperation, args: Readonly<Record<string, unknown>>) => string;

/** Only calls that can be made on the surface. */
export function spellCalls(
  spell: Spell,
  { execute, force, reads, writes }: Pick<WorkCalls, "execute" | "force"> & {
    readonly reads: boolean;
    readonly writes: boolean;
  },
): WorkCalls {
  const review = (story: string) => spell("review", { story });
  return {
    execute,
    force,
    review,
    ...(reads && {
      check: (story: string) => spell("check", { story }),
      trace: (story: string) => spell("trace", { story, stale: true }),
    }),
    ...(writes && {
      mark: (story: string, status: string, by?: string, reason?: string) =>
        spell("mark", { story, status, by, reason }),
      claim: (story: string, by?: string) => spell("claim", { story, by }),
      plan: () => spell("plan", {}),
      reconcile: () => spell("reconcile", {}),
      accept: (story: string) => spell("mark", { story, status: "done", reason: "WHY" }),
      answer: (number: number) => spell("answer", { number, text: "TEXT" }),
      begin: (story: string) => spell("review", { story, lens: "NAME" }),
      record: (story: string) =>
        spell("finding", { story, text: "TEXT", severity: "high", file: "FILE:LINE" }),
      settle: (story: string, id: string, verdict: string, reason?: string) =>
        spell("finding", { story, text: id, verdict, reason }),
    }),
  };
}
