import type { Config } from "../../app.ts";
import { mayUse, type Person } from "../../base/roles.ts";
import { type Clock, onAbort, once } from "../../base/work.ts";
import type { SessionFiles } from "../../process/session_files.ts";
import { type OpenProject, openProjects as openAll } from "../../projects.ts";
import type { NamedTokens } from "../identity/mod.ts";
import { type Endpoint, type Journal, openCapacity, openEndpoint, rehearse } from "../mcp/mod.ts";
import type * as Pages from "../pages/mod.ts";

export interface Project extends Pages.Project, OpenProject {
  readonly endpoint: Endpoint;
  settled?: Promise<unknown>;
  tokensMark?: string;
  prepare(): Promise<unknown>;
}

export type Projects = ReturnType<typeof openProjects>;

const SETTLE_MS = 1_000;

export function openProjects(
  config: Config,
  journal: Journal,
  clock: Clock,
  silent: (closed: AbortSignal) => Promise<void>,
  keep?: (project: string) => SessionFiles,
  tokens?: Pick<NamedTokens, "isRevoked" | "mark">,
) {
  const { httpSessions, httpRequests, httpIdle } = config.settings;
  const limits = { capacity: openCapacity(httpSessions), requests: httpRequests, idleMs: httpIdle * 1_000 };
  const closing = new AbortController();
  const isFree = async () => {
    await silent(closing.signal);
    return !closing.signal.aborted;
  };
  const all = openAll<Project>(config, clock, {
    idleMs: limits.idleMs,
    bug: journal.bug,
    open: (name, app) => {
      const endpoint = openEndpoint(app, journal, limits, clock, keep?.(name));
      const stopUpdates = app.keepCopies(journal.info);
      return {
        name,
        app,
        endpoint,
        prepare: once(() => rehearse(app, isFree).catch(journal.bug)),
        isUsed: () => endpoint.sessions() + endpoint.streams() > 0,
        close: async () => {
          stopUpdates();
          await endpoint.close();
        },
      };
    },
  });
  const { home, names } = all;
  /** What was claimed with a token that has been revoked is free. */
  const settle = (project: Project): void => {
    const mark = tokens?.mark();
    if (tokens === undefined || mark === project.tokensMark || !project.app.config.work?.writable.length) {
      return;
    }
    project.tokensMark = mark;
    project.settled = project.app.project.work()
      .then((work) => work.endClaims((token) => !tokens.isRevoked(token))).catch(journal.bug);
  };
  /** Also where nobody asks: others see the claims without this server. */
  let cancelNext = () => {};
  const settleAll = (): void => {
    all.opened().forEach(settle);
    cancelNext = clock.after(SETTLE_MS, settleAll);
  };
  if (tokens !== undefined) settleAll();
  const find = (wanted: string | null): Project | undefined => {
    const project = all.find(wanted ?? home);
    if (project !== undefined) settle(project);
    return project;
  };
  return {
    get names() {
      return names();
    },
    home,
    find,
    opened: all.opened,
    hold: (name: string, ended: AbortSignal): void => void onAbort(ended, all.hold(name)),
    for: (person: Person | undefined): Pages.Projects<Project> => {
      if (person === undefined) return { names: names(), home, find };
      const own = names().filter((name) => mayUse(person, name));
      const open = !config.isCurrent && own.length > 0 ? [home, ...own] : own;
      const first = open[0] ?? "";
      return {
        names: own,
        home: first,
        find: (wanted) => {
          const name = wanted ?? first;
          const project = open.includes(name) ? find(name) : undefined;
          return project && { ...project, app: project.app.forPerson(person) };
        },
      };
    },
    close: async (): Promise<void> => {
      closing.abort();
      cancelNext();
      await all.close();
    },
  };
}
