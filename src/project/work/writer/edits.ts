/**
 * Which files change when something gets another status, and how: one function for each format of ledgers.
 */
import { fail, failUnknown } from "../../../base/errors.ts";
import { asText, slug } from "../../../base/values.ts";
import { localDate, type Steps } from "../../../base/work.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { epicName, type Target } from "../board/mod.ts";
import {
  editPlan,
  type Epic,
  EPIC_STATUSES,
  failStepBack,
  type FormName,
  isBehind,
  isStepBack,
  type Ledger,
  meaningOf,
  openSource,
  readDocument,
  readTicketDocument,
  readTicketStore,
  readTicketTree,
  readWord,
  refuseDraft,
  refuseEarlyEnd,
  type State,
  stateOf,
  type Story,
  TICKET_STATUSES,
  type TicketFields,
  ticketRef,
  withFields,
  wordFor,
  wordsOf,
  writeScalar,
} from "../formats/mod.ts";
import { markSprint } from "../ledger/mod.ts";
import { type Place, withStatus, withValue } from "./status_line.ts";
import { refuse, type WriterWorld } from "./world.ts";

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

export interface EditRequest {
  readonly status: string;
  readonly by?: string;
  readonly isForced: boolean;
}

const BY_FORMAT: Readonly<
  Record<string, (world: WriterWorld, target: Target, request: EditRequest) => Edit | Steps<Edit>>
> = {
  "sprint-status": markInSprint,
  "stories-yaml": markRecord,
  "story-files": markFile,
  "tickets": markTicket,
};

/** The edit that gives something a status. Fails where a rule forbids it. */
export function* editFor(world: WriterWorld, target: Target, request: EditRequest): Steps<Edit> {
  const format = ledgerOf(world, target.epic)?.format ?? "";
  const edit = BY_FORMAT[format] ?? refuse(`mark in ${target.epic.ledger}`, "its format is unknown");
  const made = edit(world, target, request);
  return "changes" in made ? made : yield* made;
}

