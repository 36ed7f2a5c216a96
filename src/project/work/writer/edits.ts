/**
 * Which files change when something gets another status, and how: one function for each format of ledgers.
 */
import { fail, type Fix } from "../../../base/errors.ts";
import { asText, asValues, slug } from "../../../base/values.ts";
import { localDate } from "../../../base/work.ts";
import { parseToml } from "../../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import type { Target } from "../board/mod.ts";
import {
  type Epic,
  type FormName,
  isBehind,
  isStepBack,
  meaningOf,
  readDocument,
  readStatus,
  stateOf,
  type Story,
  wordFor,
} from "../formats/mod.ts";
import { markSprint, writeScalar } from "../ledger/mod.ts";
import { type Place, withField, withoutField, withStatus } from "./status_line.ts";
import type { WriterWorld } from "./world.ts";

/** What a mark would do. */
export interface Edit {
  readonly changes: readonly { readonly key: string; readonly from?: string; readonly to: string }[];
  /** The file that decides comes first. */
  readonly files: readonly FileEdit[];
  readonly notes: readonly string[];
}

/** A file and its new text; `before` is undefined for a new one. */
export interface FileEdit {
  readonly path: string;
  readonly text: string;
  readonly before: string | undefined;
}

/** A status to give. */
export interface EditRequest {
  readonly status: string;
  readonly by?: string;
  readonly isForced: boolean;
}

const BY_FORMAT: Readonly<
  Record<string, (world: WriterWorld, target: Target, request: EditRequest) => Edit>
> = {
  "sprint-status": markInSprint,
  "stories-yaml": markRecord,
  "story-files": markFile,
  "tickets": markTicket,
};

/** The edit that gives something a status. Fails where a rule forbids it. */
export function editFor(world: WriterWorld, target: Target, request: EditRequest): Edit {
  const { ledgers } = world.board;
  const { ledger } = target.epic;
  const format = ledgers.filter(({ path }) => `${ledger}/`.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0]?.format ?? "";
  const edit = BY_FORMAT[format] ?? refuse(`mark in ${ledger}`, "its format is unknown");
  return edit(world, target, request);
}

function refuse(what: string, hint: string, ...fixes: readonly Fix[]): never {
  return fail({ code: "not-allowed", what, hint, fixes });
}

function markInSprint(
  world: WriterWorld,
  { story, epic, isRetrospective }: Target,
  request: EditRequest,
): Edit {
  const { files, now } = world;
  const path = epic.ledger;
  const before = files.find(path) ?? fail({ code: "not-found", what: "ledger", name: path });
  const name = story?.key ?? `epic-${epic.ref}${isRetrospective ? "-retrospective" : ""}`;
  const { text, status, changes } = markSprint(path, before, {
    name,
    status: request.status,
    isForced: request.isForced,
    now: now(),
  });
  const ledger = text === before ? [] : [{ path, text, before }];
  const isMeant = request.isForced || changes.some((one) => one.key === story?.key);
  const document = story === undefined ? undefined : follow(world, story, status, isMeant);
  return { changes, files: [...ledger, ...document?.files ?? []], notes: document?.notes ?? [] };
}

/**
 * Has the file of a story say what its ledger says, if it says anything. It goes back only with the ledger, and stays
 * where both go together as they are.
 */
function follow({ files, board }: WriterWorld, { file, key, form }: Story, status: string, isMeant: boolean) {
  const isShared = board.epics.flatMap(({ stories }) => stories).some((one) =>
    one.file === file && one.key !== key
  );
  const before = file === undefined || isShared ? undefined : files.find(file);
  if (before === undefined) return undefined;
  const word = readDocument(file!, before).status?.word;
  if (word === undefined || word === status) return undefined;
  const [own, wanted] = [stateOf(word), stateOf(status)];
  if (own !== undefined && own === wanted) return undefined;
  if (isBehind(status, word)) {
    if (own !== undefined && wanted !== undefined && meaningOf(form, wanted, own) !== undefined) {
      return undefined;
    }
    if (!isMeant) return { files: [], notes: [`${file} says "${word}" already, and was left so`] };
  }
  const to = wordFor(wanted, formOfWords(file!, before, form)) ?? status;
  const text = withStatus(file!, before, to);
  return { files: text === before ? [] : [{ path: file!, text, before }], notes: [] };
}

