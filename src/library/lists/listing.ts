/**
 * Lists: everything that can be listed, as rows that every surface can show its own way.
 *
 * A row has a name, one line about it, and the same facts as data. To add a list, add a row to the table.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import { fail } from "../../errors.ts";
import {
  type Category,
  categoryOf,
  type CopyFacts,
  type Entry,
  isOf,
  type Kind,
  qualifiedName,
} from "../../model.ts";
import { listFiles } from "../files/files.ts";
import { SCHEME } from "../files/mounts.ts";
import { globMatcher } from "./glob.ts";
import { type Library, onlyOrigin } from "../library.ts";
import { offersOf } from "./offers.ts";
import type { Watch } from "../pace.ts";
import { checkOrigin } from "./resolution.ts";
import { type Row, rowOf } from "./row.ts";
import { SUPPORTING_KINDS, supportingEntries } from "./supporting.ts";

/** What to list, and which of it. */
export interface ListRequest {
  /** One of `LISTABLE`, in any case and with or without its plural: `agents`, `workflow`. */
  readonly what: string;
  /** A module's code: `bmm`. Without it: all modules. */
  readonly module?: string;
  /** One of the `Category` words, such as `planning`; heeded where a list is of things of one kind. */
  readonly category?: string;
  /** An origin's id: only what it holds, also what a better origin shadows. */
  readonly origin?: string;
  /** A glob over URIs, for resources. */
  readonly pattern?: string;
}

type Lister = (
  library: Library,
  request: ListRequest,
  watch: Watch,
) => readonly Row[] | Promise<readonly Row[]>;

const LISTS: Readonly<Record<string, Lister>> = {
  agents: ofKind("agent"),
  workflows: ofKind("workflow"),
  tasks: ofKind("task"),
  tools: ofKind("tool"),
  skills: ofKind("skill"),
  teams: ofKind("team"),
  templates: ofKind("template"),
  checklists: ofKind("checklist"),
  knowledge: ofKind("knowledge"),
  config: ofKind("config"),
  modules: listModules,
  resources: listResources,
  sources: listSources,
  conflicts: async (library, _, watch) => (await import("./conflicts.ts")).listConflicts(library, watch),
  doctor: async (library, _, watch) =>
    (await import("./doctor.ts")).listHealth(library, listSources(library), watch),
  next: listNext,
};

/** Lists of what lies between origins: they need all of them, also when only one is asked about. */
const ACROSS: readonly string[] = ["conflicts", "doctor"];

/** What can be listed. */
export const LISTABLE: readonly string[] = Object.keys(LISTS);

const CATEGORIES: readonly Category[] = ["analysis", "planning", "solutioning", "implementation", "other"];

/** The rows of a list. */
export async function listLibrary(
  library: Library,
  request: ListRequest,
  watch: Watch = {},
): Promise<readonly Row[]> {
  const what = request.what.trim().toLowerCase();
  // `agent` and `agents` are one; `knowledge` has no plural.
  const name = [what, `${what}s`].find((name) => Object.hasOwn(LISTS, name));
  if (name === undefined) {
    const problem = `there is no list of "${request.what}"`;
    return fail({
      code: "invalid-input",
      field: "query",
      problem,
      hint: `List one of ${LISTABLE.join(", ")}`,
    });
  }
  const { category, origin } = request;
  if (category !== undefined && !(CATEGORIES as readonly string[]).includes(category)) {
    const problem = `"${category}" is no category`;
    fail({ code: "invalid-input", field: "category", problem, hint: `Use one of ${CATEGORIES.join(", ")}` });
  }
  const list = LISTS[name]!;
  if (origin === undefined) return await list(library, request, watch);
  checkOrigin(library, origin);
  const rows = await list(ACROSS.includes(name) ? library : onlyOrigin(library, origin), request, watch);
  return rows.filter(({ data: { origin: of, id, wins, shadowed = [] } }) =>
    [of, id, wins, ...shadowed as readonly string[]].includes(origin)
  );
}

