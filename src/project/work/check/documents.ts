/**
 * What the files of a story show by themselves: boxes, criteria, open questions and reviews.
 */
import { asText } from "../../../base/values.ts";
import { counted } from "../../../base/text.ts";
import { type Box, cellsIn, FORMS, isWritten, stateOf, type StoryText } from "../formats/mod.ts";
import type { Finding } from "./model.ts";
import { claimOf, found, isNamedIn, nameOf, quoted, type Rule, type Subject } from "./subject.ts";

/** The rules over the files of a story, in the order of their findings. */
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

function hasFile(subject: Subject): readonly Finding[] {
  const { story, texts } = subject;
  // What a tracker keeps needs no plan here.
  const isUnplanned = FORMS[story.form].evidence.isPlanned && story.plan === undefined &&
    !texts.some(({ fields }) => asText(fields["tracker_status"]));
  if (texts.length > 0 && !isUnplanned) return [];
  const path = story.file ?? story.plan;
  if (isUnplanned && path !== undefined) {
    return [found(subject, "no-file", `${claimOf(subject)} it has no plan that shows it.`, { path })];
  }
  if (path !== undefined) {
    return [found(subject, "unreadable", `${nameOf(subject)} has a file that cannot be read.`, { path })];
  }
  const problem = `${claimOf(subject)} it has no story file that shows it.`;
  return [found(subject, "no-file", problem, { path: story.ledger, line: story.line })];
}

/** A draft shows that nothing was built, whatever the ledger says. */
function wasBegun(subject: Subject): readonly Finding[] {
  if (!FORMS[subject.story.form].evidence.isDraftUndone) return [];
  return subject.texts.flatMap(({ path, statuses: [own] }) => {
    if (own === undefined || stateOf(own.word) !== "backlog") return [];
    const problem = `${claimOf(subject)} its file is still a ${quoted(subject, own.word)}.`;
    return [found(subject, "not-begun", problem, { path, line: own.line })];
  });
}

/** The sections that BMAD's own template of the form has; what a document has left out is not missed. */
function isFilledIn(subject: Subject): readonly Finding[] {
  const { story, texts } = subject;
  const wanted = FORMS[story.form].evidence.sections.map((name) => name.toLowerCase());
  if (wanted.length === 0) return [];
  return texts.flatMap(({ path, sections, boxes }) => {
    const isEmpty = boxes.total === 0 && !sections.values().some(({ isFilled }) => isFilled);
    const open = [...sections].filter(([name, { isFilled }]) => wanted.includes(name) && !isFilled);
    if (!isEmpty && open.length === 0) return [];
    const problem = isEmpty
      ? `${claimOf(subject)} nothing is written in its file.`
      : `${claimOf(subject)} ${open.map(([name]) => quoted(subject, name)).join(" and ")} ${
        open.length === 1 ? "is" : "are"
      } empty.`;
    return [found(subject, "section-empty", problem, { path, line: open[0]?.[1].line })];
  });
}

