/**
 * The words for states that each format writes. All of them are understood everywhere (board/status.ts).
 */
import { failUnknown } from "../../../base/errors.ts";
import { type State, stateOf } from "../formats/mod.ts";

/** Whose words: a sprint's and its story files, records of builds, tickets, or v4. */
export type Dialect = "sprint" | "record" | "ticket" | "v4";

const RECORD: Partial<Record<State, readonly string[]>> = {
  "backlog": ["draft"],
  "ready": ["ready-for-dev"],
  "in-progress": ["in-progress"],
  "blocked": ["blocked"],
  "review": ["in-review"],
  "done": ["done"],
};

/** The words of each state; the first is written for any other word of that state. */
const WORDS: Readonly<Record<Dialect, Partial<Record<State, readonly string[]>>>> = {
  sprint: { ...RECORD, backlog: ["backlog"], blocked: undefined, review: ["review"] },
  record: RECORD,
  ticket: { ...RECORD, review: ["in-review", "built"], dropped: ["dropped"] },
  v4: {
    "backlog": ["Draft"],
    "ready": ["Approved"],
    "in-progress": ["InProgress"],
    "review": ["Review"],
    "done": ["Done"],
  },
};

/** A status as its format writes it. Fails for one that it does not have, unless that is forced. */
export function readStatus(given: string, dialect: Dialect, isForced: boolean): string {
  const plain = given.trim().replaceAll(/[\s_]+/g, "-");
  const all = Object.values(WORDS[dialect]).flatMap((words) => words ?? []);
  const exact = all.find((word) => word.toLowerCase() === plain.toLowerCase());
  const known = exact ?? wordFor(stateOf(given), dialect);
  if (known !== undefined) return known;
  if (isForced && /^[a-z][a-z0-9-]{0,49}$/i.test(plain)) return plain.toLowerCase();
  return failUnknown("status", given, all);
}

/** The word of a state; undefined where a format has none. */
export function wordFor(state: State | undefined, dialect: Dialect): string | undefined {
  return state && WORDS[dialect][state]?.[0];
}

/** How far a state is. What is blocked is as far as what is under way. */
const RANKS: Readonly<Record<State, number>> = {
  "backlog": 0,
  "ready": 1,
  "in-progress": 2,
  "blocked": 2,
  "review": 3,
  "done": 4,
  "dropped": 5,
};

/** Whether a status is further back than another; an unknown word has no place in the order. */
export function isStepBack(from: string | undefined, to: string): boolean {
  const [before, after] = [from === undefined ? "backlog" : stateOf(from), stateOf(to)];
  return before !== undefined && after !== undefined && RANKS[after] < RANKS[before];
}
