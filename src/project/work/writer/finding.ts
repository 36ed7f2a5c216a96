/** Records and settles what reviews find, in the story's file. */
import {
  chooseFrom,
  failField,
  failFile,
  failInput,
  failMissing,
  failUnknown,
} from "../../../base/errors.ts";
import { oneLine, shorten, withCommand } from "../../../base/text.ts";
import { localDate } from "../../../base/time.ts";
import { joinPath, parentPath } from "../../../content/tree/mod.ts";
import { findStory, identityOf, type JournalEntry, type StoryMatch } from "../board/mod.ts";
import {
  DEFERRED_FILE,
  EditedText,
  findingId,
  FORMS,
  isPlace,
  lengthProblem,
  type Moment,
  pathIn,
  readReview,
  readStoryText,
  type ReviewFinding,
  SEVERITIES,
  type Severity,
  type Story,
  tagsIn,
  uniqueFindings,
  type Verdict,
  VERDICTS,
  wordsIn,
} from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";
import type { FindingOutcome } from "../review/mod.ts";
import { nameOfOwner, note } from "./claims.ts";
import { type FileEdit, writeAll } from "./edits.ts";
import { isUnchanged, keepFoundFile } from "./found_files.ts";
import {
  type Decided,
  decidedWords,
  styleFor,
  withFinding,
  withPass,
  withVerdict,
  writtenAs,
} from "./review_edit.ts";
import { plainLine, saysSomething } from "./text_lines.ts";
import { refuse, refuseUnwritten, textIn, type WriteContext } from "./write_context.ts";

export interface FindingRequest {
  readonly story: string;
  /** For a known finding, its id or text. */
  readonly text: string;
  readonly severity?: string;
  readonly file?: string;
  readonly verdict?: string;
  readonly reason?: string;
  readonly by?: string;
  readonly isForced?: boolean;
  /** The call that gives a reason, too. */
  again?(verdict: Verdict): string | undefined;
}

interface Said {
  readonly text: string;
  readonly file?: string;
  readonly severity?: Severity;
}

/** Which known finding says the same, and which might; a grave one needs certain matches. */
export type Recognize = (
  said: Said,
  known: readonly ReviewFinding[],
  isGrave: boolean,
) => Promise<Pick<FindingOutcome, "alike" | "beside"> & { readonly same?: ReviewFinding }>;

interface Recording {
  readonly world: WriteContext;
  readonly found: StoryMatch;
  readonly request: FindingRequest;
  readonly recognize: Recognize;
}

const MAX_WORDS = 1_000;
const MAX_REASON = 500;
const MAX_LENSES = 8;

export function reviewedFile({ form, file, plan }: Story): string | undefined {
  return FORMS[form].completion.isPlanned ? plan ?? file : file ?? plan;
}

export function openReview(files: Pick<ProjectFiles, "find">, { story, epic }: StoryMatch) {
  const path = reviewedFile(story) ?? refuseUnwritten(`review ${identityOf(epic, story)}`, story);
  const before = textAt(files, path);
  const document = readStoryText(path, before);
  const review = readReview(document);
  // Those in the story's other file came before.
  const other = [story.file, story.plan].find((one) => one !== undefined && one !== path);
  const earlier = other === undefined ? undefined : readReview(readStoryText(other, textAt(files, other)));
  const { passes = [], findings = [] } = earlier ?? {};
  return {
    path,
    before,
    style: styleFor(document, FORMS[story.form].review),
    passes: [...passes, ...review.passes],
    findings: [
      ...findings,
      ...review.findings.map((one) => ({ ...one, pass: one.pass + passes.length })),
    ],
  };
}

export function textAt(files: Pick<ProjectFiles, "find">, path: string): string {
  const text = textIn(files, path);
  const problem = lengthProblem(text);
  return problem === undefined ? text : failFile(path, problem);
}

