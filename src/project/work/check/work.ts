/** What was changed for a story, what its tests show, and where words for its state contradict each other. */
import { asText, asValues } from "../../../base/values.ts";
import { abbreviateList, counted, quotation, shorten } from "../../../base/text.ts";
import { baseName, findText, type Tree } from "../../../content/tree/mod.ts";
import { parseYaml } from "../../../content/parse.ts";
import { LIMITS } from "../../limits.ts";
import { criteriaOf, namedCriteria, unnamedCriteria, unnamedWords } from "./documents.ts";
import type { Change, Commits } from "./history.ts";
import {
  type CheckWorld,
  type Code,
  type Finding,
  newFinding,
  type Remark,
  type Rule,
  type Subject,
} from "./model.ts";
import { isNamedIn } from "./names.ts";
import {
  demandsTests,
  type Epic,
  fileList,
  findDocuments,
  holdsTests,
  isCode,
  isIncidentalFile,
  isTest,
  type ListedFile,
  outcomeOf,
  type Problem,
  recordFolders,
  staleWords,
  stateOf,
  type Story,
} from "../formats/mod.ts";
import type { Interruptible } from "../../../base/work.ts";
import { plainName } from "../board/mod.ts";

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
  ["begun", meetsRequirements],
  ["done", passedGate],
];

function* listsFiles({ listed, texts }: Subject): Iterable<Remark> {
  if (listed.length > 0) return;
  for (const { path, headings, lines } of texts) {
    const line = headings.get("files");
    // Without a path, no file had to change.
    if (line === undefined || (lines.get("files") ?? []).length > 0) continue;
    yield { code: "file-list-empty", but: "its list of files is empty.", path, line };
  }
}

function missingFiles({ listed, world: { tree }, commits, listedElsewhere, isBelow }: Subject) {
  return listed.filter(({ path, isGone }) =>
    !isGone && !exists(tree, path) && !commits?.hasTouched(path) && !listedElsewhere(path) && !isBelow(path)
  );
}

function sameFiles({ story, listed, work, commits }: Subject): readonly ListedFile[] {
  if (work === undefined || story.baseline === undefined) return [];
  const list = fileList(listed);
  const touched = new Set(work.since.map(({ path }) => list.pathFor(path)));
  return listed.filter(({ path, isGone }) =>
    !isGone && !touched.has(path) && commits?.isUncommitted(path) === false
  );
}

function* listedWrongly(
  { name, quote }: Subject,
  code: Code,
  what: string,
  wrong: readonly ListedFile[],
): Iterable<Remark> {
  const [first] = wrong;
  if (first === undefined) return;
  const paths = abbreviateList(wrong.map(({ path }) => quote(path)), 1);
  yield { code, problem: `${name} lists ${what}: ${paths}.`, path: first.of, line: first.line };
}

function* listsChanges(
  { work, texts, listed, listedElsewhere, world, name, quote }: Subject,
): Iterable<Remark> {
  const [first] = listed;
  if (work === undefined || first === undefined) return;
  const records = recordFolders(world.folders);
  const list = fileList(listed);
  const others = work.own.filter(({ path, to = path }) =>
    !isIncidentalFile(path, records) && !list.has(path) && !list.has(to) && !listedElsewhere(path)
  ).map(({ path }) => path);
  if (others.length === 0) return;
  const names = abbreviateList(others.map(quote), LIMITS.check.shownFiles);
  const files = counted(others.length, "file");
  const problem = `${name} does not list ${files} that its commits changed: ${names}.`;
  const line = texts.find(({ path }) => path === first.of)?.headings.get("files");
  yield { code: "not-listed", problem, path: first.of, line };
}

