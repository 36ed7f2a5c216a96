import { renderDuration } from "../../base/time.ts";
import {
  type App,
  type CachedRepository,
  clearCopies,
  clearFailures,
  listCache,
  pinnedName,
  repositoryName,
  type Row,
} from "../../app.ts";
import { actionNamed } from "../../operations/mod.ts";
import { type GitLocation, hideCredentials, parseGitLocation } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import { failMissing, forbid } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import { listed } from "./output.ts";
import type { Answer, Session } from "./session.ts";

export async function cache({ host, open, invocation }: Session): Promise<Answer> {
  const { operands: [word = "", ...names] } = invocation;
  const { run, ifEmpty } = ACTIONS[actionNamed("cache", word)];
  const app = await open();
  const { git } = app.config;
  if (git === undefined) {
    return forbid("find the cache", "the home folder is unknown. Name the cache with --git-cache");
  }
  const rows = await run({ now: host.now(), app, cache: git.cache, names });
  const failed = rows.find(({ data }) => data["outcome"] === "failed");
  if (rows.length === 0) host.writeErr(`${ifEmpty} (${git.cache}).\n`);
  return {
    ...listed(rows, "copies"),
    ...(failed && {
      failure: { code: "origin-unavailable", origin: failed.name, reason: String(failed.data["problem"]) },
    }),
  };
}

interface Request {
  readonly now: number;
  readonly app: App;
  readonly cache: string;
  readonly names: readonly string[];
}

interface CacheAction {
  readonly ifEmpty: string;
  run(request: Request): Promise<readonly Row[]>;
}

const ACTIONS: Readonly<Record<ReturnType<typeof actionNamed<"cache">>, CacheAction>> = {
  list: {
    ifEmpty: "No repository is cached",
    run: async ({ now, app, cache, names }) => {
      const configured = [...configuredNames(app), ...await pinnedNames(app)];
      const all = choose(await listCache(cache), names, ({ name }) => name);
      return all.map((one) => rowOf(one, now, configured.includes(one.name)));
    },
  },
  update: {
    ifEmpty: "No repository is configured",
    run: async ({ app, names }) => {
      if (app.config.git?.offline) {
        forbid("fetch repositories", "--offline is set");
      }
      const chosen = choose(configuredNames(app), names.map(nameOf), (name) => name);
      const only = (one: GitLocation) => chosen.includes(repositoryName(one));
      const updates = await app.updateCopies({ force: true, only });
      return updates.map(({ location, update }): Row => {
        const { outcome, copy } = update;
        const problem = update.outcome === "failed" ? update.problem : undefined;
        const about = problem === undefined
          ? `${outcome}, commit ${copy?.commit.slice(0, 10)}`
          : `failed: ${problem}`;
        return { name: location, about, data: { name: location, outcome, commit: copy?.commit, problem } };
      });
    },
  },
  clear: {
    ifEmpty: "Nothing to remove",
    run: async ({ cache, names }) => {
      if (names.length === 0) await clearFailures(cache);
      const chosen = choose(await listCache(cache), names, ({ name }) => name);
      return await Array.fromAsync(chosen, async (one): Promise<Row> => {
        const { name, size } = one;
        const removed = await clearCopies(cache, one);
        const about = removed ? `removed, ${renderSize(size)}` : "skipped: another process is fetching it";
        return { name, about, data: { name, size, removed } };
      });
    },
  },
};

function nameOf(address: string): string {
  const location = parseGitLocation(address);
  return location instanceof Invalid ? address : repositoryName(location);
}

function choose<T>(all: readonly T[], names: readonly string[], nameOf: (one: T) => string): readonly T[] {
  const known = all.map(nameOf);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) {
    return names.length === 0 ? all : all.filter((one) => names.includes(nameOf(one)));
  }
  const suggestions = suggest(unknown, known.map((name) => ({ label: name, spellings: [name] })));
  return failMissing("repository", hideCredentials(unknown), { suggestions });
}

function configuredNames({ config }: App): readonly string[] {
  const names = config.origins.flatMap(({ access }) =>
    access.via === "git" ? [repositoryName(access.repository)] : []
  );
  return [...new Set(names)];
}

function pinnedNames({ config }: App): Promise<readonly string[]> {
  return Promise.all(
    config.origins.flatMap(({ access }) =>
      access.via === "pinned" && access.pin !== undefined ? [pinnedName(access.source, access.pin)] : []
    ),
  );
}

function rowOf({ name, copy, folders, size, failure }: CachedRepository, now: number, configured: boolean) {
  const facts = [
    `commit ${copy.commit.slice(0, 10)}`,
    `fetched ${renderDuration(now - copy.fetched)} ago`,
    renderSize(size),
    ...(configured ? [] : ["not configured"]),
    ...(failure === undefined ? [] : [`the last fetch failed: ${failure.problem}`]),
  ];
  const data = {
    name,
    commit: copy.commit,
    fetched: new Date(copy.fetched).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - copy.fetched) / 1_000)),
    size,
    folder: copy.folder,
    copies: folders.length,
    configured,
    problem: failure?.problem,
  };
  return { name, about: facts.join(", "), data };
}

function renderSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
