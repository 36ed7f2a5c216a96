/** Status 1 is for a tree that contradicts itself, 2 for what the store forbids. */
import { recover } from "../../base/absence.ts";
import { asValues, type Values } from "../../base/values.ts";
import { runInSlices } from "../../base/work.ts";
import { localDate } from "../../base/time.ts";
import { loadCleaner } from "../../content/library/mod.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../content/tree/mod.ts";
import {
  editPlan,
  folderInProject,
  foldersOf,
  idOf,
  openSource,
  planPath,
  printedValue,
  printedValues,
  type Problem,
  pulledFile,
  readTicketDocument,
  readTicketStore,
  readTicketTree,
  stemOf,
  type Ticket,
  TICKET_STATUSES,
  type TicketTree,
} from "../work/formats/mod.ts";
import { type Argument, type Given, PROJECT_ROOT } from "./options.ts";
import {
  answer,
  configTables,
  failed,
  refuse,
  type Run,
  type Script,
  ScriptError,
  type ScriptWorld,
  stop,
} from "./script.ts";
import { pythonJson } from "./python.ts";
import * as views from "./ticket_views.ts";

function words(...count: readonly [least: number, most: number]): Argument {
  const help = "The initiative, the ticket and, for mark, the status; the initiative can be left out";
  return { names: ["words"], takes: "any", count, help };
}

export const tickets: Script = {
  name: "tickets.py",
  // It copies a tracker's answers from stdin into files, which a client cannot pipe in.
  foreign: (args) =>
    args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "--project-root") === "mirror"
      ? "mirror"
      : undefined,
  usage: {
    about: "Reads and changes the tree of tickets; prints JSON",
    needsSkill: true,
    args: [PROJECT_ROOT],
    commands: {
      next: {
        about: "The tickets to do now",
        run: atDesk(next),
        args: [words(0, 1), { names: ["--synced"], takes: "flag", help: "The tracker was read just now" }],
      },
      status: { about: "How far all tickets are", run: atDesk(status), args: [words(0, 1)] },
      find: {
        about: "One ticket, with what it blocks",
        run: atDesk(find),
        example: "TICKET",
        args: [words(1, 2)],
      },
      pull: {
        about: "Make the file of a ticket, by the folder of its epic and its number there",
        run: atDesk(pull),
        example: "FOLDER NUMBER",
        args: [words(2, 2)],
      },
      mark: {
        about: "Set a ticket's status",
        run: atDesk(mark),
        example: "TICKET done",
        args: [
          words(2, 3),
          { names: ["--assignee"], help: "Who works on it" },
          { names: ["--blocked"], help: "Why it cannot go on", isMultiline: true },
        ],
      },
    },
    notNative: "mirror",
  },
  movesStories: true,
  isWriter: ({ command }) => command === "mark" || command === "pull",
  needs: ({ command }) =>
    command === "mark"
      ? {
        right: "force",
        instead: "mark its story instead, which asks who holds it and checks it",
      }
      : undefined,
  fail: (error, status) => failed(status, `${pythonJson({ error })}\n`),
};

function atDesk(command: Command): Run {
  return async (values, world) => {
    const found = await command(await open(values, world), values, values.many("words"));
    const { text: clean } = await loadCleaner();
    const { root } = world.files;
    // The project's folder may have any name, and is no secret.
    const cleanText = (text: string) =>
      text.startsWith(`${root}/`) ? `${root}${clean(text.slice(root.length))}` : clean(text);
    return answer(cleaned(found, cleanText), { isAscii: false });
  };
}

/** An answer without secrets. Types, states and names repeat in every row, so each text is searched once. */
function cleaned(answer: Values, clean: (text: string) => string): unknown {
  const known = new Map<string, string>();
  return JSON.parse(
    JSON.stringify(answer),
    (_, value) => typeof value === "string" ? known.getOrInsertComputed(value, clean) : value,
  );
}

type Desk = Awaited<ReturnType<typeof open>>;
type Command = (desk: Desk, values: Given, words: readonly string[]) => Promise<Values>;