function* changedAnything(
  { work, commits, texts, listed, world, listedElsewhere, quote }: Subject,
): Iterable<Remark> {
  if (work?.start === undefined) return;
  const records = recordFolders(world.folders);
  const list = fileList(listed);
  const isReal = ({ path }: Change) => !isIncidentalFile(path, records) || list.has(path);
  const open = commits?.uncommitted(records) ?? [];
  // Commits may follow the record, and work may be uncommitted.
  const hasChanged = work.own.some(isReal) || work.since.some(({ path }) => list.has(path)) ||
    listed.some(({ path, isGone }) =>
      commits?.isUncommitted(path) !== false && (isGone || exists(world.tree, path))
    ) ||
    listed.length === 0 && (work.since.some(isReal) || open.length > 0);
  if (hasChanged) return;
  const since = [work.start.words, work.start.commit].filter(Boolean).join(" ");
  const others = open.filter((one) => !listedElsewhere(one)).map(quote);
  const but = others.length === 0
    ? `nothing was changed ${since}.`
    : `nothing in its list was changed ${since}; not committed: ${
      abbreviateList(others, LIMITS.check.shownFiles)
    }.`;
  yield { code: "empty-diff", but, path: texts[0]!.path };
}

function changedPaths(subject: Pick<Subject, "listed" | "work">, wrong: readonly ListedFile[] = []) {
  const listed = subject.listed.filter((one) => !one.isGone && !wrong.includes(one)).map(({ path }) => path);
  const own = subject.work?.own.filter(({ kind }) => kind !== "deleted").map(({ path }) => path) ?? [];
  return [...new Set([...own, ...listed])];
}

function changedCode(subject: Subject) {
  const paths = changedPaths(subject, [...missingFiles(subject), ...sameFiles(subject)]);
  const isTested = subject.texts.every(({ fields }) => demandsTests(fields));
  return { paths, code: isTested ? paths.filter((path) => isCode(path) && !isTest(path)) : [] };
}

/** Tests beside the code are looked for in it. */
function* touchedTests(subject: Subject): Iterable<Remark> {
  const { story, texts: [first], listed, commits, world, name, quote } = subject;
  const { paths, code } = changedCode(subject);
  if (first === undefined || code.length === 0) return;
  const records = recordFolders(world.folders);
  const open =
    (listed.length === 0 ? commits?.uncommitted(records) : commits?.openFor(story, listed, records)) ??
      [];
  if ([...paths, ...open].some(isTest)) return;
  if (code.slice(0, LIMITS.check.tests).some((path) => holdsTests(textOf(world.tree, path)))) return;
  const problem = `${name} changed ${abbreviateList(code.map(quote), 1)}, but no test.`;
  yield { code: "no-test", problem, path: first.path, line: first.headings.get("files") };
}

/** Asked before a story is done; missing runs only where commands may be run. */
function* notedRuns(subject: Subject): Iterable<Remark> {
  const { texts, story, world: { mayRun }, quote } = subject;
  const [first] = texts;
  if (first === undefined || story.state === "done") return;
  const runs = texts.flatMap(({ path, runs }) =>
    runs.map(({ line, command, after = "" }) => ({ path, line, command, outcome: outcomeOf(after) }))
  );
  for (const { command, path, line } of runs.filter(({ outcome }) => outcome === "failed")) {
    yield { code: "evidence-failed", but: `${quote(command)} failed after the change.`, path, line };
  }
  if (!mayRun || runs.some(({ outcome }) => outcome !== undefined)) return;
  if (changedCode(subject).code.length === 0) return;
  const but = "no command is noted that passed after the change.";
  yield { code: "evidence-missing", but, path: first.path };
}

/** Also tests renamed so that no runner finds them. */
function* keptTests({ work, texts, listed, world: { tree }, name, quote }: Subject): Iterable<Remark> {
  if (work === undefined) return;
  const gone = fileList(listed.filter(({ isGone }) => isGone));
  const lost = work.own.filter(({ kind, path, to = "" }) =>
    kind === "deleted" && isTest(path) && !tree.hasFile(path) && !gone.has(path) && !isTest(to)
  );
  for (const { path, to } of lost.slice(0, LIMITS.check.shownFiles)) {
    const did = to === undefined ? "deleted" : `renamed to ${quote(to)}`;
    const problem = `${name} ${did} the test ${quote(path)} without saying so.`;
    yield { code: "test-removed", problem, path: texts[0]!.path };
  }
}

