/**
 * The projects of one server: each has a library and an endpoint of its own, opened when it is first asked for.
 */
import type { Clock } from "../../base/work.ts";
import { type App, type Config, openApp } from "../../app.ts";
import { type Endpoint, type Journal, openEndpoint, type SessionLimits } from "../mcp/mod.ts";

/** One project. */
export interface Project {
  /** By which requests choose it: the name of its folder. */
  readonly name: string;
  readonly app: App;
  readonly endpoint: Endpoint;
  /** Ends the keeping of its copies of repositories. */
  letCopiesAge(): void;
}

/** All projects that are served. */
export interface Projects {
  /** The first is the one of requests that name none. */
  readonly names: readonly string[];
  /** The project of a name; undefined when there is none. */
  find(name: string | null): Project | undefined;
  /** Those that somebody has asked for so far. */
  opened(): readonly Project[];
  close(): Promise<void>;
}

/** The projects of a configuration and its siblings. Nothing is read before somebody asks. */
export function openProjects(
  config: Config,
  journal: Journal,
  limits: Omit<SessionLimits, "taken">,
  clock: Clock,
): Projects {
  const configs = new Map<string, Config>();
  for (const each of [config, ...config.siblings]) {
    const base = each.project?.split(/[\\/]/).filter(Boolean).at(-1) ?? "default";
    let name = base;
    for (let n = 2; configs.has(name); n++) name = `${base}-${n}`;
    configs.set(name, each);
  }
  const names = [...configs.keys()];
  const opened = new Map<string, Project>();
  const taken = () =>
    opened.values().reduce((sum, { endpoint }) => sum + endpoint.sessions() + endpoint.streams(), 0);
  return {
    names,
    find: (wanted) => {
      const name = wanted ?? names[0]!;
      const own = configs.get(name);
      if (own === undefined) return undefined;
      let project = opened.get(name);
      if (project === undefined) {
        const app = openApp(own, clock);
        project = {
          name,
          app,
          endpoint: openEndpoint(app, journal, { ...limits, taken }, clock),
          letCopiesAge: app.keepCopies(journal.info),
        };
        opened.set(name, project);
      }
      return project;
    },
    opened: () => [...opened.values()],
    close: async () => {
      for (const { letCopiesAge } of opened.values()) letCopiesAge();
      await Promise.all(opened.values().map(({ endpoint }) => endpoint.close()));
      await Promise.all(opened.values().map(({ app }) => app.close()));
    },
  };
}
