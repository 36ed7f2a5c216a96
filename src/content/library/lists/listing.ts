/** Everything that can be listed, as rows that every surface shows in its own way. */
import { visibleEntries } from "../../catalog/mod.ts";
import { failField, failUnknown } from "../../../base/errors.ts";
import { suggest } from "../../../base/suggestions.ts";
import { counted } from "../../../base/text.ts";
import {
  type CopyFacts,
  type Entry,
  hasKind,
  isSupporting,
  type Kind,
  qualifiedName,
} from "../../../base/model.ts";
import { listFiles } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { type Filter, filterOf, lazyRowOf, type Order, type Row } from "../rows/row.ts";
import { displayPath, type Library, onlyOrigin } from "../library.ts";
import { readAuthors } from "../entry_facts.ts";
import { isNamed } from "../standby.ts";
import { asValues } from "../../../base/values.ts";
import { offersOf } from "../rows/in_force.ts";
import { renderTime } from "../../../base/time.ts";
import type { Work } from "../../../base/work.ts";
import { originsOf } from "../overview.ts";
import { checkModule, checkOrigin } from "./resolution.ts";
import { supportingEntries } from "../files/supporting.ts";
import { LIMITS } from "../../limits.ts";

export interface ListRequest extends Omit<Filter, "kind"> {
  readonly what: string;
  readonly origin?: string;
  readonly pattern?: string;
  readonly isContinued?: boolean;
}

interface ListContext extends Work {
  readonly order?: Order;
  readonly useOf?: (entry: Entry) => { readonly count: number; readonly last: number } | undefined;
  readonly next?: (library: Library, filter: Filter) => Promise<readonly Row[]>;
}

type Rows = readonly Row[] | Promise<readonly Row[]>;
type Lister = (library: Library, request: ListRequest, context: ListContext) => Rows;

const KINDS = ["agent", "workflow", "task", "tool", "skill", "team", "template", "checklist"] as const;

const LISTS: Readonly<Record<string, Lister>> = {
  ...Object.fromEntries(KINDS.map((kind) => [`${kind}s`, ofKind(kind)])),
  knowledge: ofKind("knowledge"),
  config: async (library, request, context) => [
    ...await ofKind("config")(library, request, context),
    ...await listValues(library, request.module),
  ],
  modules: listModules,
  resources: listResources,
  sources: listSources,
  conflicts: async (library, _, work) =>
    (await import("../health/conflicts.ts")).listConflicts(library, work),
  doctor: async (library, _, { next, ...work }) => {
    const { listHealth } = await import("../health/doctor.ts");
    return await listHealth(library, listSources(library), await next?.(library, {}) ?? [], work);
  },
  next: async (library, request, { next }) => await next?.(library, request) ?? [],
  usage: listUsage,
};

export const LISTABLE: readonly string[] = Object.keys(LISTS);

export async function listLibrary(
  library: Library,
  request: ListRequest,
  context: ListContext = {},
): Promise<readonly Row[]> {
  const what = request.what.trim().toLowerCase();
  const name = [what, `${what}s`].find((name) => Object.hasOwn(LISTS, name));
  if (name === undefined) failUnknown("list", request.what, LISTABLE, suggest(what, LISTABLE));
  // Some lists ignore the filter; an invalid one fails all the same.
  filterOf(request);
  const { origin, module } = request;
  if (module) checkModule(origin === undefined ? library : library.whole, module);
  const list = LISTS[name]!;
  if (origin === undefined) return await list(library, request, context);
  checkOrigin(library, origin);
  const view = ["conflicts", "doctor"].includes(name) ? library.whole : onlyOrigin(library, origin);
  const rows = await list(view, request, context);
  // These are of that origin alone, but a row that says "all done" has no origin.
  if (name === "next") return rows;
  return rows.filter(({ data: { origin: of, id, wins, shadowed = [] } }) =>
    [of, id, wins, ...shadowed as readonly string[]].includes(origin)
  );
}

function ofKind(kind: Kind): Lister {
  return async (library, request, { order = (entries) => entries }) => {
    // Agents offer workflows and are not offered themselves.
    const offers = kind === "agent" ? () => [] : await offersOf(library);
    await readAuthors(library);
    const passes = filterOf({ ...request, kind });
    const supporting = isSupporting(kind) ? supportingEntries(library) : [];
    const entries = [...library.visible, ...supporting].filter(passes);
    return order(entries).map((entry) => lazyRowOf(library, entry, offers));
  };
}

async function listValues(library: Library, only?: string): Promise<readonly Row[]> {
  const { explainConfig, resolveConfig } = await import("../values/config.ts");
  const { core, modules } = resolveConfig(library);
  const tables = Object.entries({ core, ...asValues(modules) })
    .filter(([module]) => !only || module === only.toLowerCase());
  return tables.flatMap(([module, values]) => {
    const facts = new Map(explainConfig(library, module).map((fact) => [fact.key, fact]));
    return Object.entries(asValues(values)).map(([key, value]): Row => {
      const file = facts.get(key)?.file;
      const source = file === undefined ? "default" : displayPath(file);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return {
        name: `${module}/${key}`,
        about: `${text} (${source})`,
        data: { name: key, module, kind: "config", value, source, origin: file?.source.origin.id },
      };
    });
  });
}