/** What the story lists, its commits have changed, or nobody has committed. */
export function testsOf(
  { tree, folders }: Pick<CheckWorld, "tree" | "folders">,
  { story, listed, work, commits }: Pick<Subject, "story" | "listed" | "work" | "commits">,
): readonly { readonly path: string; readonly text: string }[] {
  const open = commits?.openFor(story, listed, recordFolders(folders)) ?? [];
  // Else those that its review shows are its own.
  const isNamed = story.baseline !== undefined || commits === undefined || commits.naming(story).length > 0;
  const shown = isNamed ? undefined : commits.reviewOf(story);
  const unnamed = typeof shown === "object" ? shown.own.flatMap(({ changes }) => changes) : [];
  return [...new Set([...changedPaths({ listed, work }), ...unnamed.map(({ path }) => path), ...open])]
    .filter((path) => isTest(path) && tree.hasFile(path)).slice(0, LIMITS.check.tests)
    .map((path) => ({ path, text: textOf(tree, path) }));
}

function* testedCriteria(subject: Subject): Iterable<Remark> {
  const { story, texts, world, name } = subject;
  if (texts.length === 0) return;
  const tests = testsOf(world, subject).map(({ text }) => text).join("\n");
  const named = namedCriteria(tests);
  // Only if some mentions show that its tests name criteria does a missing one count.
  const missing = texts.flatMap((text) => unnamedCriteria(text, tests, 2).map(([number]) => number));
  const isDemanded = texts.every(({ fields }) => demandsTests(fields));
  for (const [number, { text, line }] of criteriaOf(story, texts)) {
    if (named.has(number)) continue;
    const problem = `${name}: ${unnamedWords("test", number, world.clean(text))}`;
    const isNote = !isDemanded || !missing.includes(number);
    yield { code: "criterion-untested", problem, path: texts[0]!.path, line, ...(isNote && { isNote }) };
  }
}

function* meetsRequirements({ story, name }: Subject): Iterable<Remark> {
  if (story.stale === undefined) return;
  const problem = `${name}: ${staleWords(story.stale)}.`;
  yield { code: "requirement-changed", problem, path: story.file ?? story.plan ?? story.ledger };
}