export async function beginPass(
  world: WriteContext,
  request: { readonly story: string; readonly lenses: readonly string[] },
): Promise<void> {
  const found = findStory(world.board, request.story);
  const lenses = request.lenses.map((one) => shorten(plainText(one).replaceAll(/[(),\s]+/g, " ").trim(), 60))
    .filter(saysSomething).slice(0, MAX_LENSES);
  if (lenses.length === 0) failField("lens", "It says nothing");
  return await world.files.exclusively(() => {
    const { path, before, style } = openReview(world.files, found);
    const text = withPass(path, before, style, { date: localDate(world.now()), lenses });
    world.files.replace(path, text, before);
  }, world.signal);
}

export async function recordFinding(
  world: WriteContext,
  request: FindingRequest,
  recognize: Recognize,
): Promise<FindingOutcome> {
  const recording = { world, found: findStory(world.board, request.story), request, recognize };
  return request.verdict === undefined
    ? await addFinding(recording)
    : await settleFinding(recording, wordOf("verdict", request.verdict, VERDICTS));
}

async function addFinding(recording: Recording): Promise<FindingOutcome> {
  const { world, found, request } = recording;
  const { tags, rest } = tagsIn(plainText(request.text));
  const { text, file: own } = request.file ? { text: rest } : wordsIn(shorten(rest, MAX_WORDS));
  const words = shorten(text, MAX_WORDS);
  if (!saysSomething(words)) failField("text", "It says nothing");
  const given = request.severity ?? tags.find((tag) => SEVERITIES.some((one) => one === tag));
  const severity = wordOf("severity", given, SEVERITIES);
  const file = placeOf(world, request.file) ?? own;
  // Outside the lock: comparing texts takes time.
  const { same: known, alike, beside } = request.isForced
    ? {}
    : await knownAs({ text: words, file, severity }, severity === "high", recording);
  if (known !== undefined) return recorded(recording, known, "known");
  return await world.files.exclusively((isShared) => {
    const { path, before, style, passes, findings } = openReview(world.files, found);
    const written = writtenAs(style, words, file);
    const id = findingId(wordsIn(written).text, wordsIn(written).file);
    const same = findings.find((one) => one.id === id);
    const isMeant = same !== undefined && (!request.isForced || same.file === wordsIn(written).file);
    if (isMeant) return recorded(recording, same, "known");
    const begun = passes.some((pass) => pass.path === path)
      ? before
      : withPass(path, before, style, { date: localDate(world.now()), lenses: [] });
    const moment = momentIn(recording);
    keepFoundFile({ world, found, isShared }, { id, file: wordsIn(written).file });
    const after = withFinding(path, begun, style, { severity, written, ...(moment.by && { found: moment }) });
    world.files.replace(path, after.text, before);
    const finding = openReview(world.files, found).findings
      .find((one) => one.path === path && one.line === after.line)!;
    const notes = noteFinding(recording, finding, { did: "find", severity });
    return { ...recorded(recording, finding, "added", [path]), alike, beside, notes };
  }, world.signal);
}

/** One pass rarely repeats a finding: only certain matches count. */
async function knownAs(said: Said, isGrave: boolean, { world, found, recognize }: Recording) {
  const { findings, passes } = openReview(world.files, found);
  const isPresent = ({ pass, isOpen }: ReviewFinding) => isOpen && pass === passes.length;
  const present = await recognize(said, findings.filter(isPresent), true);
  if (present.same !== undefined) return present;
  const known = await recognize(said, findings.filter((one) => !isPresent(one)), isGrave);
  const alike = known.alike ?? present.alike;
  return {
    same: known.same,
    alike,
    beside: alike === undefined ? known.beside ?? present.beside : undefined,
  };
}