/** The ledger, or the folder of ledgers, that an epic is kept in. */
function ledgerOf({ board }: WriterWorld, { ledger }: Epic): Ledger | undefined {
  return board.ledgers.filter(({ path }) => `${ledger}/`.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function* markInSprint(
  world: WriterWorld,
  { story, epic, isRetrospective }: Target,
  request: EditRequest,
): Steps<Edit> {
  const { files, now } = world;
  const path = epic.ledger;
  const before = files.find(path) ?? fail({ code: "not-found", what: "ledger", name: path });
  const name = story?.key ?? epicName(epic, isRetrospective);
  const { text, status, changes } = yield* markSprint(path, before, {
    name,
    status: request.status,
    isForced: request.isForced,
    seen: story?.state,
    now: now(),
  });
  const ledger = text === before ? [] : [{ path, text, before }];
  const change = changes.find((one) => one.key === story?.key);
  const document = story === undefined ? undefined : follow(world, story, status, {
    isForced: request.isForced,
    isMeant: request.isForced || change !== undefined,
    isBack: change !== undefined && isBehind(change.to, change.from),
  });
  return { changes, files: [...ledger, ...document?.files ?? []], notes: document?.notes ?? [] };
}

/**
 * Has the file of a story say what its ledger says, if it says anything. It goes back with the ledger, and otherwise stays
 * where both go together as they are: a build goes on by what its own spec says.
 */
function follow(
  { files, board }: WriterWorld,
  { file, key, form }: Story,
  status: string,
  { isForced, isMeant, isBack }: Readonly<Record<"isForced" | "isMeant" | "isBack", boolean>>,
) {
  const isShared = board.epics.flatMap(({ stories }) => stories).some((one) =>
    one.file === file && one.key !== key
  );
  const before = file === undefined || isShared ? undefined : files.find(file);
  if (before === undefined) return undefined;
  const word = readDocument(file!, before).status?.word;
  if (word === undefined || word === status) return undefined;
  const [own, wanted] = [stateOf(word), stateOf(status)];
  if (own !== undefined && own === wanted) return undefined;
  const isNormal = own !== undefined && wanted !== undefined && meaningOf(form, wanted, own) !== undefined;
  if (isNormal && !isBack) return undefined;
  if (isBehind(status, word) && !isMeant) {
    return { files: [], notes: [`${file} says "${word}" already, and was left so`] };
  }
  if (!isForced) refuseDraft(form, key, word, status);
  const to = wordFor(wanted, formOfWords(word, form)) ?? status;
  const text = withStatus(file!, before, to);
  return { files: text === before ? [] : [{ path: file!, text, before }], notes: [] };
}

/** The form whose words a document uses: people write a status with a capital, as v4 does. */
function formOfWords(word: string | undefined, form: FormName): FormName {
  return word !== undefined && /^\p{Lu}/u.test(word) ? "v4-story" : form;
}

/** Fails for a change that goes back, and not as the work itself does. */
function refuseStepBack(
  key: string,
  { from = "backlog", to, seen }: { readonly from?: string; readonly to: string; readonly seen: State },
): void {
  if (isStepBack(from, to, seen)) failStepBack(key, from, to);
}

/** A document that decides by itself gets a status. */
function markDocument(
  { files }: WriterWorld,
  { form, state: seen }: Story,
  { path, key, place }: { readonly path: string; readonly key: string; readonly place: Place },
  { status, isForced }: EditRequest,
): Edit {
  const before = files.find(path) ?? fail({ code: "not-found", what: "file", name: path });
  const from = readDocument(path, before).status?.word;
  const own = formOfWords(from, form);
  const to = readWord(status, wordsOf(own), isForced);
  if (from === to || (from !== undefined && stateOf(from) === stateOf(to) && !isOther(status, to, own))) {
    return { changes: [], files: [], notes: [] };
  }
  if (!isForced) {
    refuseStepBack(key, { from, to, seen });
    refuseDraft(form, key, from, to);
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
  const path = file ??
    joinPath(parentPath(epic.ledger), "stories", `${nameFor(story.key, story.title)}.md`);
  // Somebody else may have made it since the board was read.
  return file === undefined && world.files.find(path) === undefined
    ? makeRecord(world, { path, key, title: story.title }, request)
    : markDocument(world, story, { path, key, place: "front matter" }, request);
}

/** `2-pay-now`. */
function nameFor(id: string, title: string): string {
  const words = slug(title).slice(0, 60).replace(/-$/, "");
  return words === "" || words === slug(id) ? id : `${id}-${words}`;
}

function makeRecord(
  world: WriterWorld,
  { path, key, title }: Readonly<Record<"path" | "key" | "title", string>>,
  { status, isForced }: EditRequest,
): Edit {
  const to = readWord(status, wordsOf("spec-story"), isForced);
  const all = { title, created: localDate(world.now()), status: to };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${writeScalar(value, "plain")}\n`);
  const text = `---\n${fields.join("")}---\n\n# ${title}\n`;
  return { changes: [{ key, to }], files: [{ path, text, before: undefined }], notes: [`made ${path}`] };
}

/** A story file without a ledger. */
function markFile(world: WriterWorld, { story, epic }: Target, request: EditRequest): Edit {
  if (story === undefined) return refuseEpic(epic);
  const { file: path, ref, key } = story;
  if (path === undefined) {
    const hint = `it is only planned, in ${story.ledger}; write its story file first`;
    // v4 has no sprints.
    if (epic.ledger === world.v4) return refuse(`mark ${ref}`, hint);
    return refuse(`mark ${ref}`, `${hint}, or make a sprint of the plan`, { fixes: ["plan"] });
  }
  return markDocument(world, story, { path, key, place: "body" }, request);
}

/** A ticket: its plan has the status, and is made if missing. Its own file follows, if that has one, too. */
function* markTicket(world: WriterWorld, target: Target, request: EditRequest): Steps<Edit> {
  const { files } = world;
  const { story, epic } = target;
  const { store } = readTicketStore(files.find);
  if (store !== "repo") refuse(`mark in ${epic.ledger}`, `${store} keeps the statuses of this project`);
  if (story === undefined) return markTicketEpic(world, epic, request);
  const key = story.ref;
  const source = openSource(files.tree, { planning: [], implementation: [] });
  const tree = yield* readTicketTree(source, ledgerOf(world, epic)!.path);
  const ticket = [...tree.tickets, ...tree.builds].find((one) => ticketRef(one, tree) === key) ??
    fail({ code: "not-found", what: "story", name: key });
  const [own] = ticket.words;
  if (own?.source === "tracker") refuse(`mark ${key}`, "a tracker keeps its status (tracker_status)");
  const from = own?.word || undefined;
  const to = readWord(request.status, TICKET_STATUSES, request.isForced);
  const isSame = from === to || from !== undefined && TICKET_STATUSES.includes(from) &&
      stateOf(from) === stateOf(to) && !isOther(request.status, to, "ticket");
  if (!isSame && !request.isForced) refuseStepBack(key, { from, to, seen: story.state });
  const edits: FileEdit[] = [];
  if (!isSame || ticket.plan === undefined) {
    const { path, before, text } = editPlan([ticket, tree], {
      status: to,
      // As tickets.py does: why it was blocked goes with the block.
      ...(stateOf(to) !== "blocked" && { blocked_at: "", blocked_reason: "" }),
      ...(request.by !== undefined && ticket.assignee === "" && { assignee: request.by }),
    }, { find: files.find, change: changed });
    if (text === undefined) return refuse(`mark ${key}`, `${path} exists and is the plan of no ticket here`);
    edits.push({ path, before, text });
  }
  for (const { source, word, path } of ticket.words) {
    const before = source === "file" && stateOf(word) !== stateOf(to) ? files.find(path) : undefined;
    if (before !== undefined) edits.push({ path, before, text: changed(before, { status: to }) });
  }
  return {
    changes: isSame ? [] : [{ key, from, to }],
    files: edits,
    notes: ticket.plan === undefined ? [`made ${edits[0]!.path}`] : [],
  };
}

/** The text with other fields, in the quotes that it has, and with the comments that are not part of a value. */
function changed(text: string, fields: TicketFields): string {
  const kept = withFields(text, fields, (line, _, value) => withValue(line, value) ?? line);
  return readTicketDocument(kept).fields["status"] === fields["status"] ? kept : withFields(text, fields);
}

/** Only a person says that an epic of tickets is done; its file has the status. */
function markTicketEpic({ files }: WriterWorld, epic: Epic, request: EditRequest): Edit {
  const { file, ref, stories } = epic;
  const key = baseName(file ? parentPath(file) : ref);
  if (file === undefined) return refuse(`mark ${key}`, "it has no file of its own");
  const state = stateOf(request.status);
  if (state === undefined || !EPIC_STATUSES.includes(state)) {
    return failUnknown("status", request.status, EPIC_STATUSES);
  }
  if (state === "done" && !request.isForced) {
    refuseEarlyEnd(key, new Map(stories.map((one) => [one.ref, one.state])));
  }
  const before = files.find(file) ?? fail({ code: "not-found", what: "file", name: file });
  const { fields, end } = readTicketDocument(before);
  const from = asText(fields["status"]);
  if (from === state) return { changes: [], files: [], notes: [] };
  if (end === 0) refuse(`mark ${key}`, `${file} has no front matter`);
  if (!request.isForced) refuseStepBack(key, { from, to: state, seen: epic.state });
  const text = changed(before, { status: state });
  return { changes: [{ key, from, to: state }], files: [{ path: file, text, before }], notes: [] };
}