const GATE = /(?:^|[\s`(])([\w./-]{1,200}\/gates\/[\w./-]{1,200}\.ya?ml)/;

function* passedGate({ texts, world: { tree }, quote }: Subject): Iterable<Remark> {
  const path = texts.flatMap(({ lines }) => lines.get("review") ?? [])
    .flatMap(({ text }) => GATE.exec(text)?.[1] ?? []).at(-1);
  if (path === undefined) return;
  const { value } = parseYaml(textOf(tree, path));
  if (asValues(value["waiver"])["active"] === true) return;
  if (asText(value["gate"])?.toUpperCase() === "FAIL") {
    yield { code: "review-rejected", but: "its quality gate failed.", path };
  }
  const gaps = asValues(asValues(value["evidence"])["trace"])["ac_gaps"];
  if (Array.isArray(gaps) && gaps.length > 0) {
    const names = quote(gaps.slice(0, 20).map((one) => asText(one) ?? "").join(", "));
    yield {
      code: "criterion-untested",
      but: `its quality gate names criteria without a test: ${names}.`,
      path,
    };
  }
}

function textOf(tree: Tree, path: string): string {
  return (tree.stat(path)?.size ?? Infinity) > LIMITS.check.testBytes ? "" : findText(tree, path) ?? "";
}

function exists(tree: Tree, path: string): boolean {
  return tree.hasFile(path) || tree.list(path).length > 0;
}

export const STATUS_RULES: readonly Rule[] = [
  ["always", drifts],
  ["always", contradictsItself],
  ["always", comesTooEarly],
];

function* drifts({ story, name }: Subject): Iterable<Remark> {
  for (const one of story.drift) {
    // Another finding says that.
    if (one.problem.startsWith(UNCHANGED)) continue;
    // What is committed next is no lie.
    const isNote = one.problem.includes(`${OPEN}, but`);
    yield { ...one, code: "status-contradiction", problem: `${name}: ${sentenceOf(one)}`, isNote };
  }
}

function* contradictsItself({ texts, name, quote }: Subject): Iterable<Remark> {
  for (const { path, statuses: [first, ...others] } of texts) {
    const state = first && stateOf(first.word);
    const other = others.find(({ word }) => (stateOf(word) ?? state) !== state);
    if (state === undefined || other === undefined) continue;
    const words = [first!, other].map(({ word, line }) => `${quote(word)} in line ${line}`);
    const problem = `${name}: its file says ${words.join(" and ")}.`;
    yield { code: "status-contradiction", problem, path, line: other.line };
  }
}

function* comesTooEarly({ story, name }: Subject): Iterable<Remark> {
  if (story.state !== "done" || story.waitsFor.length === 0) return;
  const problem = `${name} is "done", but builds on ${story.waitsFor.join(", ")}, which is not.`;
  yield { code: "prerequisite-open", problem, path: story.ledger, line: story.line };
}

export function checkEpic({ ref, drift }: Epic): readonly Finding[] {
  return drift.map((one) => newFinding("status-contradiction", `Epic ${ref}: ${sentenceOf(one)}`, one));
}

/** BMAD's own workflow writes `epic-1-retro-2026-08-01.md` before it marks the retrospective as done. */
export function* withoutRetrospective(
  { tree, folders, board }: CheckWorld,
  epics: readonly Epic[],
): Interruptible<readonly Finding[]> {
  if (epics.length === 0) return [];
  const found = (yield* findDocuments(tree, folders, board)).map(({ path }) => path)
    .filter((path) => /retro/i.test(baseName(path)) && (findText(tree, path) ?? "").trim() !== "")
    .map((path) => `-${plainName(baseName(path))}-`);
  return epics.filter(({ ref }) => !found.some((name) => name.includes(`-${plainName(`epic-${ref}`)}-`)))
    .map(({ ref, ledger: path }) =>
      newFinding("retrospective-missing", `Epic ${ref} has no document of its retrospective.`, { path })
    );
}

export function sentenceOf({ problem }: Problem): string {
  return `${problem.replace(/\.$/, "")}.`;
}

const UNCHANGED = "nothing was committed";
const OPEN = "not committed";

function driftIn({ ledger, line, status, state }: Story, problem: string): readonly Problem[] {
  return [{ path: ledger, line, problem: `${problem}, but the ledger says "${status ?? state}"` }];
}

export function driftOfUnbegun(world: CheckWorld, commits: Commits, story: Story): readonly Problem[] {
  if (story.state !== "backlog" && story.state !== "ready") return [];
  const records = recordFolders(world.folders);
  const isWork = ({ path }: Change) => !isIncidentalFile(path, records) && !/\.md$/i.test(path);
  const commit = commits.naming(story).find((one) =>
    isNamedIn(one.subject, story) && one.changes.some(isWork)
  );
  if (commit === undefined) return [];
  const words = quotation(world.clean(commit.subject.slice(0, 1_000)));
  return driftIn(story, `commit ${commit.id.slice(0, 7)} ${words} works on it`);
}

export function driftFromCommits(subject: Subject): readonly Problem[] {
  const { story, commits, state, listed, world } = subject;
  const [empty] = changedAnything(subject);
  if (empty !== undefined) return driftIn(story, `${UNCHANGED} ${subject.work!.start!.words}`);
  const open = state !== "done"
    ? []
    : listed.filter(({ path, isGone }) =>
      !isGone && world.tree.hasFile(path) && commits?.isUncommitted(path) === true
    );
  if (open.length === 0) return [];
  const paths = abbreviateList(open.map(({ path }) => shorten(path, 80)), 1);
  return driftIn(story, `${paths} ${open.length === 1 ? "is" : "are"} ${OPEN}`);
}
