/** What a story's files show by themselves: boxes, criteria, open questions and reviews. */
import { cachedWith } from "../../../base/cache.ts";
import { asText } from "../../../base/values.ts";
import { counted, shorten } from "../../../base/text.ts";
import {
  cellsIn,
  FORMS,
  isOpenBox,
  isReviewBox,
  isWritten,
  readReview,
  type ReviewFinding,
  type RoleLine,
  stateOf,
  type Story,
  type StoryText,
} from "../formats/mod.ts";
import type { Remark, Rule, Subject } from "./model.ts";
import { isNamedIn } from "./names.ts";

export const DOCUMENT_RULES: readonly Rule[] = [
  ["claimed", hasFile],
  ["claimed", wasBegun],
  ["claimed", isFilledIn],
  ["not begun", tickedTooEarly],
  ["claimed", hasOpenBoxes],
  ["claimed", hasCriteria],
  ["claimed", coversCriteria],
  ["claimed", hasOpenQuestions],
  ["done", hasOpenReview],
  ["done", recordsReview],
  ["done", deferredTooMuch],
];

function* hasFile({ story, texts, name }: Subject): Iterable<Remark> {
  // A tracker's story needs no plan here.
  const isUnplanned = FORMS[story.form].completion.isPlanned && story.plan === undefined &&
    !texts.some(({ fields }) => asText(fields["tracker_status"]));
  if (texts.length > 0 && !isUnplanned) return;
  const path = story.file ?? story.plan;
  if (path === undefined) {
    const but = "it has no story file that shows it.";
    yield { code: "no-file", but, path: story.ledger, line: story.line };
  } else if (isUnplanned) yield { code: "no-file", but: "it has no plan that shows it.", path };
  else yield { code: "unreadable", problem: `${name} has a file that cannot be read.`, path };
}

function* wasBegun({ story, texts, quote }: Subject): Iterable<Remark> {
  if (!FORMS[story.form].completion.isDraftUndone) return;
  for (const { path, statuses: [own] } of texts) {
    if (own === undefined || stateOf(own.word) !== "backlog") continue;
    yield { code: "not-begun", but: `its file is still a ${quote(own.word)}.`, path, line: own.line };
  }
}

/** Only sections of BMAD's own template; an omitted one is not missed. */
function* isFilledIn({ story, texts, quote }: Subject): Iterable<Remark> {
  const wanted = FORMS[story.form].completion.sections.map((name) => name.toLowerCase());
  if (wanted.length === 0) return;
  for (const { path, sections, boxes } of texts) {
    const isEmpty = boxes.total === 0 && !sections.values().some(({ isFilled }) => isFilled);
    const open = [...sections].filter(([name, { isFilled }]) => wanted.includes(name) && !isFilled);
    if (!isEmpty && open.length === 0) continue;
    const names = open.map(([name]) => quote(name)).join(" and ");
    const but = isEmpty
      ? "nothing is written in its file."
      : `${names} ${open.length === 1 ? "is" : "are"} empty.`;
    yield { code: "section-empty", but, path, line: open[0]?.[1].line };
  }
}

function* tickedTooEarly({ story, texts, name, quote }: Subject): Iterable<Remark> {
  if (story.status === undefined) return;
  for (const { path, allBoxes } of texts) {
    const ticked = allBoxes.filter(({ isTicked, role }) =>
      isTicked && role !== "readiness" && role !== "review" && role !== "later"
    );
    const [first] = ticked;
    if (first === undefined) continue;
    const words = `but ${counted(ticked.length, "box is", "boxes are")} ticked already`;
    const problem = `${name} is "${story.status}", ${words}, first ${quote(first.text)}.`;
    yield { code: "pre-ticked", problem, path, line: first.line };
  }
}

function* hasOpenBoxes({ texts, quote }: Subject): Iterable<Remark> {
  for (const { path, allBoxes } of texts) {
    const own = allBoxes.filter((box) => !isReviewBox(box));
    const groups = Map.groupBy(own.filter(isOpenBox), ({ heading, role }) => `${role}\n${heading}`);
    for (const open of groups.values()) {
      const { heading, line, text, role } = open[0]!;
      const total = own.filter((box) => box.heading === heading && box.role === role).length;
      const where = heading === "" ? "" : ` under ${quote(heading)}`;
      const are = open.length === 1 ? "is" : "are";
      const count = `${open.length} of ${counted(total, "box", "boxes")}${where}`;
      const but = `${count} ${are} not ticked, first ${quote(text)}.`;
      yield { code: role === "criteria" ? "criterion-unticked" : "box-unticked", but, path, line };
    }
  }
}

