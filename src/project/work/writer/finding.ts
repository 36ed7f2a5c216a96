/**
 * Records what a review finds, and settles it, in the file of the story.
 */
import { fail, failUnknown } from "../../../base/errors.ts";
import { oneLine, shorten, splitLines } from "../../../base/text.ts";
import { localDate } from "../../../base/work.ts";
import { joinPath, parentPath } from "../../../content/tree/mod.ts";
import { findStory, type Found, identityOf } from "../board/mod.ts";
import {
  DEFERRED_FILE,
  eachOnce,
  excessOf,
  findingId,
  FORMS,
  isPlace,
  readReview,
  readStoryText,
  type Review,
  type ReviewFinding,
  type RowStyle,
  SEVERITIES,
  type Severity,
  type Story,
  tagsIn,
  type Verdict,
  VERDICTS,
  wordsIn,
} from "../formats/mod.ts";
import type { ProjectFiles } from "../../files/mod.ts";
import type { Told } from "../review/mod.ts";
import type { FileEdit } from "./edits.ts";
import { styleFor, withFinding, withPass, withVerdict, writtenAs } from "./review_edit.ts";
import { refuse, type WriterWorld } from "./world.ts";
import { writeAll } from "./write_all.ts";

/** What a reviewer says: a new finding with its severity, or a known one with its verdict. */
export interface FindingRequest {
  readonly story: string;
  /** What is wrong; of a known one, its id or its words. */
  readonly text: string;
  readonly severity?: string;
  readonly file?: string;
  readonly verdict?: string;
  readonly reason?: string;
  /** Whether it is another one, although it looks like one that is known. */
  readonly isForced?: boolean;
}

/** The one of the known findings that says the same, and one that may; a grave one must be the same for certain. */
export type Recognize = (
  said: { readonly text: string; readonly file?: string },
  known: readonly ReviewFinding[],
  isGrave: boolean,
) => Promise<{ readonly same?: ReviewFinding; readonly alike?: ReviewFinding }>;

/** A pass that has begun. */
export interface BegunPass {
  readonly number: number;
}

const MAX_WORDS = 1_000;
const MAX_REASON = 500;
const MAX_LENSES = 8;

/** The file of a story that its reviews and results are written in; undefined if there is none yet. */
export function reviewedFile({ form, file, plan }: Story): string | undefined {
  return FORMS[form].evidence.isPlanned ? plan ?? file : file ?? plan;
}

/** What the files of a story say of its reviews. */
export interface OpenedReview extends Review {
  /** The file that takes new findings, its text, and how it is written. */
  readonly path: string;
  readonly before: string;
  readonly style: RowStyle;
}

/** Reads the reviews of a story. Fails if it has no file yet. */
export function openReview(files: Pick<ProjectFiles, "find">, { story, epic }: Found): OpenedReview {
  const path = reviewedFile(story) ??
    refuse(`review ${identityOf(epic, story)}`, "it has no file yet in which findings could be written");
  const before = textAt(files, path);
  const document = readStoryText(path, before);
  const review = readReview(document);
  const others = [story.file, story.plan].filter((one) => one !== undefined && one !== path)
    .map((one) => readReview(readStoryText(one!, textAt(files, one!))));
  const earlier = others.flatMap(({ passes }) => passes);
  return {
    path,
    before,
    style: styleFor(document, FORMS[story.form].review),
    passes: [...earlier, ...review.passes],
    findings: [
      ...others.flatMap(({ findings }) => findings),
      ...review.findings.map((one) => ({ ...one, pass: one.pass + earlier.length })),
    ],
  };
}

/** The text of a file of a story. Fails if it is missing or too long to be read. */
export function textAt(files: Pick<ProjectFiles, "find">, path: string): string {
  const text = files.find(path) ?? fail({ code: "not-found", what: "file", name: path });
  const problem = excessOf(text);
  return problem === undefined ? text : fail({ code: "invalid-file", path, problem });
}

/** Begins a pass with some lenses. */
export async function beginPass(
  world: WriterWorld,
  request: { readonly story: string; readonly lenses: readonly string[] },
): Promise<BegunPass> {
  const found = findStory(world.board, request.story);
  const lenses = request.lenses.map((one) => shorten(plainText(one).replaceAll(/[(),\s]+/g, " ").trim(), 60))
    .filter((one) => /[\p{L}\p{N}]/u.test(one)).slice(0, MAX_LENSES);
  if (lenses.length === 0) fail({ code: "invalid-input", field: "lens", problem: "It says nothing" });
  return await world.files.exclusively(() => {
    const { path, before, style, passes } = openReview(world.files, found);
    const text = withPass(path, before, style, { date: localDate(world.now()), lenses });
    world.files.replace(path, text, before);
    return { number: passes.length + 1 };
  }, world.signal);
}

