/**
 * What was changed for a story: its list of files against the disk and the commits, and the tests among them.
 */
import { asText, asValues } from "../../../base/values.ts";
import { counted, fewOf } from "../../../base/text.ts";
import { findText, type Tree } from "../../../content/tree/mod.ts";
import { parseYaml } from "../../../content/parse.ts";
import { criteriaIn, namedCriteria } from "./documents.ts";
import { fileList, holdsTests, isByTheWay, isCode, isTest, type Listed } from "./files.ts";
import { baselineOf, type Change } from "./history.ts";
import type { Finding } from "./model.ts";
import { claimOf, found, nameOf, quoted, type Rule, type Subject } from "./subject.ts";

/** The rules over what was changed. */
export const WORK_RULES: readonly Rule[] = [
  ["claimed", listsFiles],
  ["claimed", findsFiles],
  ["claimed", changedFiles],
  ["claimed", listsChanges],
  ["claimed", changedAnything],
  ["claimed", touchedTests],
  ["claimed", keptTests],
  ["claimed", testedCriteria],
  ["done", passedGate],
];

/** How many names a sentence gives. */
const MAX_NAMED = 3;
/** Of tests that are read for the criteria that they name. */
const MAX_TESTS = 50;
const MAX_TEST_LENGTH = 256 << 10;

/** The listed paths that some changes are about. */
function touchedIn(listed: readonly Listed[], changes: readonly Change[]): ReadonlySet<string | undefined> {
  const list = fileList(listed.map(({ path }) => path));
  return new Set(changes.map(({ path }) => list.pathFor(path)));
}

/** The folders of the work's own records. */
export function recordsOf({ world: { folders } }: Subject): readonly string[] {
  const { output, planning, implementation, v4 } = folders;
  return [output, ...planning, ...implementation, v4?.stories, v4?.prd, v4?.prdFile].filter((one) =>
    one !== undefined
  );
}

function listsFiles(subject: Subject): readonly Finding[] {
  if (subject.listed.length > 0) return [];
  return subject.texts.flatMap(({ path, headings, lines }) => {
    const line = headings.get("files");
    // Words without a path say that nothing had to be changed.
    if (line === undefined || (lines.get("files") ?? []).length > 0) return [];
    const problem = `${claimOf(subject)} its list of files is empty.`;
    return [found(subject, "file-list-empty", problem, { path, line })];
  });
}

/** A listed file that is nowhere: neither on disk, nor in a commit, nor in the list of a story that removed it. */
function findsFiles(subject: Subject): readonly Finding[] {
  const { world: { tree }, commits, listedElsewhere, isBelow } = subject;
  const missing = subject.listed.filter(({ path, isGone }) =>
    !isGone && !exists(tree, path) && !commits?.hasTouched(path) && !listedElsewhere(path) && !isBelow(path)
  );
  return few(missing, (one, more) => {
    const problem = `${nameOf(subject)} lists what does not exist: ${quoted(subject, one.path)}${more}.`;
    return found(subject, "file-missing", problem, { path: one.of, line: one.line });
  });
}

/** A listed file that no commit since the baseline has touched, and that is as it was committed. */
function changedFiles(subject: Subject): readonly Finding[] {
  const { work, commits, texts } = subject;
  if (work === undefined || baselineOf(texts) === undefined) return [];
  const touched = touchedIn(subject.listed, work.since);
  const same = subject.listed.filter(({ path, isGone }) =>
    !isGone && !touched.has(path) && commits?.isUncommitted(path) === false
  );
  return few(same, (one, more) => {
    const problem = `${nameOf(subject)} lists what was not changed since its baseline: ${
      quoted(subject, one.path)
    }${more}.`;
    return found(subject, "not-changed", problem, { path: one.of, line: one.line });
  });
}

/** Committed changes that the list of files does not have. */
function listsChanges(subject: Subject): readonly Finding[] {
  const { work, texts, listedElsewhere } = subject;
  const listed = subject.listed;
  const [first] = listed;
  if (work === undefined || first === undefined) return [];
  const records = recordsOf(subject);
  const list = fileList(listed.map(({ path }) => path));
  const others = work.own.filter((one) =>
    !isByTheWay(one.path, records) && !list.has(one.path) &&
    !listedElsewhere(one.path)
  );
  if (others.length === 0) return [];
  const names = fewOf(others.map(({ path }) => quoted(subject, path)), MAX_NAMED);
  const problem = `${nameOf(subject)} does not list ${
    counted(others.length, "file")
  } that its commits changed: ${names}.`;
  const line = texts.find(({ path }) => path === first.of)?.headings.get("files");
  return [found(subject, "not-listed", problem, { path: first.of, line })];
}

/** A story whose baseline nothing has followed. */
export function changedAnything(subject: Subject): readonly Finding[] {
  const { work, commits, texts, world } = subject;
  if (work?.start === undefined) return [];
  const records = recordsOf(subject);
  const listed = subject.listed;
  const list = fileList(listed.map(({ path }) => path));
  const isReal = ({ path }: Change) => !isByTheWay(path, records) || list.has(path);
  if (work.own.some(isReal)) return [];
  // Its commits may have come after its record, and its work may not be committed.
  if (work.since.some(({ path }) => list.has(path))) return [];
  if (
    listed.some(({ path, isGone }) =>
      commits?.isUncommitted(path) !== false && (isGone || exists(world.tree, path))
    )
  ) {
    return [];
  }
  if (listed.length === 0 && (work.since.some(isReal) || (commits?.uncommitted(records).length ?? 0) > 0)) {
    return [];
  }
  const { path } = texts[0]!;
  const { words, commit } = work.start;
  const problem = `${claimOf(subject)} nothing was changed ${words}${
    commit === undefined ? "" : ` ${commit}`
  }.`;
  return [found(subject, "empty-diff", problem, { path })];
}