function listModules(library: Library): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { origin, inventory } of library.sources) {
    for (const { code, name, description, version } of inventory.modules) {
      if (rows.has(code)) continue;
      const of = library.effective.filter((entry) => entry.module === code);
      const agents = of.filter((entry) => hasKind(entry, "agent")).length;
      const others = visibleEntries(of).length - agents;
      const counts = `${counted(agents, "agent")}, ${counted(others, "other item")}`;
      rows.set(code, {
        name: code,
        about: `${name}${version === undefined ? "" : ` ${version}`}: ${counts} (${origin.id})`,
        data: { name: code, title: name, description, version, agents, others, origin: origin.id },
      });
    }
  }
  return [...rows.values()];
}

async function listResources(library: Library, { module, pattern }: ListRequest): Promise<readonly Row[]> {
  const { listGenerated } = await import("../delivery/resources.ts");
  const generated = listGenerated(library)
    .map((facts): Row => ({ name: facts.uri, about: facts.title, data: facts }));
  const files = listFiles(library).map(({ uri, mimeType, facts, source }): Row => ({
    name: uri,
    about: `${facts.size} bytes`,
    data: { uri, mimeType, size: facts.size, origin: source.origin.id },
  }));
  const matches = pattern === undefined ? () => true : globMatcher(pattern);
  return [...generated, ...files].filter(({ name: uri }) =>
    matches(uri.slice(SCHEME.length)) &&
    (!module || uri.toLowerCase().startsWith(`${SCHEME}${module}/`.toLowerCase()))
  );
}

function listUsage(library: Library, request: ListRequest, { useOf }: ListContext): readonly Row[] {
  const used = library.effective.filter(filterOf(request)).flatMap((entry) => {
    const use = useOf?.(entry);
    return use === undefined ? [] : [{ entry, ...use }];
  });
  return used.toSorted((a, b) => b.count - a.count || b.last - a.last).map(({ entry, count, last }) => {
    const { name, id, module, kind, origin } = entry;
    return {
      name: qualifiedName(entry),
      about: `used ${counted(count, "time")}, last ${renderTime(last)}`,
      data: { name, id, module, kind, origin: origin.id, count, last: new Date(last).toISOString() },
    };
  });
}

function listSources(library: Library): readonly Row[] {
  return originsOf(library).map(({ origin, roots, things, changed, ...facts }) => {
    const { copy, isStandby } = facts;
    const layouts = roots.map((root) => `${root.layout} ${root.version ?? ""}`.trim());
    const kinds = layouts.length > 0 ? ` (${[...new Set(layouts)].join(", ")})` : "";
    const reason = isNamed(origin) ? "its folder is served already" : "BMAD is installed";
    const about = [
      `priority ${origin.priority}, ${counted(things, "item")}${kinds}: ${origin.location}`,
      ...(copy === undefined ? [] : [describeCopy(copy)]),
      ...(isStandby ? [`on standby because ${reason}`] : []),
    ].join(", ");
    const date = changed === undefined ? null : new Date(changed).toISOString();
    return { name: origin.id, about, data: { ...origin, ...facts, roots, things, changed: date } };
  });
}

function describeCopy({ commit, version, fetched, problem }: CopyFacts): string {
  const pinned = version === undefined ? commit && `commit ${commit.slice(0, 10)}` : `version ${version}`;
  if (pinned === undefined) return problem === undefined ? "being fetched" : "not fetched";
  if (fetched === undefined) return `pinned to ${pinned}${problem === undefined ? "" : `: ${problem}`}`;
  return `${pinned}, fetched ${renderTime(Date.parse(fetched))}`;
}

/** Not a regular expression: some patterns would take it forever. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const parts = pattern.replace(/^bmad:\/\//, "").split(/(\*\*\/?|\*|\?)/).filter((part) => part !== "");
  const most = LIMITS.lists.patternParts;
  if (parts.length > most) failField("pattern", `it has more than ${most} parts`);
  return (path) =>
    parts.reduce((reached, part) => advance(path, reached, part), [true])[path.length] === true;
}

function advance(path: string, reached: readonly boolean[], part: string): boolean[] {
  const next: boolean[] = [];
  let open = false;
  for (let end = 0; end <= path.length; end++) {
    const here = reached[end] === true;
    if (part === "?") next[end] = end > 0 && reached[end - 1] === true && path[end - 1] !== "/";
    else if (part === "*") {
      open = here || (open && path[end - 1] !== "/");
      next[end] = open;
    } else if (part === "**") next[end] = open ||= here;
    else if (part === "**/") {
      next[end] = here || (open && path[end - 1] === "/");
      open ||= here;
    } else {
      const from = end - part.length;
      next[end] = from >= 0 && reached[from] === true && path.startsWith(part, from);
    }
  }
  return next;
}