async function open(values: Given, world: ScriptWorld) {
  const { files } = world;
  const root = files.pathOf("--project-root", values.one("project-root") ?? "");
  const { output = "_bmad-output", initiative: active } = foldersOf(await configTables(world), [files.root]);
  const { store, root: given = output } = readTicketStore(files.find, root);
  const own = folderInProject(given, { output_folder: output }, [files.root]);
  const base = joinPath(root, own ?? output);
  const isFolder = (path: string) => files.tree.list(path).length > 0;
  const initiative = () => {
    const path = active === undefined ? undefined : normalizePath(joinPath(base, active));
    if (path !== undefined && isFolder(path)) return path;
    const known = files.tree.list(base)
      .filter(({ isDirectory, name }) => isDirectory && name.startsWith("initiative-"))
      .slice(0, 20).map(({ name }) => joinPath(base, name));
    const hint = known.length === 0 ? "" : `. Pass a folder: ${known.join(", ")}`;
    const problem = active === undefined
      ? "no initiative is active"
      : `the folder of the active initiative is missing: ${active}`;
    return stop(problem + hint);
  };
  return {
    world,
    store,
    isSynced: values.has("synced"),
    folderOf: (word: string | undefined): string => {
      if (word === undefined) return initiative();
      const given = files.pathOf("dir", word);
      const below = active === undefined ? [] : [joinPath(base, active, given)];
      return [given, joinPath(base, given), ...below, joinPath(root, given)].find(isFolder) ??
        stop(`not a folder: ${word}`);
    },
    backlog: [joinPath(base, "backlog")].find(isFolder),
    readTree: async (folder: string): Promise<TicketTree> => {
      const source = openSource(files.tree, { planning: [], implementation: [] });
      const tree = await runInSlices(readTicketTree(source, folder));
      // A file that cannot be read may be the one that decides.
      const error = source.problems[0] ?? tree.problems.find(({ isError }) => isError);
      return error === undefined ? tree : stop(lineFor(error));
    },
  };
}

function lineFor({ path, problem }: Problem): string {
  return `${joinPath(baseName(parentPath(path)), baseName(path))}: ${problem}`;
}

async function viewFolders(
  desk: Desk,
  word: string | undefined,
  view: (folder: string, isBacklog: boolean) => Promise<Values>,
): Promise<Values> {
  const folder = desk.folderOf(word);
  const answer = { store: desk.store, ...await view(folder, false) };
  if (word !== undefined || desk.backlog === undefined || desk.backlog === folder) return answer;
  const { backlog } = desk;
  const instead = ({ message }: ScriptError) => ({ folder: baseName(backlog), error: message });
  return { ...answer, backlog: await recover(ScriptError, () => view(backlog, true), instead) };
}

async function locate(desk: Desk, word: string | undefined, reference: string) {
  const folders = [desk.folderOf(word), ...(word === undefined ? [desk.backlog] : [])];
  for (const [at, folder] of folders.entries()) {
    const tree = folder === undefined ? undefined : await desk.readTree(folder);
    const ticket = tree && findTicket(tree, reference);
    if (ticket !== undefined) return { ticket, tree: tree!, isBacklog: at > 0 };
  }
  return stop(`no ticket is called "${reference}"`);
}

async function next(desk: Desk, _: Given, [word]: readonly string[]): Promise<Values> {
  if (desk.store !== "repo" && !desk.isSynced) {
    refuse(`the store is ${desk.store}: take the statuses from the tracker first, then add --synced`);
  }
  return await viewFolders(desk, word, async (folder, isBacklog) => {
    const tree = await desk.readTree(folder);
    return {
      folder: baseName(folder),
      ...views.groupTickets(tree, isBacklog),
      ...views.findContradictions(tree),
      ...listProblems(tree),
    };
  });
}

async function status(desk: Desk, _: Given, [word]: readonly string[]): Promise<Values> {
  return await viewFolders(desk, word, async (folder, isBacklog) => {
    const tree = await desk.readTree(folder);
    const blocks = views.findWaiting(tree);
    return {
      folder: baseName(folder),
      tickets: views.ticketsInScope(tree).map((ticket) =>
        views.ticketRow(ticket, tree, { isBacklog, blocks })
      ),
      counts: views.countStates(tree),
      longest_remaining_chain: views.longestChain(tree),
      ...views.findContradictions(tree),
      ...listProblems(tree),
      ...(tree.scope === undefined
        ? { epics: views.epicRows(tree) }
        : { next_id: views.nextId(tree, tree.scope) }),
    };
  });
}

function listProblems({ problems }: TicketTree): Values {
  return problems.length === 0 ? {} : { problems: problems.map(lineFor) };
}

async function find(desk: Desk, _: Given, words: readonly string[]): Promise<Values> {
  const { files } = desk.world;
  const { ticket, tree, isBacklog } = await locate(
    desk,
    words.length > 1 ? words[0] : undefined,
    words.at(-1)!,
  );
  const { epic, file, unknown } = ticket;
  const folder = tree.folders.get(epic)!;
  const absolute = (path: string) => `${files.root}/${path}`;
  const container = joinPath(folder, `${baseName(folder)}.md`);
  // Once a ticket has a file, the text is in the file, and the entry no longer changes.
  const entry = file === undefined ? ticket.entry : {};
  return {
    ...views.ticketRow(ticket, tree, { isBacklog }),
    folder: baseName(folder),
    description: printedValue(entry["description"]),
    verify: printedValue(entry["verify"]),
    references: printedValues(entry["references"]),
    notes: printedValues(entry["notes"]),
    unknown,
    epic_file: files.tree.stat(container) === undefined ? null : absolute(container),
    story_file: file === undefined ? null : absolute(joinPath(folder, file)),
    plan: absolute(planPath(ticket, tree)),
  };
}