/** What is known to be changed: by commits and by the story's own list. */
function changedPaths(subject: Subject): readonly string[] {
  const listed = subject.listed.filter(({ isGone }) => !isGone).map(({ path }) => path);
  const own = subject.work?.own.filter(({ kind }) => kind !== "deleted").map(({ path }) => path) ?? [];
  return [...new Set([...own, ...listed])];
}

/** Code without a test. Where tests are in the code itself, it is read. */
function touchedTests(subject: Subject): readonly Finding[] {
  const { texts, world: { tree } } = subject;
  const [first] = texts;
  const paths = changedPaths(subject);
  const code = paths.filter((path) => isCode(path) && !isTest(path));
  const needsNone = texts.some(({ fields }) =>
    /^(?:spike|chore|refactor)$/.test(asText(fields["type"]) ?? "")
  );
  if (first === undefined || needsNone || code.length === 0) return [];
  // A test that is not committed yet may be this story's, unless it is over and names its files.
  const isOpen = subject.story.state !== "done" || subject.listed.length === 0;
  const open = isOpen ? subject.commits?.uncommitted(recordsOf(subject)) ?? [] : [];
  if ([...paths, ...open].some(isTest)) return [];
  if (code.slice(0, MAX_TESTS).some((path) => holdsTests(textOf(tree, path)))) {
    return [];
  }
  const problem = `${nameOf(subject)} changed ${
    fewOf(code.map((path) => quoted(subject, path)), 1)
  }, but no test.`;
  return [found(subject, "no-test", problem, { path: first.path, line: first.headings.get("files") })];
}

/** Tests that are gone, or have a name now that no runner looks for. */
function keptTests(subject: Subject): readonly Finding[] {
  const { work, texts, world: { tree } } = subject;
  if (work === undefined) return [];
  const gone = fileList(subject.listed.filter(({ isGone }) => isGone).map(({ path }) => path));
  const removed = work.own.filter(({ kind, path }) =>
    kind === "deleted" && isTest(path) && !tree.hasFile(path) && !gone.has(path)
  );
  const added = new Map(
    work.own.filter(({ kind }) => kind === "added").map(({ after, path }) => [after, path]),
  );
  const targetOf = ({ before }: Change) => added.get(before);
  const lost = removed.filter((one) => {
    const target = targetOf(one);
    return target === undefined || !isTest(target);
  });
  return lost.slice(0, MAX_NAMED).map((one) => {
    const target = targetOf(one);
    const problem = `${nameOf(subject)} ${
      target === undefined ? "deleted" : `renamed to ${quoted(subject, target)}`
    } the test ${quoted(subject, one.path)} without saying so.`;
    return found(subject, "test-removed", problem, { path: texts[0]!.path });
  });
}

/** Where tests name the criteria that they are for, each criterion needs one. */
function testedCriteria(subject: Subject): readonly Finding[] {
  const { texts, world: { tree } } = subject;
  const tests = changedPaths(subject).filter(isTest).slice(0, MAX_TESTS);
  const named = namedCriteria(tests.map((path) => textOf(tree, path)).join("\n"));
  return texts.flatMap((text) => {
    const criteria = criteriaIn(text);
    const missing = criteria.filter(({ number }) => !named.has(number));
    if (criteria.length - missing.length < Math.max(2, criteria.length / 2)) return [];
    return missing.map((one) => {
      const problem = `${nameOf(subject)}: no test names criterion ${one.number}, ${
        quoted(subject, one.text)
      }.`;
      return found(subject, "criterion-untested", problem, { path: text.path, line: one.line });
    });
  });
}

const GATE = /(?:^|[\s`(])([\w./-]{1,200}\/gates\/[\w./-]{1,200}\.ya?ml)/;

/** The file of a quality gate that the story names: v4's record of a review. */
function passedGate(subject: Subject): readonly Finding[] {
  const { texts, world: { tree } } = subject;
  const paths = texts.flatMap(({ lines }) => lines.get("review") ?? [])
    .flatMap(({ text }) => GATE.exec(text)?.[1] ?? []);
  const path = paths.at(-1);
  const text = path === undefined ? "" : textOf(tree, path);
  if (text === "") return [];
  const { value } = parseYaml(text);
  const isWaived = asValues(value["waiver"])["active"] === true;
  const gaps = asValues(asValues(value["evidence"])["trace"])["ac_gaps"];
  return [
    ...(asText(value["gate"])?.toUpperCase() === "FAIL" && !isWaived
      ? [
        found(subject, "review-rejected", `${claimOf(subject)} its quality gate failed.`, {
          path: path!,
        }),
      ]
      : []),
    ...(Array.isArray(gaps) && gaps.length > 0 && !isWaived
      ? [found(
        subject,
        "criterion-untested",
        `${claimOf(subject)} its quality gate names criteria without a test: ${
          quoted(subject, gaps.slice(0, 20).map((one) => asText(one) ?? "").join(", "))
        }.`,
        { path: path! },
      )]
      : []),
  ];
}

function textOf(tree: Tree, path: string): string {
  return (tree.stat(path)?.size ?? Infinity) > MAX_TEST_LENGTH ? "" : findText(tree, path) ?? "";
}

function exists(tree: Tree, path: string): boolean {
  return tree.hasFile(path) || tree.list(path).length > 0;
}

/** One finding for the first of several, which says how many more there are. */
function few<T>(values: readonly T[], write: (value: T, more: string) => Finding): readonly Finding[] {
  const [first] = values;
  return first === undefined ? [] : [write(first, values.length > 1 ? ` and ${values.length - 1} more` : "")];
}
