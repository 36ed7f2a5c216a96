/** The projects of one server: each is opened when it is first used, and closed when nobody has used it for a while. */
import { type Config, openApp } from "../../app.ts";
import { mayUse, type Person } from "../../base/roles.ts";
import { type Clock, onAbort, once } from "../../base/work.ts";
import type { NamedTokens } from "../identity/mod.ts";
import type { SessionFiles } from "../../process/session_files.ts";
import { type Endpoint, type Journal, openCapacity, openEndpoint, rehearse } from "../mcp/mod.ts";
import type * as Pages from "../pages/mod.ts";

export interface Project extends Pages.Project {
  readonly endpoint: Endpoint;
  /** Ends when claims of revoked tokens have. */
  readonly settled?: Promise<unknown>;
  prepare(): Promise<unknown>;
  stopUpdates(): void;
}

export type Projects = ReturnType<typeof openProjects>;

const SWEEP_MS = 60_000;

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
  const configs = configsByName([config, ...config.siblings]);
  const names = [...configs.keys()];
  const opened = new Map<string, Opened>();
  const closing = new AbortController();
  const isFree = async () => {
    await silent(closing.signal);
    return !closing.signal.aborted;
  };
  let cancelSweep: (() => void) | undefined;
  const planSweep = () => cancelSweep ??= clock.after(Math.min(limits.idleMs, SWEEP_MS), sweep);
  const sweep = () => {
    cancelSweep = undefined;
    for (const [name, one] of opened) {
      const isUsed = one.uses > 0 || one.endpoint.sessions() + one.endpoint.streams() > 0;
      if (isUsed || clock.now() - one.lastUsed < limits.idleMs) continue;
      opened.delete(name);
      void shut(one).catch(journal.bug);
    }
    if (opened.size > 0) planSweep();
  };
  const shut = async ({ app, endpoint, stopUpdates }: Project) => {
    stopUpdates();
    await endpoint.close();
    await app.close();
  };
  const open = (name: string, own: Config): Opened => {
    const app = openApp(own, clock);
    const endpoint = openEndpoint(app, journal, limits, clock, keep?.(name));
    const prepare = once(() => rehearse(app, isFree).catch(journal.bug));
    const stopUpdates = app.keepCopies(journal.info);
    const project = { name, app, endpoint, prepare, stopUpdates, lastUsed: clock.now(), uses: 0 };
    opened.set(name, project);
    planSweep();
    return project;
  };
  /** What was claimed with a token that has been revoked is free. */
  const settle = (project: Opened): void => {
    const mark = tokens?.mark();
    if (tokens === undefined || mark === project.tokensMark || !project.app.config.work?.writable.length) {
      return;
    }
    project.tokensMark = mark;
    project.settled = project.app.project.work()
      .then((work) => work.endClaims((token) => !tokens.isRevoked(token))).catch(journal.bug);
  };
  const find = (wanted: string | null): Opened | undefined => {
    const name = wanted ?? names[0]!;
    const own = configs.get(name);
    const project = own && (opened.get(name) ?? open(name, own));
    if (project !== undefined) {
      project.lastUsed = clock.now();
      settle(project);
    }
    return project;
  };
  return {
    names,
    find,
    opened: (): readonly Project[] => [...opened.values()],
    hold: (name: string, ended: AbortSignal): void => {
      const project = opened.get(name);
      if (project === undefined) return;
      project.uses++;
      onAbort(ended, () => {
        project.uses--;
        project.lastUsed = clock.now();
      });
    },
    for: (person: Person | undefined): Pages.Projects<Project> => {
      if (person === undefined) return { names, find };
      const own = names.filter((name) => mayUse(person, name));
      return {
        names: own,
        find: (wanted) => {
          const name = wanted ?? own[0];
          const project = name !== undefined && own.includes(name) ? find(name) : undefined;
          return project && { ...project, app: project.app.forPerson(person) };
        },
      };
    },
    close: async (): Promise<void> => {
      cancelSweep?.();
      closing.abort();
      await Promise.all(opened.values().map(shut));
    },
  };
}

interface Opened extends Project {
  lastUsed: number;
  uses: number;
  tokensMark?: string;
  settled?: Promise<unknown>;
}

/** By the names of their folders, with as much of the path above as tells them apart, so that the order does not matter. */
function configsByName(all: readonly Config[]): ReadonlyMap<string, Config> {
  const paths = all.map(({ project }) => project?.split(/[\\/]/).filter(Boolean) ?? ["default"]);
  const ends = (path: readonly string[], count: number) => path.slice(-count).join("/");
  const nameOf = (path: readonly string[]) => {
    const isTold = (count: number) =>
      paths.filter((other) => ends(other, count) === ends(path, count)).length === 1;
    const count = path.keys().map((at) => at + 1).find(isTold) ?? path.length;
    return ends(path, count);
  };
  return new Map(all.map((config, at) => [nameOf(paths[at]!), config]));
}