function findTicket(tree: TicketTree, given: string): Ticket | undefined {
  const word = given.trim().toLowerCase();
  const inScope = views.ticketsInScope(tree);
  const [, epicId, entryId] = /^([a-z0-9]+)\.([a-z0-9]+)$/.exec(word) ?? [];
  const isFile = ({ file }: Ticket) =>
    file !== undefined && [file, file.slice(0, -3)].some((one) => one.toLowerCase() === word);
  const isId = /^\d+$/.test(word);
  const ways: readonly (() => readonly Ticket[])[] = [
    () =>
      tree.tickets.filter(({ epic, id }) =>
        tree.listed.get(epic)?.id?.toLowerCase() === idOf(epicId) && id?.toLowerCase() === idOf(entryId)
      ),
    () =>
      tree.scope === undefined
        ? []
        : inScope.filter(({ id }) => id !== undefined && id === idOf(given.trim())),
    // An id with a letter means its ticket in every folder before words of a title do.
    () => isId ? [] : tree.tickets.filter(({ id }) => id !== undefined && id === idOf(given.trim())),
    () => inScope.filter(isFile),
    () => tree.tickets.filter(isFile),
    () => tree.tickets.filter(({ trackerId }) => trackerId !== "" && trackerId.toLowerCase() === word),
    () => isId ? [] : inScope.filter(({ title }) => title.toLowerCase().includes(word)),
  ];
  const found = word === "" ? [] : (epicId === undefined ? ways.slice(1) : ways).values().map((way) => way())
    .find((tickets) => tickets.length > 0) ?? [];
  if (found.length <= 1) return found[0];
  const names = found.slice(0, 10).map((ticket) =>
    `${views.ticketReference(ticket, tree) ?? ticket.key} in ${ticket.epic}`
  );
  return stop(`"${given}" can be several tickets: ${names.join(", ")}`);
}

async function pull(desk: Desk, _: Given, [word, given]: readonly string[]): Promise<Values> {
  const { files, signal } = desk.world;
  return await files.exclusively(async () => {
    const folder = desk.folderOf(word);
    const tree = await desk.readTree(folder);
    const ticket = tree.tickets.find(({ epic, id }) => epic === baseName(folder) && id === idOf(given)) ??
      stop(`${baseName(folder)} has no entry ${given}`);
    if (ticket.file !== undefined) stop(`entry ${given} has a file already: ${ticket.file}`);
    const name = `${stemOf(ticket, tree)}.md`;
    if (files.find(joinPath(folder, name)) !== undefined) {
      stop(`${name} exists. Change the title of entry ${given}`);
    }
    const after = asValues(views.ticketRow(ticket, tree))["after"] as readonly (string | number)[];
    const text = pulledFile(ticket, after, joinPath(folder, `${baseName(folder)}.md`));
    files.replace(joinPath(folder, name), text, undefined);
    return { file: name, refine: ticket.refine };
  }, signal);
}

async function mark(desk: Desk, values: Given, words: readonly string[]): Promise<Values> {
  const { files, signal, clock } = desk.world;
  const wanted = words.at(-1)!;
  if (!TICKET_STATUSES.includes(wanted)) {
    stop(`unknown status "${wanted}". Use one of: ${TICKET_STATUSES.join(", ")}`);
  }
  if (desk.store !== "repo") refuse(`the store is ${desk.store}: change the status there`);
  return await files.exclusively(async () => {
    const { ticket, tree } = await locate(desk, words.length > 2 ? words[0] : undefined, words.at(-2)!);
    const [reason, assignee] = [values.one("blocked"), values.one("assignee")];
    const isNew = ticket.plan === undefined;
    const { path, text, before } = editPlan([ticket, tree], {
      status: wanted,
      ...(isNew && { assignee: assignee ?? ticket.assignee }),
      blocked_at: reason === undefined ? "" : localDate(clock.now()),
      blocked_reason: reason ?? "",
      ...(!isNew && assignee !== undefined && { assignee }),
    }, files);
    if (text === undefined) return stop(`${path} exists and is the plan of no ticket here`);
    files.replace(path, text, before);
    const { fields } = readTicketDocument(text);
    const field = (key: string) => printedValue(fields[key]);
    return {
      plan: `${files.root}/${path}`,
      created: isNew,
      status: field("status"),
      assignee: field("assignee"),
      blocked_at: field("blocked_at"),
      blocked_reason: field("blocked_reason"),
    };
  }, signal);
}