function ofKind(kind: Kind): Lister {
  return async (library, { module, category }) => {
    // Agents are what offers, not what is offered.
    const offers = kind === "agent" ? () => [] : await offersOf(library);
    return [
      ...visibleEntries(library.effective),
      ...(SUPPORTING_KINDS.includes(kind) ? supportingEntries(library) : []),
    ]
      .filter((entry) => isOf(entry, kind))
      .filter((entry) => module === undefined || entry.module.toLowerCase() === module.toLowerCase())
      .filter((entry) => category === undefined || categoryOf(entry.phase) === category)
      .map((entry) => rowOf(library, entry, offers));
  };
}

function listModules(library: Library): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { origin, inventory } of library.holdings) {
    for (const { code, name, description, version } of inventory.modules) {
      if (rows.has(code)) continue;
      const of = library.effective.filter((entry) => entry.module === code);
      const agents = of.filter((entry) => isOf(entry, "agent")).length;
      const others = visibleEntries(of).length - agents;
      const about = `${name}${
        version === undefined ? "" : ` ${version}`
      }: ${agents} agents, ${others} others (${origin.id})`;
      rows.set(code, {
        name: code,
        about,
        data: { name: code, title: name, description, version, agents, others, origin: origin.id },
      });
    }
  }
  return [...rows.values()];
}

async function listResources(library: Library, { module, pattern }: ListRequest): Promise<readonly Row[]> {
  const { listGenerated } = await import("../made/generated.ts");
  const generated = listGenerated(library).map((facts): Row => ({
    name: facts.uri,
    about: facts.title,
    data: { ...facts },
  }));
  const files = listFiles(library).map(({ uri, mimeType, facts, holding }): Row => ({
    name: uri,
    about: `${facts.size} bytes`,
    data: { uri, mimeType, size: facts.size, origin: holding.origin.id },
  }));
  const fits = pattern === undefined ? () => true : globMatcher(pattern);
  return [...generated, ...files].filter(({ name: uri }) =>
    fits(uri.slice(SCHEME.length)) &&
    (!module || uri.toLowerCase().startsWith(`${SCHEME}${module}/`.toLowerCase()))
  );
}

function listSources(library: Library): readonly Row[] {
  return library.holdings.map(({ origin, inventory, copy }) => {
    const roots = inventory.roots.map((root) => `${root.layout} ${root.version ?? ""}`.trim());
    const about = `priority ${origin.priority}, ${inventory.items.length} things` +
      `${roots.length > 0 ? ` (${[...new Set(roots)].join(", ")})` : ""}: ${origin.location}` +
      (copy === undefined ? "" : `, ${describeCopy(copy)}`);
    const { id, kind, priority, location } = origin;
    return {
      name: id,
      about,
      data: { id, kind, priority, location, roots: inventory.roots, things: inventory.items.length, copy },
    };
  });
}

function describeCopy({ commit, fetched, problem }: CopyFacts): string {
  if (commit === undefined) return problem === undefined ? "being fetched" : "not fetched";
  return `commit ${commit.slice(0, 10)}, fetched ${fetched?.slice(0, 16).replace("T", " ")} UTC`;
}

/** What the help catalogues say comes when, in the order of the phases. */
function listNext(library: Library, { module, category }: ListRequest): readonly Row[] {
  const steps = visibleEntries(library.effective).filter((entry) => entry.help !== undefined)
    .filter((entry) => module === undefined || entry.module.toLowerCase() === module.toLowerCase())
    .filter((entry) => category === undefined || categoryOf(entry.phase) === category);
  const order = (entry: Entry) => CATEGORIES.indexOf(categoryOf(entry.phase));
  return steps.toSorted((a, b) => order(a) - order(b)).map((entry) => {
    const { phase, after, before, required, outputs, code, title, description } = entry.help!;
    const notes = [required ? "required" : "", after && `after ${after}`, before && `before ${before}`]
      .filter(Boolean);
    return {
      name: qualifiedName(entry),
      about: `${phase}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}: ${description}`,
      data: {
        name: entry.name,
        id: entry.id,
        module: entry.module,
        title,
        code,
        phase,
        after,
        before,
        required,
        outputs,
      },
    };
  });
}