/** Records a finding, or settles one if the request has a verdict. */
export async function recordFinding(
  world: WriterWorld,
  request: FindingRequest,
  recognize: Recognize,
): Promise<Told> {
  const found = findStory(world.board, request.story);
  return request.verdict === undefined
    ? await addFinding(world, found, request, recognize)
    : await settleFinding(world, found, { ...request, verdict: request.verdict }, recognize);
}

async function addFinding(
  world: WriterWorld,
  found: Found,
  request: FindingRequest,
  recognize: Recognize,
): Promise<Told> {
  const { tags, rest } = tagsIn(plainText(request.text));
  const { text, file: own } = request.file ? { text: rest } : wordsIn(shorten(rest, MAX_WORDS));
  const words = shorten(text, MAX_WORDS);
  if (!/[\p{L}\p{N}]/u.test(words)) {
    fail({ code: "invalid-input", field: "text", problem: "It says nothing" });
  }
  const given = request.severity ?? tags.find((tag) => SEVERITIES.some((one) => one === tag));
  const severity = wordOf("severity", given, SEVERITIES);
  const file = placeOf(world, request.file) ?? own;
  // Before the lock: others need not wait while words are compared.
  const { same: known, alike } = request.isForced
    ? {}
    : await knownAs({ text: words, file }, severity, openReview(world.files, found), recognize);
  if (known !== undefined) return recorded(world, found, known, "known", []);
  return await world.files.exclusively(() => {
    const { path, before, style, passes, findings } = openReview(world.files, found);
    const written = writtenAs(style, words, file);
    const id = findingId(wordsIn(written).text, wordsIn(written).file);
    const same = findings.find((one) => one.id === id);
    const isMeant = same !== undefined && (!request.isForced || same.file === wordsIn(written).file);
    if (isMeant) return recorded(world, found, same, "known", []);
    const begun = passes.some((pass) => pass.path === path)
      ? before
      : withPass(path, before, style, { date: localDate(world.now()), lenses: [] });
    const after = withFinding(path, begun, style, { severity, written });
    world.files.replace(path, after.text, before);
    const finding = openReview(world.files, found).findings
      .find((one) => one.path === path && one.line === after.line)!;
    return { ...recorded(world, found, finding, "added", [path]), ...(alike && { alike }) };
  }, world.signal);
}

/** What a finding repeats. In one pass, nobody repeats themselves: there, only what is certain counts. */
async function knownAs(
  said: { readonly text: string; readonly file?: string },
  severity: Severity,
  { findings, passes }: OpenedReview,
  recognize: Recognize,
): Promise<Awaited<ReturnType<Recognize>>> {
  const isPresent = ({ pass, isOpen }: ReviewFinding) => isOpen && pass === passes.length;
  const present = await recognize(said, findings.filter(isPresent), true);
  if (present.same !== undefined) return present;
  const known = await recognize(said, findings.filter((one) => !isPresent(one)), severity === "high");
  return { same: known.same, alike: known.alike ?? present.alike };
}

async function settleFinding(
  world: WriterWorld,
  found: Found,
  request: FindingRequest & { readonly verdict: string },
  recognize: Recognize,
): Promise<Told> {
  const verdict = wordOf("verdict", request.verdict, VERDICTS);
  const reason = request.reason?.trim() ? shorten(plainText(request.reason), MAX_REASON) : undefined;
  if (reason === undefined && (verdict === "rejected" || verdict === "deferred")) {
    fail({ code: "invalid-input", field: "reason", problem: `What is ${verdict} needs one` });
  }
  const severity = request.severity === undefined
    ? undefined
    : wordOf("severity", request.severity, SEVERITIES);
  const { findings } = openReview(world.files, found);
  const { id } = await findingOf(world, found, request, findings, recognize);
  const isMeant = (one: ReviewFinding) =>
    one.verdict === verdict && one.isOpen === (verdict === "accepted") &&
    (reason === undefined || one.reason === reason) && (severity === undefined || one.severity === severity);
  return await world.files.exclusively(() => {
    // What BMAD has noted twice is settled twice.
    const rows = openReview(world.files, found).findings.filter((one) => one.id === id);
    const [first = fail({ code: "not-found", what: "finding", name: id })] = rows;
    const changed = new Map<string, FileEdit>();
    for (const row of rows.filter((one) => !isMeant(one))) {
      const given = severity ?? row.severity;
      // Only the words of a rejected finding are kept, and not how grave it was.
      if (given === undefined && row.verdict === "rejected" && verdict === "accepted") {
        const problem = `It is not kept for what was rejected: give it again (${SEVERITIES.join(", ")})`;
        fail({ code: "invalid-input", field: "severity", problem });
      }
      const { path } = row;
      const before = changed.get(path)?.before ?? textAt(world.files, path);
      const text = changed.get(path)?.text ?? before;
      changed.set(path, {
        path,
        before,
        text: withVerdict(path, text, { ...row, severity: given }, { verdict, reason }),
      });
    }
    const edits = [
      ...changed.values(),
      ...(verdict === "deferred" ? deferredEdit(world, found, first, reason!) : []),
    ];
    writeAll(world.files, edits);
    const after = openReview(world.files, found).findings.find((one) => one.id === id)!;
    const outcome = edits.length === 0 ? "same" : "settled";
    return recorded(world, found, after, outcome, edits.map(({ path }) => path));
  }, world.signal);
}

