/** What was changed for a story: its list of files against the disk and the commits, and the tests among them. */
import { asText, asValues } from "../../../base/values.ts";
import { counted } from "../../../base/text.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { parseYaml } from "../../../content/parse.ts";
import { LIMITS } from "../../limits.ts";
import { unnamedCriteria } from "./documents.ts";
import type { Change } from "./history.ts";
import {
  type Code,
  type Finding,
  nameOf,
  objection,
  quoted,
  quotedList,
  type Rule,
  storyFinding,
  type Subject,
} from "./model.ts";
import {
  demandsTests,
  fileList,
  holdsTests,
  isCode,
  isIncidentalFile,
  isTest,
  type ListedFile,
  outcomeOf,
  recordFolders,
} from "../formats/mod.ts";

export const WORK_RULES: readonly Rule[] = [
  ["claimed", listsFiles],
  ["claimed", (one) => listedWrongly(one, "file-missing", "what does not exist", missingFiles(one))],
  [
    "claimed",
    (one) => listedWrongly(one, "not-changed", "what was not changed since its baseline", sameFiles(one)),
  ],
  ["claimed", listsChanges],
  ["claimed", changedAnything],
  ["claimed", touchedTests],
  ["claimed", notedRuns],
  ["claimed", keptTests],
  ["claimed", testedCriteria],
  ["done", passedGate],
];

function* listsFiles(subject: Subject): Iterable<Finding> {
  if (subject.listed.length > 0) return;
  for (const { path, headings, lines } of subject.texts) {
    const line = headings.get("files");
    // A remark without a path means that no file had to change.
    if (line === undefined || (lines.get("files") ?? []).length > 0) continue;
    yield objection(subject, "file-list-empty", "its list of files is empty.", { path, line });
  }
}

/** Not on disk, in no commit, and not removed by another story. */
function missingFiles({ listed, world: { tree }, commits, listedElsewhere, isBelow }: Subject) {
  return listed.filter(({ path, isGone }) =>
    !isGone && !exists(tree, path) && !commits?.hasTouched(path) && !listedElsewhere(path) && !isBelow(path)
  );
}

/** Untouched by any commit since the baseline, and unchanged on disk. */
function sameFiles({ story, listed, work, commits }: Subject): readonly ListedFile[] {
  if (work === undefined || story.baseline === undefined) return [];
  const list = fileList(listed);
  const touched = new Set(work.since.map(({ path }) => list.pathFor(path)));
  return listed.filter(({ path, isGone }) =>
    !isGone && !touched.has(path) && commits?.isUncommitted(path) === false
  );
}

function* listedWrongly(
  subject: Subject,
  code: Code,
  what: string,
  wrong: readonly ListedFile[],
): Iterable<Finding> {
  const [first] = wrong;
  if (first === undefined) return;
  const problem = `${nameOf(subject)} lists ${what}: ${quotedList(subject, wrong.map(({ path }) => path))}.`;
  yield storyFinding(subject, code, problem, { path: first.of, line: first.line });
}

function* listsChanges(subject: Subject): Iterable<Finding> {
  const { work, texts, listed, listedElsewhere, world } = subject;
  const [first] = listed;
  if (work === undefined || first === undefined) return;
  const records = recordFolders(world.folders);
  const list = fileList(listed);
  const others = work.own.map(({ path }) => path)
    .filter((path) => !isIncidentalFile(path, records) && !list.has(path) && !listedElsewhere(path));
  if (others.length === 0) return;
  const names = quotedList(subject, others, LIMITS.check.shownFiles);
  const count = counted(others.length, "file");
  const problem = `${nameOf(subject)} does not list ${count} that its commits changed: ${names}.`;
  const line = texts.find(({ path }) => path === first.of)?.headings.get("files");
  yield storyFinding(subject, "not-listed", problem, { path: first.of, line });
}

export function* changedAnything(subject: Subject): Iterable<Finding> {
  const { work, commits, texts, listed, world, listedElsewhere } = subject;
  if (work?.start === undefined) return;
  const records = recordFolders(world.folders);
  const list = fileList(listed);
  const isReal = ({ path }: Change) => !isIncidentalFile(path, records) || list.has(path);
  const open = commits?.uncommitted(records) ?? [];
  // Commits may come after the record, and work may still be uncommitted.
  const hasChanged = work.own.some(isReal) || work.since.some(({ path }) => list.has(path)) ||
    listed.some(({ path, isGone }) =>
      commits?.isUncommitted(path) !== false && (isGone || exists(world.tree, path))
    ) ||
    listed.length === 0 && (work.since.some(isReal) || open.length > 0);
  if (hasChanged) return;
  const since = [work.start.words, work.start.commit].filter(Boolean).join(" ");
  const others = quotedList(
    subject,
    open.filter((one) => !listedElsewhere(one)),
    LIMITS.check.shownFiles,
  );
  const problem = others === ""
    ? `nothing was changed ${since}.`
    : `nothing in its list was changed ${since}; not committed: ${others}.`;
  yield objection(subject, "empty-diff", problem, { path: texts[0]!.path });
}

/** `wrong` are listed files known to be listed by mistake. */
function changedPaths(subject: Subject, wrong: readonly ListedFile[] = []): readonly string[] {
  const listed = subject.listed.filter((one) => !one.isGone && !wrong.includes(one)).map(({ path }) => path);
  const own = subject.work?.own.filter(({ kind }) => kind !== "deleted").map(({ path }) => path) ?? [];
  return [...new Set([...own, ...listed])];
}