/** Boxes in a list for later, and boxes that are struck out, are not work of this story. */
function isOpen({ isTicked, role, text }: Box): boolean {
  return !isTicked && role !== "later" && !/^\s*(?:~~|\(?optional\b)/i.test(text);
}

function isOfReview({ role, text }: Box): boolean {
  return role === "review" || /^\s*\[(?:AI-)?Review\]/i.test(text);
}

/** Ticked boxes in a story that has not begun. A ledger without a word for the state says nothing. */
function tickedTooEarly(subject: Subject): readonly Finding[] {
  const { story, texts } = subject;
  if (story.status === undefined) return [];
  return texts.flatMap(({ path, allBoxes }) => {
    const ticked = allBoxes.filter(({ isTicked, role }) =>
      isTicked && role !== "readiness" && role !== "review" && role !== "later"
    );
    const [first] = ticked;
    if (first === undefined) return [];
    const problem = `${nameOf(subject)} is "${story.status}", but ${
      counted(ticked.length, "box is", "boxes are")
    } ticked already, first ${quoted(subject, first.text)}.`;
    return [found(subject, "pre-ticked", problem, { path, line: first.line })];
  });
}

/** Open boxes, one finding for each section. */
function hasOpenBoxes(subject: Subject): readonly Finding[] {
  return subject.texts.flatMap(({ path, allBoxes }) => {
    const own = allBoxes.filter((box) => !isOfReview(box));
    const sections = Map.groupBy(own.filter(isOpen), ({ heading, role }) => `${role}\n${heading}`);
    return [...sections.values()].map((open) => {
      const { heading, line, text, role } = open[0]!;
      const total = own.filter((box) => box.heading === heading && box.role === role).length;
      const where = heading === "" ? "" : ` under ${quoted(subject, heading)}`;
      const problem = `${claimOf(subject)} ${open.length} of ${counted(total, "box", "boxes")}${where} ${
        open.length === 1 ? "is" : "are"
      } not ticked, first ${quoted(subject, text)}.`;
      return found(subject, role === "criteria" ? "criterion-unticked" : "box-unticked", problem, {
        path,
        line,
      });
    });
  });
}

function hasCriteria(subject: Subject): readonly Finding[] {
  const { story, texts } = subject;
  const [first] = texts;
  if (first === undefined) return [];
  const written = (text: StoryText) =>
    [...text.lines.get("criteria") ?? [], ...text.lines.get("matrix") ?? []].filter((one) =>
      isWritten(one.text)
    );
  const has = texts.some((text) => written(text).length > 0) ||
    story.criteria.some(isWritten);
  // A change small enough for one shot has none; neither has what is found out or repaired.
  const isSmall = texts.some(({ fields }) =>
    asText(fields["route"]) === "oneshot" || /^(?:spike|chore)$/.test(asText(fields["type"]) ?? "")
  );
  // In a language that we do not know, the criteria may be under any heading.
  const isKnown = texts.every(({ headings, sections }) =>
    headings.has("criteria") || headings.has("tasks") || sections.size <= 1
  );
  if (has || isSmall || !isKnown) return [];
  const line = first.headings.get("criteria");
  const problem = `${claimOf(subject)} it has no acceptance criteria.`;
  return [found(subject, "criteria-missing", problem, { path: first.path, line })];
}

/** A criterion with the number by which tasks and tests name it. */
export interface Criterion {
  readonly number: number;
  readonly line: number;
  readonly text: string;
}

const NUMBERED =
  /^(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?(?:\*\*|__)?(?:AC[\s#-]{0,2})?(\d{1,3})(?:\*\*|__)?(?:[.):]|\s|$)/i;

/** The criteria that have numbers. */
export function criteriaIn({ lines }: StoryText): readonly Criterion[] {
  const found = new Map<number, Criterion>();
  for (const { text, line } of lines.get("criteria") ?? []) {
    const start = text.startsWith("|") ? cellsIn(text)[0]! : text;
    const number = Number(NUMBERED.exec(start.slice(0, 200))?.[1] ?? 0);
    if (number > 0) found.getOrInsert(number, { number, line, text });
  }
  return [...found.values()];
}

/** `(AC: 1, 3)`, `AC1`, `AC #2-4`. */
const NAMED =
  /\bACs?\s{0,2}[:#-]?\s{0,2}#?(\d{1,3}(?:\s{0,2}(?:,|&|and|-|–)\s{0,2}(?:AC)?#?\d{1,3}){0,30})/gi;

/** The numbers of the criteria that a text names. */
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

/** Where tasks name the criteria that they are for, each criterion needs one. */
function coversCriteria(subject: Subject): readonly Finding[] {
  return subject.texts.flatMap((text) => {
    const criteria = criteriaIn(text);
    const tasks = text.allBoxes.filter(({ role }) => role === "tasks").map((box) => box.text).join("\n");
    const named = namedCriteria(tasks);
    const missing = criteria.filter(({ number }) => !named.has(number));
    // Few names are a habit of some tasks, not a rule of the story.
    if (criteria.length - missing.length < Math.max(1, criteria.length / 2)) return [];
    return missing.map((one) => {
      const problem = `${nameOf(subject)}: no task names criterion ${one.number}, ${
        quoted(subject, one.text)
      }.`;
      return found(subject, "criterion-without-task", problem, { path: text.path, line: one.line });
    });
  });
}

function hasOpenQuestions(subject: Subject): readonly Finding[] {
  const { story: { unknown, file, ledger }, texts } = subject;
  const open = texts.flatMap(({ path, lines }) =>
    (lines.get("questions") ?? []).filter((line) =>
      /^(?:[-*+]|\d{1,3}[.)])\s/.test(line.text) &&
      !/\[[xX]\]|~~|\b(?:resolved|answered|decided|none)\b/i.test(line.text)
    ).slice(0, 1).map((line) => ({ path, ...line }))
  );
  const all = [...open, ...(unknown === undefined ? [] : [{ path: file ?? ledger, text: unknown }])];
  return all.map(({ text, ...place }) =>
    found(
      subject,
      "question-open",
      `${claimOf(subject)} a question is open: ${quoted(subject, text)}.`,
      place,
    )
  );
}

/** `**Outcome:** Changes Requested`, `Gate: FAIL`. */
const OUTCOME = /^\W{0,6}(?:review )?(?:outcome|verdict|decision|gate(?: status)?)\W{1,6}(\w[\w ]{1,40})/i;
const REJECTED =
  /^(?:changes? requested|request changes|blocked|rejected|reject|fail|failed|not approved)\b/i;
/** Requests that are met once all that they name is ticked. */
const CHANGES = /^(?:changes? requested|request changes)\b/i;
const PASSED = /^(?:pass|passed|waived|approved?)\b/i;
const IDEAS = /\b(?:improvements?|recommendations?|suggestions?)\b/i;
/** A finding that counts, thrown away. */
const DISMISSED = /^[-*+]\s+`?\[(?:high|medium)\]`?\s+`?\[reject\]/i;

/** A review may still be under way; what is done has none that is open. */
function hasOpenReview(subject: Subject): readonly Finding[] {
  return subject.texts.flatMap(({ path, allBoxes, lines }) => {
    const review = lines.get("review") ?? [];
    // A later review replaces an earlier one.
    const last = review.findLast(({ text }) => OUTCOME.test(text));
    const outcome = last === undefined ? "" : OUTCOME.exec(last.text)![1]!;
    const own = allBoxes.filter(isOfReview);
    // What a review that passed would like to be better is an idea for later.
    const open = own.filter((box) => isOpen(box) && !(PASSED.test(outcome) && IDEAS.test(box.heading)));
    const [first] = open;
    const asked = CHANGES.test(outcome) ? own.filter(({ line }) => line > last!.line) : [];
    const isRejected = REJECTED.test(outcome) && (asked.length === 0 || asked.some(isOpen));
    const dismissed = review.find(({ text }) => DISMISSED.test(text));
    return [
      ...(first === undefined ? [] : [found(
        subject,
        "review-open",
        `${claimOf(subject)} ${
          counted(open.length, "review finding is", "review findings are")
        } open, first ${quoted(subject, first.text)}.`,
        { path, line: first.line },
      )]),
      ...(isRejected
        ? [found(
          subject,
          "review-rejected",
          `${claimOf(subject)} its last review says ${quoted(subject, outcome)}.`,
          { path, line: last!.line },
        )]
        : []),
      ...(dismissed === undefined ? [] : [found(
        subject,
        "review-open",
        `${claimOf(subject)} a review finding that counts was rejected: ${quoted(subject, dismissed.text)}.`,
        { path, line: dismissed.line },
      )]),
    ];
  });
}

/** A section for the review in which nothing is written. */
function recordsReview(subject: Subject): readonly Finding[] {
  const { story: { form }, texts } = subject;
  if (!FORMS[form].evidence.isReviewRecorded) return [];
  const [first] = texts.flatMap(({ path, headings }) => {
    const line = headings.get("review");
    return line === undefined ? [] : [{ path, line }];
  });
  const lines = texts.flatMap((text) => text.lines.get("review") ?? []);
  // "None" is what a review has found.
  const isRecorded = lines.some(({ text }) => isWritten(text) || /^\W*none\b/i.test(text));
  if (first === undefined || isRecorded) return [];
  return [found(subject, "review-missing", `${claimOf(subject)} no review is recorded in it.`, first)];
}

/** What was found in this story has to be fixed in it; only what was there before may be deferred. */
function deferredTooMuch(subject: Subject): readonly Finding[] {
  const { story } = subject;
  const open = subject.deferred().filter(({ text, heading }) =>
    /\[(?:Patch|Decision|High|Critical)\]/i.test(text.slice(0, 200)) &&
    (isNamedIn(heading, story) || isNamedIn(text, story))
  );
  return open.slice(0, 1).map(({ path, line, text }) => {
    const problem = `${claimOf(subject)} ${
      counted(open.length, "review finding of it is", "review findings of it are")
    } deferred and open, first ${quoted(subject, text)}.`;
    return found(subject, "review-open", problem, { path, line });
  });
}
