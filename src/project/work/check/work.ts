/**
 * What was changed for a story: its list of files against the disk and the commits, and the tests among them.
 */
import { asText, asValues } from "../../../base/values.ts";
import { counted, fewOf } from "../../../base/text.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { parseYaml } from "../../../content/parse.ts";
import { unnamedCriteria } from "./documents.ts";
import type { Change } from "./history.ts";
import type { Code, Finding } from "./model.ts";
import { found, nameOf, quoted, refuted, type Rule, type Subject } from "./subject.ts";
import {
  demandsTests,
  fileList,
  holdsTests,
  isByTheWay,
  isCode,
  isTest,
  type Listed,
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

const MAX_NAMED = 3;
/** Of tests that are read for the criteria that they name. */
const MAX_TESTS = 50;
const MAX_TEST_LENGTH = 256 << 10;

function* listsFiles(subject: Subject): Iterable<Finding> {
  if (subject.listed.length > 0) return;
  for (const { path, headings, lines } of subject.texts) {
    const line = headings.get("files");
    // Words without a path say that nothing had to be changed.
    if (line === undefined || (lines.get("files") ?? []).length > 0) continue;
    yield refuted(subject, "file-list-empty", "its list of files is empty.", { path, line });
  }
}

/** Listed files that are nowhere: neither on disk, nor in a commit, nor in the list of a story that removed them. */
function missingFiles({ listed, world: { tree }, commits, listedElsewhere, isBelow }: Subject) {
  return listed.filter(({ path, isGone }) =>
    !isGone && !exists(tree, path) && !commits?.hasTouched(path) && !listedElsewhere(path) && !isBelow(path)
  );
}

/** Listed files that no commit since the baseline has touched, and that are as they were committed. */
function sameFiles({ story, listed, work, commits }: Subject): readonly Listed[] {
  if (work === undefined || story.baseline === undefined) return [];
  const list = fileList(listed);
  const touched = new Set(work.since.map(({ path }) => list.pathFor(path)));
  return listed.filter(({ path, isGone }) =>
    !isGone && !touched.has(path) && commits?.isUncommitted(path) === false
  );
}

/** One finding, at the place of the first. */
function* listedWrongly(
  subject: Subject,
  code: Code,
  what: string,
  wrong: readonly Listed[],
): Iterable<Finding> {
  const [first] = wrong;
  if (first === undefined) return;
  const names = fewOf(wrong.map(({ path }) => quoted(subject, path)), 1);
  yield found(subject, code, `${nameOf(subject)} lists ${what}: ${names}.`, {
    path: first.of,
    line: first.line,
  });
}

/** Committed changes that the list of files does not have. */
function* listsChanges(subject: Subject): Iterable<Finding> {
  const { work, texts, listed, listedElsewhere } = subject;
  const [first] = listed;
  if (work === undefined || first === undefined) return;
  const records = recordFolders(subject.world.folders);
  const list = fileList(listed);
  const others = work.own.filter((one) =>
    !isByTheWay(one.path, records) && !list.has(one.path) &&
    !listedElsewhere(one.path)
  );
  if (others.length === 0) return;
  const names = fewOf(others.map(({ path }) => quoted(subject, path)), MAX_NAMED);
  const count = counted(others.length, "file");
  const problem = `${nameOf(subject)} does not list ${count} that its commits changed: ${names}.`;
  const line = texts.find(({ path }) => path === first.of)?.headings.get("files");
  yield found(subject, "not-listed", problem, { path: first.of, line });
}

/** A story whose baseline nothing has followed. */
export function* changedAnything(subject: Subject): Iterable<Finding> {
  const { work, commits, texts, listed, world, listedElsewhere } = subject;
  if (work?.start === undefined) return;
  const records = recordFolders(subject.world.folders);
  const list = fileList(listed);
  const isReal = ({ path }: Change) => !isByTheWay(path, records) || list.has(path);
  const open = commits?.uncommitted(records) ?? [];
  // Its commits may have come after its record, and its work may not be committed.
  const hasChanged = work.own.some(isReal) || work.since.some(({ path }) => list.has(path)) ||
    listed.some(({ path, isGone }) =>
      commits?.isUncommitted(path) !== false && (isGone || exists(world.tree, path))
    ) ||
    listed.length === 0 && (work.since.some(isReal) || open.length > 0);
  if (hasChanged) return;
  const since = [work.start.words, work.start.commit].filter(Boolean).join(" ");
  const others = fewOf(
    open.filter((one) => !listedElsewhere(one)).map((one) => quoted(subject, one)),
    MAX_NAMED,
  );
  const problem = others === ""
    ? `nothing was changed ${since}.`
    : `nothing in its list was changed ${since}; not committed: ${others}.`;
  yield refuted(subject, "empty-diff", problem, { path: texts[0]!.path });
}

/** What was changed by commits and by the story's own list, except for what that is known to be wrong about. */
function changedPaths(subject: Subject, wrong: readonly Listed[] = []): readonly string[] {
  const listed = subject.listed.filter((one) => !one.isGone && !wrong.includes(one)).map(({ path }) => path);
  const own = subject.work?.own.filter(({ kind }) => kind !== "deleted").map(({ path }) => path) ?? [];
  return [...new Set([...own, ...listed])];
}

/** What was changed, and the code among it that has to be tested. */
function changedCode(subject: Subject) {
  const paths = changedPaths(subject, [...missingFiles(subject), ...sameFiles(subject)]);
  const isTested = subject.texts.every(({ fields }) => demandsTests(fields));
  return { paths, code: isTested ? paths.filter((path) => isCode(path) && !isTest(path)) : [] };
}

/** Code without a test. Where tests are in the code itself, it is read. */
function* touchedTests(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const [first] = texts;
  const { paths, code } = changedCode(subject);
  if (first === undefined || code.length === 0) return;
  // A test that is not committed yet may be this story's, unless it is over and names its files.
  const isOpen = subject.story.state !== "done" || subject.listed.length === 0;
  const open = isOpen ? subject.commits?.uncommitted(recordFolders(subject.world.folders)) ?? [] : [];
  if ([...paths, ...open].some(isTest)) return;
  if (code.slice(0, MAX_TESTS).some((path) => holdsTests(textOf(tree, path)))) return;
  const names = fewOf(code.map((path) => quoted(subject, path)), 1);
  const place = { path: first.path, line: first.headings.get("files") };
  yield found(subject, "no-test", `${nameOf(subject)} changed ${names}, but no test.`, place);
}

/**
 * A noted command that failed after the change, or code without one that passed, where commands can be run. A story that is
 * done already was finished before.
 */
function* notedRuns(subject: Subject): Iterable<Finding> {
  const { texts, story, world: { mayRun } } = subject;
  const [first] = texts;
  if (first === undefined || story.state === "done") return;
  const runs = texts.flatMap(({ path, runs }) =>
    runs.map(({ line, command, after = "" }) => ({ path, line, command, outcome: outcomeOf(after) }))
  );
  for (const { command, ...place } of runs.filter(({ outcome }) => outcome === "failed")) {
    yield refuted(subject, "evidence-failed", `${quoted(subject, command)} failed after the change.`, place);
  }
  if (!mayRun || runs.some(({ outcome }) => outcome !== undefined)) return;
  if (changedCode(subject).code.length === 0) return;
  yield refuted(subject, "evidence-missing", "no command is noted that passed after the change.", {
    path: first.path,
  });
}

/** Tests that are gone, or have a name now that no runner looks for. */
function* keptTests(subject: Subject): Iterable<Finding> {
  const { work, texts, world: { tree } } = subject;
  if (work === undefined) return;
  const gone = fileList(subject.listed.filter(({ isGone }) => isGone));
  const added = new Map(
    work.own.filter(({ kind }) => kind === "added").map(({ after, path }) => [after, path]),
  );
  const lost = work.own.filter(({ kind, path, before }) =>
    kind === "deleted" && isTest(path) && !tree.hasFile(path) && !gone.has(path) &&
    !isTest(added.get(before) ?? "")
  );
  for (const { path, before } of lost.slice(0, MAX_NAMED)) {
    const target = added.get(before);
    const did = target === undefined ? "deleted" : `renamed to ${quoted(subject, target)}`;
    const problem = `${nameOf(subject)} ${did} the test ${quoted(subject, path)} without saying so.`;
    yield found(subject, "test-removed", problem, { path: texts[0]!.path });
  }
}

/** Where tests name the criteria that they are for, each criterion needs one. */
function* testedCriteria(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const tests = changedPaths(subject).filter(isTest).slice(0, MAX_TESTS).map((path) => textOf(tree, path));
  for (const text of texts) {
    for (const [number, { text: words, line }] of unnamedCriteria(text, tests.join("\n"), 2)) {
      const problem = `${nameOf(subject)}: no test names criterion ${number}, ${quoted(subject, words)}.`;
      yield found(subject, "criterion-untested", problem, { path: text.path, line });
    }
  }
}

const GATE = /(?:^|[\s`(])([\w./-]{1,200}\/gates\/[\w./-]{1,200}\.ya?ml)/;

/** The file of a quality gate that the story names: v4's record of a review. */
function* passedGate(subject: Subject): Iterable<Finding> {
  const { texts, world: { tree } } = subject;
  const path = texts.flatMap(({ lines }) => lines.get("review") ?? [])
    .flatMap(({ text }) => GATE.exec(text)?.[1] ?? []).at(-1);
  const text = path === undefined ? "" : textOf(tree, path);
  const { value } = parseYaml(text);
  if (path === undefined || text === "" || asValues(value["waiver"])["active"] === true) return;
  if (asText(value["gate"])?.toUpperCase() === "FAIL") {
    yield refuted(subject, "review-rejected", "its quality gate failed.", { path });
  }
  const gaps = asValues(asValues(value["evidence"])["trace"])["ac_gaps"];
  if (Array.isArray(gaps) && gaps.length > 0) {
    const names = quoted(subject, gaps.slice(0, 20).map((one) => asText(one) ?? "").join(", "));
    const words = `its quality gate names criteria without a test: ${names}.`;
    yield refuted(subject, "criterion-untested", words, { path });
  }
}

function textOf(tree: Tree, path: string): string {
  return (tree.stat(path)?.size ?? Infinity) > MAX_TEST_LENGTH ? "" : findText(tree, path) ?? "";
}

function exists(tree: Tree, path: string): boolean {
  return tree.hasFile(path) || tree.list(path).length > 0;
}