function changedCode(subject: Subject) {
  const paths = changedPaths(subject, [...missingFiles(subject), ...sameFiles(subject)]);
  const isTested = subject.texts.every(({ fields }) => demandsTests(fields));
  return { paths, code: isTested ? paths.filter((path) => isCode(path) && !isTest(path)) : [] };
}

/** Languages that keep tests beside the code are checked in the code itself. */
function* touchedTests(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const [first] = texts;
  const { paths, code } = changedCode(subject);
  if (first === undefined || code.length === 0) return;
  // An uncommitted test may belong to this story, unless the story is over and lists its files.
  const isOpen = subject.story.state !== "done" || subject.listed.length === 0;
  const open = isOpen ? subject.commits?.uncommitted(recordFolders(subject.world.folders)) ?? [] : [];
  if ([...paths, ...open].some(isTest)) return;
  if (code.slice(0, LIMITS.check.tests).some((path) => holdsTests(textOf(tree, path)))) return;
  const place = { path: first.path, line: first.headings.get("files") };
  const problem = `${nameOf(subject)} changed ${quotedList(subject, code)}, but no test.`;
  yield storyFinding(subject, "no-test", problem, place);
}

/** Only asked before a story is done, and for missing runs only where commands may be run. */
function* notedRuns(subject: Subject): Iterable<Finding> {
  const { texts, story, world: { mayRun } } = subject;
  const [first] = texts;
  if (first === undefined || story.state === "done") return;
  const runs = texts.flatMap(({ path, runs }) =>
    runs.map(({ line, command, after = "" }) => ({ path, line, command, outcome: outcomeOf(after) }))
  );
  for (const { command, ...place } of runs.filter(({ outcome }) => outcome === "failed")) {
    const words = `${quoted(subject, command)} failed after the change.`;
    yield objection(subject, "evidence-failed", words, place);
  }
  if (!mayRun || runs.some(({ outcome }) => outcome !== undefined)) return;
  if (changedCode(subject).code.length === 0) return;
  const words = "no command is noted that passed after the change.";
  yield objection(subject, "evidence-missing", words, { path: first.path });
}

/** Also tests renamed so that no runner finds them. */
function* keptTests(subject: Subject): Iterable<Finding> {
  const { work, texts, world: { tree } } = subject;
  if (work === undefined) return;
  const gone = fileList(subject.listed.filter(({ isGone }) => isGone));
  const added = new Map(work.own.filter(({ kind }) => kind === "added").map((one) => [one.after, one.path]));
  const lost = work.own.filter(({ kind, path, before }) =>
    kind === "deleted" && isTest(path) && !tree.hasFile(path) && !gone.has(path) &&
    !isTest(added.get(before) ?? "")
  );
  for (const { path, before } of lost.slice(0, LIMITS.check.shownFiles)) {
    const target = added.get(before);
    const did = target === undefined ? "deleted" : `renamed to ${quoted(subject, target)}`;
    const problem = `${nameOf(subject)} ${did} the test ${quoted(subject, path)} without saying so.`;
    yield storyFinding(subject, "test-removed", problem, { path: texts[0]!.path });
  }
}

function* testedCriteria(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const tests = changedPaths(subject).filter(isTest).slice(0, LIMITS.check.tests)
    .map((path) => textOf(tree, path));
  for (const text of texts) {
    for (const [number, { text: words, line }] of unnamedCriteria(text, tests.join("\n"), 2)) {
      const problem = `${nameOf(subject)}: no test names criterion ${number}, ${quoted(subject, words)}.`;
      yield storyFinding(subject, "criterion-untested", problem, { path: text.path, line });
    }
  }
}

const GATE = /(?:^|[\s`(])([\w./-]{1,200}\/gates\/[\w./-]{1,200}\.ya?ml)/;

/** v4 records a review as a quality gate file. */
function* passedGate(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const path = texts.flatMap(({ lines }) => lines.get("review") ?? [])
    .flatMap(({ text }) => GATE.exec(text)?.[1] ?? []).at(-1);
  const text = path === undefined ? "" : textOf(tree, path);
  const { value } = parseYaml(text);
  if (path === undefined || text === "" || asValues(value["waiver"])["active"] === true) return;
  if (asText(value["gate"])?.toUpperCase() === "FAIL") {
    yield objection(subject, "review-rejected", "its quality gate failed.", { path });
  }
  const gaps = asValues(asValues(value["evidence"])["trace"])["ac_gaps"];
  if (Array.isArray(gaps) && gaps.length > 0) {
    const names = quoted(subject, gaps.slice(0, 20).map((one) => asText(one) ?? "").join(", "));
    const words = `its quality gate names criteria without a test: ${names}.`;
    yield objection(subject, "criterion-untested", words, { path });
  }
}

function textOf(tree: Tree, path: string): string {
  return (tree.stat(path)?.size ?? Infinity) > LIMITS.check.testBytes ? "" : findText(tree, path) ?? "";
}

/** A file, or a folder that is not empty. */
function exists(tree: Tree, path: string): boolean {
  return tree.hasFile(path) || tree.list(path).length > 0;
}
