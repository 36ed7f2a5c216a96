/**
 * `bmad-mcp cache`: lists, updates and clears the cached copies of git repositories.
 */
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
import { actionNamed, type Invocation } from "../../operations/mod.ts";
import { type GitLocation, hideCredentials, parseGitLocation } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import { fail } from "../../base/errors.ts";
import { suggest } from "../../base/suggestions.ts";
import type { Host } from "../../process/host.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

type Action = "list" | "update" | "clear";

export async function cache(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const [word = "", ...names] = operands;
  const action = actionNamed("cache", word);
  const { git } = app.config;
  if (git === undefined) {
    const hint = "the home folder is unknown. Name the cache with --git-cache";
    return fail({ code: "not-allowed", what: "find the cache", hint });
  }
  const rows = await ACTIONS[action](host, app, git.cache, names);
  if (options.json) printJson(host, { items: rows.map(({ data }) => data), total: rows.length });
  else await printRows(host, rows, columnsOf("copies"));
  if (rows.length === 0) host.writeErr(`${IF_EMPTY[action]} (${git.cache}).\n`);
  const failed = rows.find(({ data }) => data["outcome"] === "failed");
  if (failed === undefined) return;
  fail({ code: "origin-unavailable", origin: failed.name, reason: String(failed.data["problem"]) });
}

const IF_EMPTY: Readonly<Record<Action, string>> = {
  list: "No repository is cached",
  update: "No repository is configured",
  clear: "Nothing to remove",
};

type Act = (host: Host, app: App, cache: string, names: readonly string[]) => Promise<readonly Row[]>;

const ACTIONS: Readonly<Record<Action, Act>> = {
  list: async (host, app, cache, names) => {
    const configured = [...configuredNames(app), ...await pinnedNames(app)];
    const all = choose(await listCache(cache), names, ({ name }) => name);
    return all.map((one) => rowOf(one, host.now(), configured.includes(one.name)));
  },
  update: async (_host, app, _cache, names) => {
    if (app.config.git?.offline) {
      fail({ code: "not-allowed", what: "fetch repositories", hint: "--offline is set" });
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
  clear: async (_host, _app, cache, names) => {
    if (names.length === 0) await clearFailures(cache);
    const rows: Row[] = [];
    for (const one of choose(await listCache(cache), names, ({ name }) => name)) {
      const { name, size } = one;
      const removed = await clearCopies(cache, one);
      const about = removed ? `removed, ${renderSize(size)}` : "skipped: another process is fetching it";
      rows.push({ name, about, data: { name, size, removed } });
    }
    return rows;
  },
};

/** The name of the repository that an address means, whatever folder of it. */
function nameOf(address: string): string {
  const location = parseGitLocation(address);
  return location instanceof Invalid ? address : repositoryName(location);
}

function choose<T>(all: readonly T[], names: readonly string[], nameOf: (one: T) => string): readonly T[] {
  const unknown = names.find((name) => !all.some((one) => nameOf(one) === name));
  if (unknown !== undefined) {
    const known = all.map((one) => ({ label: nameOf(one), spellings: [nameOf(one)] }));
    return fail({
      code: "not-found",
      what: "repository",
      name: hideCredentials(unknown),
      suggestions: suggest(unknown, known),
    });
  }
  return names.length === 0 ? all : all.filter((one) => names.includes(nameOf(one)));
}

function configuredNames({ config }: App): readonly string[] {
  const names = config.origins.flatMap(({ access }) =>
    access.via === "git" ? [repositoryName(access.repository)] : []
  );
  return [...new Set(names)];
}

async function pinnedNames({ config }: App): Promise<readonly string[]> {
  return await Promise.all(
    config.origins.flatMap(({ access }) =>
      access.via === "pinned" && access.pin !== undefined ? [pinnedName(access.source, access.pin)] : []
    ),
  );
}

function rowOf(
  { name, copy, folders, size, failure }: CachedRepository,
  now: number,
  configured: boolean,
): Row {
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
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${
    ["B", "KiB", "MiB", "GiB", "TiB"][power]
  }`;
}