async function settleFinding(recording: Recording, verdict: Verdict): Promise<FindingOutcome> {
  const { world, found, request } = recording;
  const reason = request.reason?.trim() ? shorten(plainText(request.reason), MAX_REASON) : undefined;
  if (reason === undefined && (verdict === "rejected" || verdict === "deferred")) {
    const hint = withCommand("As in", request.again?.(verdict));
    failInput(`Give a reason to ${verdict === "rejected" ? "reject" : "defer"} this finding`, hint);
  }
  const given = request.severity;
  const severity = given === undefined ? undefined : wordOf("severity", given, SEVERITIES);
  const { id } = await findingOf(recording);
  const isMeant = (one: ReviewFinding) =>
    one.verdict === verdict && one.isOpen === (verdict === "accepted") &&
    (reason === undefined || one.reason === reason) && (severity === undefined || one.severity === severity);
  return await world.files.exclusively((isShared) => {
    // BMAD may record it twice.
    const rows = openReview(world.files, found).findings.filter((one) => one.id === id);
    const [first = failMissing("finding", id)] = rows;
    const place = { world, found, isShared };
    if (
      verdict === "fixed" && first.verdict !== "fixed" && reason === undefined && isUnchanged(place, first)
    ) {
      refuse(`settle ${id} as fixed`, `${pathIn(first.file)} has not changed since it was found`, {
        advice: "; change it, or say why with a reason",
      });
    }
    if (verdict === "accepted" && !first.isOpen) keepFoundFile(place, first);
    const changed = new Map<string, FileEdit>();
    const decided = { verdict, reason, settled: momentIn(recording) };
    for (const row of rows.filter((one) => !isMeant(one))) {
      const rated = severity ?? row.severity;
      // A rejected finding keeps its text, not its severity.
      if (rated === undefined && row.verdict === "rejected" && verdict === "accepted") {
        const again = `give it again (${SEVERITIES.join(", ")})`;
        failField("severity", `It is not kept for what was rejected: ${again}`);
      }
      const { path } = row;
      const before = changed.get(path)?.before ?? textAt(world.files, path);
      const text = changed.get(path)?.text ?? before;
      changed.set(path, {
        path,
        before,
        text: withVerdict(path, text, { ...row, severity: rated }, decided),
      });
    }
    const edits = [
      ...changed.values(),
      ...deferredEdit(recording, first, changed.size > 0 ? decided : { ...first, verdict }),
    ];
    writeAll(world.files, edits);
    const after = openReview(world.files, found).findings.find((one) => one.id === id)!;
    if (edits.length === 0) return recorded(recording, after, "same");
    const notes = noteFinding(recording, after, {
      did: "settle",
      verdict,
      ...(reason !== undefined && { reasons: [reason] }),
    });
    const was = changed.size > 0 && !first.isOpen && first.verdict !== undefined ? first : undefined;
    return { ...recorded(recording, after, "settled", edits.map(({ path }) => path)), was, notes };
  }, world.signal);
}

async function findingOf({ world, found, request, recognize }: Recording): Promise<ReviewFinding> {
  const { findings } = openReview(world.files, found);
  const given = plainText(request.text);
  if (findings.length === 0) {
    refuse(
      `settle a finding of ${identityOf(found.epic, found.story)}`,
      "no finding is recorded in its file",
    );
  }
  const { rest } = tagsIn(given);
  return findings.find(({ id }) => id === given.toLowerCase()) ??
    findings.find((one) => one.text === rest) ??
    (await recognize({ text: rest, file: placeOf(world, request.file) }, findings, true)).same ??
    failUnknown("finding", given, findings.map(({ id }) => id));
}

function momentIn({ world, request }: Recording): Moment {
  const by = nameOfOwner(request.by);
  return { day: localDate(world.now()), by: by && plainText(by).replaceAll(/:\s*/g, " ") };
}

function noteFinding(
  { world, found, request }: Recording,
  { id, written }: ReviewFinding,
  entry: Pick<JournalEntry, "did" | "severity" | "verdict" | "reasons">,
): readonly string[] {
  return note(world, found, { by: nameOfOwner(request.by), finding: id, text: written, ...entry });
}

function recorded(
  { world, found }: Recording,
  finding: ReviewFinding,
  outcome: FindingOutcome["outcome"],
  files: readonly string[] = [],
): FindingOutcome {
  const { passes, findings } = openReview(world.files, found);
  return { found, finding, outcome, files, passes, findings: uniqueFindings(findings) };
}

