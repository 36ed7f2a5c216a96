/** Which statuses each generation writes, and what must be there before a story is done. */
import { chooseFrom, fail } from "../../../base/errors.ts";
import { abbreviateList } from "../../../base/text.ts";
import { asText, type Values } from "../../../base/values.ts";
import { type FormName, isOver, type RowStyle, type State, stateOf } from "./model.ts";

interface Pair {
  readonly ledger: State;
  readonly means?: string;
}

export interface Form {
  readonly words: Readonly<Partial<Record<State, readonly string[]>>>;
  /**
   * The ledger's states that go with a document's; one that is behind should say the first. Without a row, only the
   * same.
   */
  readonly pairs?: Readonly<Partial<Record<State, readonly Pair[]>>>;
  readonly completion: Completion;
  readonly review: RowStyle;
  /** For runs of commands: the first section that exists, or else the first is made. */
  readonly runs: readonly [SectionPlace, ...SectionPlace[]];
}

/** Inside others, before those that BMAD's template puts below it. */
export type SectionPlace = readonly {
  readonly title: string;
  readonly before?: readonly string[];
}[];

/** Only what BMAD's own template has a place for. */
interface Completion {
  readonly isDraftUndone: boolean;
  readonly isPlanned: boolean;
  readonly sections: readonly string[];
  readonly isReviewRecorded: boolean;
  /** These record no baseline: their work is in the commit that made them, or after it. */
  readonly routeWithoutBaseline?: string;
}

const RECORD: Form["words"] = {
  "backlog": ["draft"],
  "ready": ["ready-for-dev"],
  "in-progress": ["in-progress"],
  "blocked": ["blocked"],
  "review": ["in-review"],
  "done": ["done"],
};

/** Only a review that found something leaves a trace in them. */
const BUILT: Completion = {
  isDraftUndone: true,
  isPlanned: false,
  sections: ["Intent", "Implementation Notes"],
  isReviewRecorded: false,
  routeWithoutBaseline: "oneshot",
};

/** Files that people and agents fill in. */
const WRITTEN: Completion = { isDraftUndone: false, isPlanned: false, sections: [], isReviewRecorded: true };

const DEBUG_LOG: Form["runs"] = [[
  { title: "Dev Agent Record", before: ["QA Results"] },
  { title: "Debug Log References", before: ["Completion Notes", "File List", "Change Log"] },
]];

const VERIFICATION: Form["runs"] = [[{ title: "Verification" }], [{ title: "Implementation Notes" }]];

const PLANNING: Pair = { ledger: "in-progress", means: "the build is planning it" };

const UNTESTED = ["spike", "chore", "refactor", "docs"];

export function demandsTests(fields: Values): boolean {
  return !UNTESTED.includes(asText(fields["type"]) ?? "");
}

export const FORMS: Readonly<Record<FormName, Form>> = {
  /** 6.0 to 6.11: `sprint-status.yaml`, and `1-2-login.md` with a line `Status:`. */
  "story-file": {
    words: { ...RECORD, backlog: ["backlog"], blocked: undefined, review: ["review"] },
    pairs: {
      // The draft from which a story file is written.
      "backlog": [{ ledger: "backlog" }, { ledger: "ready" }],
    },
    completion: WRITTEN,
    review: "findings",
    runs: DEBUG_LOG,
  },
  /** 6.11 and 6.12: `sprint-status.yaml`, and `spec-1-2-login.md` with a status in its front matter. */
  "build-spec": {
    words: RECORD,
    pairs: {
      "backlog": [{ ledger: "backlog" }, { ledger: "ready" }, PLANNING],
      // It moves once the implementation begins, and again after the build.
      "ready": [{ ledger: "ready" }, { ledger: "backlog", means: "planned, and not begun" }, PLANNING],
      "blocked": [{ ledger: "in-progress", means: "the build is blocked" }],
      "review": [{ ledger: "review" }, { ledger: "in-progress", means: "the build is reviewing its work" }],
      "done": [{ ledger: "review", means: "review pending, as the build leaves it" }, { ledger: "done" }],
    },
    completion: BUILT,
    review: "triage",
    runs: VERIFICATION,
  },
  /** 6.12: `stories.yaml` of a spec, and a record for each story that was begun. */
  "spec-story": {
    words: RECORD,
    completion: BUILT,
    review: "triage",
    runs: VERIFICATION,
  },
  /** v4: `docs/stories/1.2.login.md`. */
  "v4-story": {
    words: {
      "backlog": ["Draft"],
      "ready": ["Approved"],
      "in-progress": ["InProgress"],
      "review": ["Review"],
      "done": ["Done"],
    },
    completion: { ...WRITTEN, sections: ["Dev Agent Record"] },
    review: "checklist",
    runs: DEBUG_LOG,
  },
  /** After 6.12: `tickets.toml`, and a plan for each ticket that was begun. */
  "ticket": {
    words: { ...RECORD, review: ["in-review", "built"], dropped: ["dropped"] },
    completion: { ...BUILT, isPlanned: true },
    review: "triage",
    runs: VERIFICATION,
  },
};

