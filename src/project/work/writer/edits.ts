/**
 * Which files change with a status, and how, for each format. Every other byte stays; a new text is read again and
 * refused unless it says the new status.
 */
import { recover } from "../../../base/absence.ts";
import { BmadError, expectFailure, fail, failMissing, failUnknown } from "../../../base/errors.ts";
import { liesIn } from "../../../base/paths.ts";
import { localDate } from "../../../base/time.ts";
import { asText, slug } from "../../../base/values.ts";
import type { Interruptible } from "../../../base/work.ts";
import { baseName, joinPath, parentPath } from "../../../content/tree/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";
import { epicName, type Target } from "../board/mod.ts";
import {
  type DocumentStatus,
  EditedText,
  editPlan,
  type Epic,
  EPIC_STATUSES,
  failStepBack,
  type FormName,
  isBehind,
  isStepBack,
  type Ledger,
  markLine,
  meaningOf,
  openSource,
  readDocument,
  readEntry,
  readTicketDocument,
  readTicketStore,
  readTicketTree,
  readWord,
  refuseDraft,
  refuseEarlyEnd,
  replaceScalar,
  type State,
  stateCalled,
  stateOf,
  type Story,
  TICKET_STATUSES,
  type TicketFields,
  ticketRef,
  type Tracked,
  trackedIn,
  withFields,
  wordFor,
  wordsOf,
  writeScalar,
} from "../formats/mod.ts";
import { markSprint } from "../ledger/mod.ts";
import { refuseForm } from "./text_lines.ts";
import { refuse, textIn, type WriteContext } from "./write_context.ts";

export interface Edit {
  readonly changes: readonly { readonly key: string; readonly from?: string; readonly to: string }[];
  readonly files: readonly FileEdit[];
  readonly notes: readonly string[];
}

export interface FileEdit {
  readonly path: string;
  readonly text: string;
  readonly before: string | undefined;
}

interface EditRequest {
  readonly status: string;
  readonly by?: string;
  readonly isForced: boolean;
  readonly reason?: string;
  readonly undoes?: Undone;
}

/** What a mark changed, and who held the story before. */
export interface Undone {
  readonly changes: Edit["changes"];
  readonly before?: string | undefined;
}

const UNCHANGED: Edit = { changes: [], files: [], notes: [] };

const BY_FORMAT: Readonly<
  Record<string, (world: WriteContext, target: Target, request: EditRequest) => Edit | Interruptible<Edit>>
> = {
  "sprint-status": markInSprint,
  "stories-yaml": markRecord,
  "story-files": markFile,
  "tickets": markTicket,
};

export function* editFor(world: WriteContext, target: Target, request: EditRequest): Interruptible<Edit> {
  const format = ledgerOf(world, target.epic)?.format ?? "";
  const editIn = BY_FORMAT[format] ?? refuse(`mark in ${target.epic.ledger}`, "its format is unknown");
  const made = editIn(world, target, request);
  const edit = "changes" in made ? made : yield* made;
  return { ...edit, files: edit.files.filter(({ text, before }) => text !== before) };
}

