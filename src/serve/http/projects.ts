/**
 * The projects of one server: each has its own library and endpoint, opened when it is first used.
 */
import { type Clock, once } from "../../base/work.ts";
import { type Config, openApp } from "../../app.ts";
import { type Endpoint, type Journal, openEndpoint, rehearse, type SessionLimits } from "../mcp/mod.ts";
import type * as Pages from "../pages/mod.ts";

/** A project, and what answers its clients. */
export interface Project extends Pages.Project {
  readonly endpoint: Endpoint;
  /** Prepares what the next calls need, once, while no request is under way. */
  prepare(): Promise<unknown>;
  /** Stops updating its copies of repositories. */
  stopUpdates(): void;
}

export interface Projects extends Pages.Projects<Project> {
  /** Those that were used so far. */
  opened(): readonly Project[];
  close(): Promise<void>;
}

/**
 * The projects of a configuration and its siblings. Nothing is read before the first request. `silent` waits until no
 * request has been under way for a while.
 */
export function openProjects(
  config: Config,
  journal: Journal,
  limits: Omit<SessionLimits, "taken">,
  clock: Clock,
  silent: (closed: AbortSignal) => Promise<void>,
): Projects {
  const configs = configsByName([config, ...config.siblings]);
  const names = [...configs.keys()];
  const opened = new Map<string, Project>();
  const closing = new AbortController();
  const isFree = async () => {
    await silent(closing.signal);
    return !closing.signal.aborted;
  };
  const taken = () =>
    opened.values().reduce((sum, { endpoint }) => sum + endpoint.sessions() + endpoint.streams(), 0);
  const open = (name: string, own: Config): Project => {
    const app = openApp(own, clock);
    const endpoint = openEndpoint(app, journal, { ...limits, taken }, clock);
    const prepare = once(() => rehearse(app, isFree).catch(journal.bug));
    const project = { name, app, endpoint, prepare, stopUpdates: app.keepCopies(journal.info) };
    opened.set(name, project);
    return project;
  };
  return {
    names,
    find: (wanted) => {
      const name = wanted ?? names[0]!;
      const own = configs.get(name);
      return own && (opened.get(name) ?? open(name, own));
    },
    opened: () => [...opened.values()],
    close: async () => {
      closing.abort();
      for (const { stopUpdates } of opened.values()) stopUpdates();
      await Promise.all(opened.values().map(({ endpoint }) => endpoint.close()));
      await Promise.all(opened.values().map(({ app }) => app.close()));
    },
  };
}

/** By the names of their folders; folders of the same name are numbered. */
function configsByName(all: readonly Config[]): ReadonlyMap<string, Config> {
  const configs = new Map<string, Config>();
  for (const config of all) {
    const base = config.project?.split(/[\\/]/).filter(Boolean).at(-1) ?? "default";
    let name = base;
    for (let n = 2; configs.has(name); n++) name = `${base}-${n}`;
    configs.set(name, config);
  }
  return configs;
}