export function formInSprint(fields: Values = {}): FormName {
  return asText(fields["status"]) === undefined ? "story-file" : "build-spec";
}

export function meaningOf(
  form: FormName,
  ledger: State,
  document: State,
): { readonly note?: string } | undefined {
  if (ledger === document) return {};
  const pair = FORMS[form].pairs?.[document]?.find((one) => one.ledger === ledger);
  return pair && (pair.means === undefined ? {} : { note: pair.means });
}

export function ledgerFor(form: FormName, document: State): State {
  return FORMS[form].pairs?.[document]?.[0]?.ledger ?? document;
}

/** Itself, or the first of the same state. Fails without one, unless forced. */
export function readWord(given: string, words: readonly string[], isForced: boolean): string {
  const plain = given.trim().replaceAll(/[\s_]+/g, "-").toLowerCase();
  const state = stateOf(given);
  const known = words.find((word) => word.toLowerCase() === plain) ??
    words.find((word) => state !== undefined && stateOf(word) === state);
  if (known !== undefined) return known;
  if (isForced && /^[a-z][a-z0-9-]{0,49}$/.test(plain)) return plain;
  return chooseFrom(words, "status", given);
}

export function wordsOf(form: FormName): readonly string[] {
  return Object.values(FORMS[form].words).flatMap((words) => words ?? []);
}

export function wordFor(state: State | undefined, form: FormName): string | undefined {
  return state && FORMS[form].words[state]?.[0];
}

const RANKS: Readonly<Record<State, number>> = {
  "backlog": 0,
  "ready": 1,
  "in-progress": 2,
  "blocked": 2,
  "review": 3,
  "done": 4,
  "dropped": 5,
};

/** Loops write it between review and done: a person has to act. */
const AFTER_REVIEW = "awaiting-operator";

function rankOf(word: string): number | undefined {
  const state = stateOf(word);
  return word === AFTER_REVIEW ? RANKS.review + 0.5 : state && RANKS[state];
}

export type Order = (status: string) => number | undefined;

export function orderOf(form: FormName): Order {
  return (status) => {
    const state = stateOf(status);
    const isOwn = status === AFTER_REVIEW || state !== undefined && FORMS[form].words[state] !== undefined;
    return isOwn ? rankOf(status) : undefined;
  };
}

/** Between the two; a way from nothing begins at the first. */
export function isOnWay(order: Order, status: string, from: string | undefined, to: string): boolean {
  const [start, place, end] = [from === undefined ? 0 : order(from), order(status), order(to)];
  return start !== undefined && place !== undefined && end !== undefined && start <= place && place < end;
}

export function isBehind(status: string, other: string): boolean {
  const [one, two] = [rankOf(status), rankOf(other)];
  return one !== undefined && two !== undefined && one < two;
}

/** Review back to work is normal, unless the story was seen in another state: somebody was faster. */
export function isStepBack(from: string, to: string, seen: State | undefined): boolean {
  if (!isBehind(to, from)) return false;
  const before = stateOf(from);
  return seen !== before || before !== "review" || stateOf(to) !== "in-progress";
}

export const IF_MEANT = { fixes: ["force"] } as const;

export function failStepBack(key: string, from: string, to: string): never {
  const what = `move ${key} from ${from} back to ${to}`;
  return fail({ code: "not-allowed", what, hint: "nothing goes back", ...IF_MEANT });
}

export function refuseDraft(form: FormName, key: string, word: string | undefined, to: string): void {
  if (!FORMS[form].completion.isDraftUndone || stateOf(to) !== "review") return;
  if (word === undefined || stateOf(word) !== "backlog") return;
  fail({
    code: "not-allowed",
    what: `mark ${key} as ${to}`,
    hint: `its file is still a "${word}"`,
    ...IF_MEANT,
  });
}

export function epicDue(own: State | undefined, stories: readonly (State | undefined)[]): State | undefined {
  if (stories.length === 0 || own !== "backlog" && own !== "in-progress" && own !== "done") return undefined;
  const isBegun = own !== "backlog" || stories.some((state) => state !== "backlog");
  const due = stories.every(isOver) ? "done" : isBegun ? "in-progress" : "backlog";
  return due === own ? undefined : due;
}

export function refuseEarlyEnd(key: string, stories: ReadonlyMap<string, State | undefined>): void {
  const open = [...stories.keys()].filter((one) => !isOver(stories.get(one)));
  if (stories.size > 0 && open.length === 0) return;
  const hint = stories.size === 0
    ? "it has no stories yet"
    : `${abbreviateList(open)} ${open.length === 1 ? "is" : "are"} not done`;
  fail({ code: "not-allowed", what: `end ${key}`, hint, ...IF_MEANT });
}