function ledgerOf({ board }: WriteContext, { ledger }: Epic): Ledger | undefined {
  return board.ledgers.filter(({ path }) => liesIn(ledger, path))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function* markInSprint(
  world: WriteContext,
  { story, epic, isRetrospective }: Target,
  { status: given, isForced, undoes }: EditRequest,
): Interruptible<Edit> {
  const path = epic.ledger;
  const before = textIn(world.files, path, "ledger");
  const name = story?.key ?? epicName(epic, isRetrospective);
  const request = {
    name,
    status: given,
    isForced,
    seen: story?.state,
    undoes: undoes?.changes,
    now: world.now(),
  };
  const { text, status, changes } = yield* markSprint(path, before, request);
  const change = changes.find((one) => one.key === story?.key);
  const { files, notes } = story === undefined ? UNCHANGED : follow(world, story, status, {
    isForced,
    isMeant: isForced || change !== undefined,
    isBack: change !== undefined && isBehind(change.to, change.from),
  });
  return { changes, files: [{ path, text, before }, ...files], notes };
}

/**
 * Unless the ledger moves back, a file stays that BMAD's own order of statuses allows beside it: a build relies on its
 * spec.
 */
function follow(
  { files, board }: WriteContext,
  { file, key, form }: Story,
  status: string,
  { isForced, isMeant, isBack }: Readonly<Record<"isForced" | "isMeant" | "isBack", boolean>>,
): Edit {
  const isShared = board.epics.some(({ stories }) =>
    stories.some((one) => one.file === file && one.key !== key)
  );
  const before = file === undefined || isShared ? undefined : files.find(file);
  if (file === undefined || before === undefined) return UNCHANGED;
  const word = readDocument(file, before).status?.word;
  if (word === undefined || word === status) return UNCHANGED;
  const [own, wanted] = [stateOf(word), stateOf(status)];
  if (own !== undefined && own === wanted) return UNCHANGED;
  const isNormal = own !== undefined && wanted !== undefined && meaningOf(form, wanted, own) !== undefined;
  if (isNormal && !isBack) return UNCHANGED;
  if (isBehind(status, word) && !isMeant) {
    return { ...UNCHANGED, notes: [`${file} says "${word}" already, and was left so`] };
  }
  if (!isForced) refuseDraft(form, key, word, status);
  const to = wordFor(wanted, formOfWords(word, form)) ?? status;
  return { ...UNCHANGED, files: [{ path: file, text: withStatus(file, before, to), before }] };
}

/** v4 and people write a capital letter. */
function formOfWords(word: string | undefined, form: FormName): FormName {
  return word !== undefined && /^\p{Lu}/u.test(word) ? "v4-story" : form;
}

function refuseStepBack(key: string, from = "backlog", to: string, seen: State): void {
  if (isStepBack(from, to, seen)) failStepBack(key, from, to);
}

function markDocument(
  { files }: WriteContext,
  { form, state: seen }: Story,
  { path, key, place }: { readonly path: string; readonly key: string; readonly place: Place },
  { status, isForced }: EditRequest,
): Edit {
  const before = textIn(files, path);
  const from = readDocument(path, before).status?.word;
  const own = formOfWords(from, form);
  const to = readWord(status, wordsOf(own), isForced);
  if (isSame(from, to, status, own)) return UNCHANGED;
  if (!isForced) {
    refuseStepBack(key, from, to, seen);
    refuseDraft(form, key, from, to);
  }
  const text = withStatus(path, before, to, place);
  return { changes: [{ key, from, to }], files: [{ path, text, before }], notes: [] };
}

function isSame(from: string | undefined, to: string, given: string, form: FormName): boolean {
  if (from === undefined || stateOf(from) !== stateOf(to)) return false;
  return from === to || to === wordFor(stateOf(to), form) && given.trim().toLowerCase() !== to.toLowerCase();
}

function refuseEpic({ ref, title }: Epic): never {
  return refuse(`mark ${ref || title}`, "its state follows from its stories");
}

function markRecord(world: WriteContext, { story, epic }: Target, request: EditRequest): Edit {
  if (story === undefined) return refuseEpic(epic);
  const { file, ref: key, title } = story;
  const path = file ?? joinPath(parentPath(epic.ledger), "stories", `${nameFor(story.key, title)}.md`);
  // It may be new since the board was read.
  if (file !== undefined || world.files.find(path) !== undefined) {
    return markDocument(world, story, { path, key, place: "front matter" }, request);
  }
  const to = readWord(request.status, wordsOf("spec-story"), request.isForced);
  const fields = Object.entries({ title, created: localDate(world.now()), status: to })
    .map(([name, value]) => `${name}: ${writeScalar(value, "plain")}\n`);
  const text = `---\n${fields.join("")}---\n\n# ${title}\n`;
  return { changes: [{ key, to }], files: [{ path, text, before: undefined }], notes: [`made ${path}`] };
}

function nameFor(id: string, title: string): string {
  const words = slug(title).slice(0, 60).replace(/-$/, "");
  return words === "" || words === slug(id) ? id : `${id}-${words}`;
}

function markFile(world: WriteContext, { story, epic }: Target, request: EditRequest): Edit {
  if (story === undefined) return refuseEpic(epic);
  const { file: path, ref, key } = story;
  if (path !== undefined) return markDocument(world, story, { path, key, place: "body" }, request);
  const hint = `it is only planned, in ${story.ledger}; write its story file first`;
  if (epic.ledger === world.v4) return refuse(`mark ${ref}`, hint);
  return refuse(`mark ${ref}`, `${hint}, or make a sprint of the plan`, { fixes: ["plan"] });
}

function* markTicket(world: WriteContext, target: Target, request: EditRequest): Interruptible<Edit> {
  const { files } = world;
  const { story, epic } = target;
  if (story === undefined) return markTicketEpic(world, epic, request);
  const { ref: key, tracked, file } = story;
  const source = openSource(files.tree, { planning: [], implementation: [] });
  const tree = yield* readTicketTree(source, ledgerOf(world, epic)!.path);
  const ticket = [...tree.tickets, ...tree.builds].find((one) => ticketRef(one, tree) === key) ??
    failMissing("story", key);
  const [own] = ticket.words;
  if (tracked !== undefined) {
    const to = stateCalled(readWord(request.status, TICKET_STATUSES, false));
    const from = ticket.trackerStatus || undefined;
    if (from === to) return UNCHANGED;
    if (!request.isForced) refuseStepBack(key, from, to, story.state);
    refuseUnmoved(key, tracked, to, request);
    const before = textIn(files, file!);
    const text = changed(before, { tracker_status: to });
    return { changes: [{ key, from, to }], files: [{ path: file!, text, before }], notes: [] };
  }
  if (own?.source === "tracker") refuse(`mark ${key}`, "a tracker keeps its status (tracker_status)");
  const from = own?.word || undefined;
  const to = readWord(request.status, TICKET_STATUSES, request.isForced);
  const isUnknown = from !== undefined && from !== to && !TICKET_STATUSES.includes(from);
  const isUnchanged = !isUnknown && isSame(from, to, request.status, "ticket");
  if (!isUnchanged && !request.isForced) refuseStepBack(key, from, to, story.state);
  const edits: FileEdit[] = [];
  if (!isUnchanged || ticket.plan === undefined) {
    const { path, before, text } = editPlan([ticket, tree], {
      status: to,
      // As in tickets.py: the reason goes with the block.
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
    changes: isUnchanged ? [] : [{ key, from, to }],
    files: edits,
    notes: ticket.plan === undefined ? [`made ${edits[0]!.path}`] : [],
  };
}

/** A reason says that it has moved there. */
function refuseUnmoved(
  key: string,
  tracked: Tracked,
  to: string,
  { isForced, reason, undoes }: EditRequest,
): void {
  const isPublished = tracked.id !== undefined;
  if (isPublished && (isForced && undoes === undefined || reason?.trim())) return;
  refuse(
    `mark ${key} as ${to}`,
    `${tracked.store} keeps its status. First: ${markLine(tracked, to, () => undefined)}`,
    isPublished ? { advice: "\nThen mark it here, with a reason", fixes: ["reason"] } : {},
  );
}

function changed(text: string, fields: TicketFields): string {
  const kept = withFields(text, fields, (line, _, value) => withValue(line, value) ?? line);
  const [name] = Object.keys(fields);
  return readTicketDocument(kept).fields[name!] === fields[name!] ? kept : withFields(text, fields);
}

/** Only people say that it is done; its file has the status. */
function markTicketEpic({ files }: WriteContext, epic: Epic, request: EditRequest): Edit {
  const { status, isForced } = request;
  const { file: path, ref, stories } = epic;
  const key = baseName(path ? parentPath(path) : ref);
  if (path === undefined) return refuse(`mark ${key}`, "it has no file of its own");
  const to = stateOf(status);
  if (to === undefined || !EPIC_STATUSES.includes(to)) return failUnknown("status", status, EPIC_STATUSES);
  if (to === "done" && !isForced) refuseEarlyEnd(key, new Map(stories.map((one) => [one.ref, one.state])));
  const before = textIn(files, path);
  const { fields, end } = readTicketDocument(before);
  const from = asText(fields["status"]);
  if (from === to) return UNCHANGED;
  if (end === 0) refuse(`mark ${key}`, `${path} has no front matter`);
  if (!isForced) refuseStepBack(key, from, to, epic.state);
  const tracked = trackedIn(readTicketStore(files.find), { ...fields, tracker_status: from });
  // Unpublished, it is only here.
  if (tracked?.id !== undefined) refuseUnmoved(key, tracked, to, request);
  const text = changed(before, { status: to });
  return { changes: [{ key, from, to }], files: [{ path, text, before }], notes: [] };
}

const MAX_LINE = 2_000;

type Place = "front matter" | "body";

/** Without a place, no status is added. */
export function withStatus(path: string, text: string, status: string, place?: Place): string {
  const { status: old, end, heading } = readDocument(path, text);
  if (old === undefined && place === undefined) return text;
  const refuseStatus = (): never =>
    refuseForm(path, "its status is written in a way that cannot be changed by itself", old?.line);
  const edited = new EditedText(text);
  if (old !== undefined) {
    const line = edited.lines[old.line - 1];
    if (line === undefined || line.text.length > MAX_LINE) return refuseStatus();
    line.text = withWord(line.text, old, status) ?? refuseStatus();
  } else if (place === "front matter") {
    const field = `status: ${writeScalar(status, "plain")}`;
    if (end > 0) edited.insert(end - 1, [field]);
    else edited.insert(0, ["---", field, "---", ""]);
  } else {
    const above = heading?.line ?? end;
    edited.insert(above, [...(above === 0 ? [] : [""]), `Status: ${status}`]);
  }
  const changed = edited.toString();
  return readDocument(path, changed).status?.word === status ? changed : refuseStatus();
}

function withValue(line: string, value: string): string | undefined {
  const { head, value: scalar } = readEntry(line) ?? {};
  if (head === undefined || scalar === undefined) return undefined;
  return head + replaceScalar(scalar, value);
}

const SIGNS = "*_`";

function withWord(line: string, { written }: DocumentStatus, status: string): string | undefined {
  if (written === undefined) return withValue(line, status);
  const { text, from } = written;
  if (!line.startsWith(text, from)) return undefined;
  let [start, end] = [0, text.length];
  while (start < end && SIGNS.includes(text[start]!)) start++;
  while (end > start && SIGNS.includes(text[end - 1]!)) end--;
  return `${line.slice(0, from + start)}${status}${line.slice(from + end)}`;
}

export function writeAll(files: ProjectFiles, edits: readonly FileEdit[]): void {
  for (const [at, { path, text, before }] of edits.entries()) {
    try {
      files.replace(path, text, before);
    } catch (error) {
      const written = edits.slice(0, at).reverse();
      const kept = written.filter((one) => !isSetBack(files, one)).map((one) => one.path);
      const failure = expectFailure(error);
      if (written.length === 0) throw error;
      const state = kept.length === 0
        ? "nothing was changed"
        : `${kept.join(", ")} was changed already, and the same call again does the rest`;
      if (failure.code === "not-writable") fail({ ...failure, reason: `${failure.reason}; ${state}` });
      if (failure.code === "not-allowed") fail({ ...failure, hint: `${failure.hint}; ${state}` });
      throw error;
    }
  }
}

function isSetBack(files: ProjectFiles, { path, text, before }: FileEdit): boolean {
  return recover(BmadError, () => (files.replace(path, before, text), true), () => false);
}