/** The finding that a request names by its id or its words. */
async function findingOf(
  world: WriterWorld,
  { story, epic }: Found,
  { text, file }: FindingRequest,
  findings: readonly ReviewFinding[],
  recognize: Recognize,
): Promise<ReviewFinding> {
  const given = plainText(text);
  if (findings.length === 0) {
    refuse(`settle a finding of ${identityOf(epic, story)}`, "no finding is recorded in its file");
  }
  const { rest } = tagsIn(given);
  return findings.find(({ id }) => id === given.toLowerCase()) ??
    findings.find((one) => one.text === rest) ??
    (await recognize({ text: rest, file: placeOf(world, file) }, findings, true)).same ??
    failUnknown("finding", given, findings.map(({ id }) => id));
}

function recorded(
  world: WriterWorld,
  found: Found,
  finding: ReviewFinding,
  outcome: Told["outcome"],
  files: readonly string[],
): Told {
  const open = eachOnce(openReview(world.files, found).findings).filter(({ isOpen }) => isOpen);
  const high = open.filter(({ severity }) => severity === "high").length;
  return { found, finding, outcome, files, open: open.length, high };
}

/** A text on one line that cannot hide or end what stands around it in a document. */
function plainText(text: string): string {
  return oneLine(text).trim().replaceAll(/\s(?:—|–|--)\s/g, " - ").replaceAll("<!--", "&lt;!--")
    .replaceAll("-->", "--&gt;");
}

/** A place as it is written in a document: from the project, without signs that would end it. */
function placeOf({ files: { root } }: WriterWorld, given: string | undefined): string | undefined {
  const file = given && oneLine(given).trim().replaceAll("\\", "/").replaceAll(/[`<>]/g, "");
  if (!file) return undefined;
  const own = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file.replace(/^\.\//, "");
  if (own.length > 250) fail({ code: "invalid-input", field: "file", problem: "Longer than 250 characters" });
  // A name alone is read as a word.
  return isPlace(own) ? own : `./${own}`;
}

function wordOf<T extends string>(field: string, given: string | undefined, words: readonly T[]): T {
  const plain = given?.trim().toLowerCase();
  const other = plain === undefined ? undefined : SYNONYMS[plain] ?? plain;
  return words.find((one) => one === other) ??
    (plain === undefined || plain === ""
      ? fail({ code: "invalid-input", field, problem: `One of: ${words.join(", ")}` })
      : failUnknown(field, plain, words));
}

/** What models and people say instead. */
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

/** What is deferred is also written where BMAD looks for it; a project without the folder has no such file. */
function deferredEdit(
  { files, journal, now }: WriterWorld,
  { story, epic }: Found,
  finding: ReviewFinding,
  reason: string,
): readonly FileEdit[] {
  const folder = journal && parentPath(journal);
  if (folder === undefined || story.form === "v4-story" || files.realFolder(folder) === undefined) return [];
  const path = joinPath(folder, DEFERRED_FILE);
  const before = files.find(path);
  const isEntry = (line: string) =>
    line.startsWith(`- ${finding.written} — `) || line === `  summary: ${finding.written}`;
  if (splitLines(before ?? "").some(isEntry)) return [];
  const heading = `## Deferred from: code review of ${identityOf(epic, story)} (${localDate(now())})`;
  return [{ path, before, text: withDeferred(before ?? "", finding, reason, heading) }];
}

/** A build adds an entry that names its spec; a code review adds a line below a heading of its own. */
function withDeferred(
  text: string,
  { path, written, style }: ReviewFinding,
  reason: string,
  heading: string,
): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const body = text.trimEnd();
  const last = splitLines(body).findLast((line) => line.startsWith("#"));
  const lines = style === "triage"
    ? ["", `- source_spec: \`${path}\``, `  summary: ${written}`, `  evidence: ${reason}`]
    : [...(last === heading ? [] : ["", heading, ""]), `- ${written} — ${reason}`];
  return [...(body === "" ? lines.slice(lines[0] === "" ? 1 : 0) : [body, ...lines]), ""].join(end);
}