/** The form whose words a document uses: people write a status with a capital, as v4 does. */
function formOfWords(path: string, text: string, form: FormName): FormName {
  const word = readDocument(path, text).status?.word;
  return word !== undefined && /^\p{Lu}/u.test(word) ? "v4-story" : form;
}

/** A document that decides by itself gets a status. */
function markDocument(
  { files }: WriterWorld,
  { path, key, form, place }: {
    readonly path: string;
    readonly key: string;
    readonly form: FormName;
    readonly place: Place;
  },
  { status, isForced }: EditRequest,
): Edit {
  const before = files.find(path) ?? fail({ code: "not-found", what: "file", name: path });
  const from = readDocument(path, before).status?.word;
  const own = formOfWords(path, before, form);
  const to = readStatus(status, own, isForced);
  if (from === to || (from !== undefined && stateOf(from) === stateOf(to) && !isOther(status, to, own))) {
    return { changes: [], files: [], notes: [] };
  }
  if (!isForced && isStepBack(form, from ?? "backlog", to)) {
    refuse(`move ${key} from ${from} back to ${to}`, "force it if that is meant", "force");
  }
  const text = withStatus(path, before, to, place);
  return { changes: [{ key, from, to }], files: [{ path, text, before }], notes: [] };
}

/** Whether the given word is itself one of the format, and not only another name of the state. */
function isOther(given: string, to: string, form: FormName): boolean {
  return to !== wordFor(stateOf(to), form) || given.trim().toLowerCase() === to.toLowerCase();
}

function refuseEpic({ ref, title }: Epic): never {
  return refuse(`mark ${ref || title}`, "its state follows from its stories");
}

/** A story of a spec: its record has the status, and is made if missing. */
function markRecord(world: WriterWorld, { story, epic }: Target, request: EditRequest): Edit {
  if (story === undefined) return refuseEpic(epic);
  const { file, ref: key } = story;
  if (file !== undefined) {
    return markDocument(world, { path: file, key, form: "spec-story", place: "front matter" }, request);
  }
  const path = joinPath(parentPath(epic.ledger), "stories", `${nameFor(story.key, story.title)}.md`);
  return makeDocument(world, { path, key, title: story.title, fields: {}, form: "spec-story" }, request);
}

/** `2-pay-now`. */
function nameFor(id: string, title: string): string {
  const words = slug(title).slice(0, 60).replace(/-$/, "");
  return words === "" || words === slug(id) ? id : `${id}-${words}`;
}

function makeDocument(
  world: WriterWorld,
  { path, key, title, fields, form }: {
    readonly path: string;
    readonly key: string;
    readonly title: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly form: FormName;
  },
  { status, isForced }: EditRequest,
): Edit {
  const to = readStatus(status, form, isForced);
  const all = { title, ...fields, created: localDate(world.now()), status: to };
  let text = `# ${title}\n`;
  for (const [name, value] of Object.entries(all)) text = withField(path, text, name, value);
  return { changes: [{ key, to }], files: [{ path, text, before: undefined }], notes: [`made ${path}`] };
}

/** A story file without a ledger. */
function markFile(world: WriterWorld, { story, epic }: Target, request: EditRequest): Edit {
  if (story === undefined) return refuseEpic(epic);
  const { file: path, ref, key, form } = story;
  if (path === undefined) {
    const hint = `it is only planned, in ${story.ledger}; write its story file first`;
    // v4 has no sprints.
    if (epic.ledger === world.v4) return refuse(`mark ${ref}`, hint);
    return refuse(`mark ${ref}`, `${hint}, or make a sprint of the plan`, "plan");
  }
  return markDocument(world, { path, key, form, place: "body" }, request);
}

const STORE = "_bmad/custom/ticketing-store-config.toml";