function* hasCriteria({ story, texts }: Subject): Iterable<Remark> {
  const [first] = texts;
  if (first === undefined) return;
  const lines = texts.flatMap(({ lines }) => [lines.get("criteria") ?? [], lines.get("matrix") ?? []].flat());
  const has = lines.some(({ text }) => isWritten(text)) || story.criteria.some(isWritten);
  // A one-shot change, a spike and a chore need no criteria.
  const isSmall = texts.some(({ fields }) =>
    asText(fields["route"]) === "oneshot" || /^(?:spike|chore)$/.test(asText(fields["type"]) ?? "")
  );
  // In an unknown language, they may be below any heading.
  const isKnown = texts.every(({ headings, sections }) =>
    headings.has("criteria") || headings.has("tasks") || sections.size <= 1
  );
  if (has || isSmall || !isKnown) return;
  const line = first.headings.get("criteria");
  yield { code: "criteria-missing", but: "it has no acceptance criteria.", path: first.path, line };
}

const NUMBERED =
  /^(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?(?:\*\*|__)?(?:AC[\s#-]{0,2})?(\d{1,3})(?:\*\*|__)?(?:[.):]|\s|$)/i;
const OWN_NUMBER =
  /^(?:[-*+] )?(?:\[[ xX]\] )?(?:\*\*|__)?(?:AC[ #-]{0,2})?\d{1,3}(?:\*\*|__)?[.):]?(?:\*\*|__)? /i;

type Criteria = ReadonlyMap<number, Pick<RoleLine, "text" | "line">>;

/** Without numbers, criteria are counted. */
const criteriaIn: (text: StoryText) => Criteria = cachedWith(({ lines, criteria, headings }) => {
  const found = new Map<number, Pick<RoleLine, "text" | "line">>();
  for (const { text, line } of lines.get("criteria") ?? []) {
    const start = text.startsWith("|") ? cellsIn(text)[0]! : text;
    const number = Number(NUMBERED.exec(start.slice(0, 200))?.[1] ?? 0);
    if (number > 0) found.getOrInsert(number, { text: text.replace(OWN_NUMBER, ""), line });
  }
  const line = headings.get("criteria") ?? 1;
  return found.size > 0 ? found : new Map(criteria.map((text, at) => [at + 1, { text, line }]));
});

/** With its matrix's rows, counted on; else those of its plan. */
export function criteriaOf({ criteria }: Story, texts: readonly StoryText[]): Criteria {
  const found = new Map(texts.flatMap((text) => [...criteriaIn(text)]));
  const own = texts.flatMap(({ scenarios }) => scenarios);
  const known = found.size + own.length === 0 ? criteria : own;
  const last = Math.max(0, ...found.keys());
  return new Map([...found, ...known.map((text, at) => [last + at + 1, { text, line: 1 }] as const)]);
}

export const HOW_TESTS_NAME =
  "A test names a criterion by its number, as in AC2, in a file that the story lists or its commits changed.";

/** Where nothing of a kind, a test or a task, names a criterion. */
export function unnamedWords(kind: string, number: number, text: string): string {
  return `no ${kind} names AC${number}: ${shorten(text, 200)}`;
}

const NAMED =
  /\bACs?\s{0,2}[:#-]?\s{0,2}#?(\d{1,3}(?:\s{0,2}(?:,|&|and|-|–)\s{0,2}(?:AC)?#?\d{1,3}){0,30})/gi;

export function namedCriteria(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [, list] of text.matchAll(NAMED)) {
    for (const part of list!.split(/,|&|and/)) {
      const [from, to] = (part.match(/\d+/g) ?? []).map(Number);
      for (let number = from ?? 1; number <= Math.min(to ?? from ?? 0, (from ?? 0) + 100); number++) {
        numbers.add(number);
      }
    }
  }
  return numbers;
}

function* coversCriteria({ texts, name, world }: Subject): Iterable<Remark> {
  for (const text of texts) {
    const tasks = text.allBoxes.filter(({ role }) => role === "tasks").map((box) => box.text).join("\n");
    // A few mentions are a habit, not a rule of the story.
    for (const [number, { text: words, line }] of unnamedCriteria(text, tasks, 1)) {
      const problem = `${name}: ${unnamedWords("task", number, world.clean(words))}`;
      yield { code: "criterion-without-task", problem, path: text.path, line };
    }
  }
}

/** Empty unless the text names at least half of them, and no fewer than `least`. */
export function unnamedCriteria(story: StoryText, text: string, least: number) {
  const criteria = criteriaIn(story);
  const named = namedCriteria(text);
  const missing = [...criteria].filter(([number]) => !named.has(number));
  return criteria.size - missing.length < Math.max(least, criteria.size / 2) ? [] : missing;
}

function* hasOpenQuestions({ story, texts, quote, world }: Subject): Iterable<Remark> {
  const { unknown, file, ledger, questions = [] } = story;
  const code = "question-open";
  for (const { path, lines } of texts) {
    const open = lines.get("questions")?.find(({ text }) =>
      /^(?:[-*+]|\d{1,3}[.)])\s/.test(text) &&
      !/\[[xX]\]|~~|\b(?:resolved|answered|decided|none)\b/i.test(text)
    );
    if (open !== undefined) {
      yield { code, but: `a question is open: ${quote(open.text)}.`, path, line: open.line };
    }
  }
  if (unknown !== undefined) {
    yield { code, but: `a question is open: ${quote(unknown)}.`, path: file ?? ledger };
  }
  for (const { number, text, path, line } of world.board.questions) {
    if (questions.includes(number)) {
      yield { code, but: `question ${number} is open: ${quote(text)}.`, path, line };
    }
  }
}

const OUTCOME = /^\W{0,6}(?:review )?(?:outcome|verdict|decision|gate(?: status)?)\W{1,6}(\w[\w ]{1,40})/i;
const REJECTED =
  /^(?:changes? requested|request changes|blocked|rejected|reject|fail|failed|not approved)\b/i;
const CHANGES = /^(?:changes? requested|request changes)\b/i;
const PASSED = /^(?:pass|passed|waived|approved?)\b/i;
const IDEAS = /\b(?:improvements?|recommendations?|suggestions?)\b/i;

function* hasOpenReview({ texts, quote }: Subject): Iterable<Remark> {
  for (const text of texts) {
    const { path, lines } = text;
    const { findings } = readReview(text);
    // A later review replaces an earlier one.
    const last = (lines.get("review") ?? []).findLast(({ text }) => OUTCOME.test(text));
    const outcome = last === undefined ? "" : OUTCOME.exec(last.text)![1]!;
    // Suggestions of a review that passed are optional.
    const isIdea = ({ heading, severity }: ReviewFinding) =>
      PASSED.test(outcome) && IDEAS.test(heading) && severity !== "high";
    const open = findings.filter((one) => one.isOpen && !isIdea(one));
    const [first] = open;
    if (first !== undefined) {
      const count = counted(open.length, "review finding is", "review findings are");
      yield {
        code: "review-open",
        but: `${count} open, first ${quote(first.text)}.`,
        path,
        line: first.line,
      };
    }
    const asked = CHANGES.test(outcome) ? findings.filter(({ line }) => line > last!.line) : [];
    if (REJECTED.test(outcome) && (asked.length === 0 || asked.some(({ isOpen }) => isOpen))) {
      yield {
        code: "review-rejected",
        but: `its last review says ${quote(outcome)}.`,
        path,
        line: last!.line,
      };
    }
    const dismissed = findings.find(({ isDismissed }) => isDismissed);
    if (dismissed === undefined) continue;
    const but = `a review finding that counts was rejected: ${quote(dismissed.text)}.`;
    yield { code: "review-open", but, path, line: dismissed.line };
  }
}

function* recordsReview({ story, texts }: Subject): Iterable<Remark> {
  if (!FORMS[story.form].completion.isReviewRecorded) return;
  const first = texts.find(({ headings }) => headings.has("review"));
  const lines = texts.flatMap((text) => text.lines.get("review") ?? []);
  // "None" is a record, too.
  const isRecorded = lines.some(({ text }) => isWritten(text) || /^\W*none\b/i.test(text));
  if (first === undefined || isRecorded) return;
  const line = first.headings.get("review");
  yield { code: "review-missing", but: "no review is recorded in it.", path: first.path, line };
}

/** Only what existed before the story may be deferred. */
function* deferredTooMuch({ story, deferred, quote }: Subject): Iterable<Remark> {
  const open = deferred().filter(({ text, heading }) =>
    /\[(?:Patch|Decision|High|Critical)\]/i.test(text.slice(0, 200)) &&
    (isNamedIn(heading, story) || isNamedIn(text, story))
  );
  const [first] = open;
  if (first === undefined) return;
  const count = counted(open.length, "review finding of it is", "review findings of it are");
  const but = `${count} deferred and open, first ${quote(first.text)}.`;
  yield { code: "review-open", but, path: first.path, line: first.line };
}