function plainText(text: string): string {
  return plainLine(oneLine(text).replaceAll(/\s(?:—|–|--)\s/g, " - "));
}

/** Relative to the project, without what would end it in a row. */
function placeOf({ files: { root } }: WriteContext, given: string | undefined): string | undefined {
  const file = given && oneLine(given).trim().replaceAll("\\", "/").replaceAll(/[`<>]/g, "");
  if (!file) return undefined;
  const own = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file.replace(/^\.\//, "");
  if (own.length > 250) failField("file", "Longer than 250 characters");
  // A bare name would be a word.
  return isPlace(own) ? own : `./${own}`;
}

function wordOf<T extends string>(field: string, given: string | undefined, words: readonly T[]): T {
  const plain = given?.trim().toLowerCase() ?? "";
  return chooseFrom(words, field, SYNONYMS[plain] ?? plain);
}

const SYNONYMS: Readonly<Record<string, Severity | Verdict>> = {
  critical: "high",
  blocker: "high",
  major: "high",
  med: "medium",
  moderate: "medium",
  minor: "low",
  info: "low",
  accept: "accepted",
  reject: "rejected",
  dismiss: "rejected",
  dismissed: "rejected",
  false: "rejected",
  wontfix: "rejected",
  defer: "deferred",
  fix: "fixed",
  resolved: "fixed",
  done: "fixed",
};

/** Also where BMAD looks for deferred ones, with what becomes of them; without that folder, nowhere. */
function deferredEdit(
  { world: { files, journal, now }, found: { story, epic } }: Recording,
  { written, path: source, style }: ReviewFinding,
  decided: Decided,
): readonly FileEdit[] {
  const folder = journal && parentPath(journal);
  if (folder === undefined || story.form === "v4-story" || files.realFolder(folder) === undefined) return [];
  const path = joinPath(folder, DEFERRED_FILE);
  const before = files.find(path);
  const edited = new EditedText(before ?? "");
  const isDeferred = decided.verdict === "deferred";
  const row = `- ${isDeferred ? written : `~~${written}~~`} — ${decidedWords(decided)}`;
  const verdict = `  verdict: ${decidedWords(decided)}`;
  const section = `## Deferred from: code review of ${identityOf(epic, story)} (`;
  const spec = `- source_spec: \`${source}\``;
  let heading = "";
  const at = edited.lines.findIndex(({ text }) => {
    if (text.startsWith("#")) heading = text;
    return heading.startsWith(section) &&
      [`- ${written}`, `- ~~${written}~~`].some((start) => `${text} — `.startsWith(`${start} — `));
  });
  const summary = edited.lines.findIndex(({ text }, at) =>
    text === `  summary: ${written}` && edited.lines[at - 1]?.text === spec
  );
  if (at >= 0) edited.lines[at]!.text = row;
  else if (summary >= 0) {
    const rest = edited.lines.slice(summary + 1);
    const size = rest.findIndex(({ text }) => !text.startsWith("  "));
    const own = size < 0 ? rest : rest.slice(0, size);
    const old = own.findIndex(({ text }) => text.startsWith("  verdict: "));
    edited.replace(summary + 1 + (old < 0 ? own.length : old), old < 0 ? 0 : 1, [
      { text: verdict, end: edited.newline },
    ]);
  } else if (isDeferred) {
    const end = edited.lastFilled();
    const own = `${section}${localDate(now())})`;
    // A build's entry names its spec; a code review's line has a heading of its own.
    const lines = style === "triage"
      ? [
        "",
        `- source_spec: \`${source}\``,
        `  summary: ${written}`,
        `  evidence: ${decided.reason}`,
        verdict,
      ]
      : [...(heading === own ? [] : ["", own, ""]), row];
    edited.insert(end, end === 0 ? lines.slice(1) : lines);
  }
  return [{ path, before, text: edited.toString() }].filter(({ text }) => text !== (before ?? ""));
}