/** A ticket: its plan has the status, and is made if missing. */
function markTicket(world: WriterWorld, { story, epic }: Target, request: EditRequest): Edit {
  const { files } = world;
  const store = asText(asValues(parseToml(files.find(STORE) ?? "").value["tickets"])["store"]) ?? "repo";
  if (store !== "repo") refuse(`mark in ${epic.ledger}`, `${store} keeps the statuses of this project`);
  if (story === undefined) return markTicketEpic(world, epic, request);
  const { file, plan, ref: key } = story;
  const leaf = file === undefined ? undefined : files.find(file);
  const fields = leaf === undefined ? {} : readDocument(file!, leaf).fields;
  if (asText(fields["tracker_status"]) !== undefined) {
    refuse(`mark ${key}`, "a tracker keeps its status (tracker_status)");
  }
  const own = plan ?? (leaf !== undefined && asText(fields["status"]) !== undefined ? file : undefined);
  const path = own ?? planFor(world, story);
  const id = asText(fields["id"]) ?? key.slice(key.lastIndexOf(".") + 1);
  const edit = own !== undefined
    ? markDocument(world, { path, key, form: "ticket", place: "front matter" }, request)
    : makePlan({ path, key, title: story.title, id }, request);
  const [first, ...rest] = edit.files;
  if (first === undefined) return edit;
  const isBlocked = stateOf(edit.changes[0]!.to) === "blocked";
  // As tickets.py does: why it was blocked goes with the block.
  const plain = isBlocked
    ? first.text
    : withoutField(withoutField(first.text, "blocked_at"), "blocked_reason");
  const text = request.by === undefined || story.owner !== undefined
    ? plain
    : withField(path, plain, "assignee", request.by, "double");
  return { ...edit, files: [{ ...first, text }, ...rest] };
}

/** The plan of a ticket, with the bytes that tickets.py gives it. */
function makePlan(
  { path, key, title, id }: Readonly<Record<"path" | "key" | "title" | "id", string>>,
  { status, isForced }: EditRequest,
): Edit {
  const to = readStatus(status, "ticket", isForced);
  const ticket = /^\d+$/.test(id) ? id : writeScalar(id, "double");
  const text = `---\ntitle: ${writeScalar(title, "double")}\nticket: ${ticket}\nstatus: ${to}\n---\n`;
  return { changes: [{ key, to }], files: [{ path, text, before: undefined }], notes: [`made ${path}`] };
}

/** Where the plan of a ticket goes: beside its own file, which it is named after, or beside the ledger that lists it. */
function planFor({ files }: WriterWorld, { file, ledger, ref, title }: Story): string {
  if (file !== undefined) return file.replace(/\.md$/, "-plan.md");
  const folder = parentPath(ledger);
  const id = ref.slice(ref.lastIndexOf(".") + 1);
  const { value } = parseToml(files.find(ledger) ?? "");
  const entries = Array.isArray(value["entry"]) ? value["entry"].map(asValues) : [];
  const kind = asText(entries.find((one) => asText(one["id"]) === id)?.["type"]) ?? "story";
  const type = ["story", "spike", "bug"].includes(kind) ? kind : "story";
  return joinPath(folder, `${type}-${ticketSlug(title)}-plan.md`);
}

/** A title in the name of a file, as tickets.py has it. */
function ticketSlug(title: string): string {
  const plain = title.normalize("NFKD").replaceAll(/[^\x20-\x7e]/g, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 60).replace(/-$/, "") || "untitled";
}

const EPIC_STATUSES = ["in-progress", "done", "dropped"];

/** Only a person says that an epic of tickets is done; its file has the status. */
function markTicketEpic(world: WriterWorld, epic: Epic, request: EditRequest): Edit {
  const { file, ref, stories } = epic;
  const key = baseName(file ? parentPath(file) : ref);
  if (file === undefined) return refuse(`mark ${key}`, "it has no file of its own");
  const open = stories.filter(({ state }) => state !== "done" && state !== "dropped").map((one) => one.ref);
  const state = stateOf(request.status);
  if (state === undefined || !EPIC_STATUSES.includes(state)) {
    refuse(`mark ${key} as ${request.status}`, `an epic is ${EPIC_STATUSES.join(", ")}`);
  }
  if (state === "done" && open.length > 0 && !request.isForced) {
    const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
    const are = open.length === 1 ? "is" : "are";
    const hint = `${open.slice(0, 3).join(", ")}${more} ${are} not done; force it if that is meant`;
    refuse(`end ${key}`, hint, "force");
  }
  return markDocument(world, { path: file, key, form: "ticket", place: "front matter" }, request);
}
