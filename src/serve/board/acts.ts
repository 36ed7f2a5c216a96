/**
 * What can be done on a board: one table for the page and the App, over the same work that the tool `bmad_work` does.
 */
import type { App, ProjectWork, Report } from "../../app.ts";
import { type BmadError, fail, type FailedCheck, failUnknown } from "../../base/errors.ts";
import { hasRight, type Role } from "../../base/roles.ts";
import { oneLine } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";

/** The fields of what a browser or an app asks for. */
interface Fields {
  /** Who acts. */
  readonly by: string;
  readonly isForced: boolean;
  /** What was moved on the boards of the project. */
  readonly moves: Moves;
  /** Undefined if it is missing or empty. */
  text(name: string): string | undefined;
  /** The same, but fails then. */
  needed(name: string): string;
}

/** What was done, and how it is undone. */
export interface Done {
  readonly text: string;
  /** The fields of the action that takes it back; undefined for what is not undone. */
  readonly undo?: { readonly status: string; readonly undoes: string };
}

const ACTIONS: Readonly<Record<string, (work: ProjectWork, fields: Fields) => Promise<Done>>> = {
  mark: async (work, { by, isForced, moves, text: textOf, needed }) => {
    const [story, status, undoes] = [needed("story"), needed("status"), textOf("undoes")];
    if (undoes !== undefined && !moves.has({ story, by, from: status, to: undoes })) {
      fail({ code: "not-allowed", what: `undo ${oneLine(story)}`, hint: "you have not just moved it so" });
    }
    const reason = isForced ? needed("reason") : textOf("reason");
    const { text, data } = await work.mark({ story, status, by, isForced, reason, undoes });
    const undo = undoOf(data);
    if (undo !== undefined) moves.add({ story, by, from: undo.status, to: undo.undoes });
    return { text, undo };
  },
  claim: async (work, { by, isForced, needed }) => ({
    text: (await work.claim({ story: needed("story"), by, isForced })).text,
  }),
  release: async (work, { by, isForced, needed }) => ({
    text: (await work.release({ story: needed("story"), by, isForced })).text,
  }),
  answer: async (work, { by, needed }) => ({
    text: (await work.answer({ number: numberIn(needed("number")), text: needed("text"), by })).text,
  }),
};

/** Their names. */
export const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

/** Whether a board has an action of this name. */
export function isAction(name: string): boolean {
  return Object.hasOwn(ACTIONS, name);
}

/** A story that had no status yet cannot get that back. */
function undoOf({ changes }: Report["data"]): Done["undo"] {
  const [change] = changes as readonly { readonly from?: string; readonly to: string }[];
  return change?.from === undefined ? undefined : { status: change.from, undoes: change.to };
}

function numberIn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return fail({ code: "invalid-input", field: "number", problem: "expected the number of a question" });
}

/** A story that somebody has given another status. */
interface Move {
  readonly story: string;
  readonly by: string;
  readonly from: string;
  readonly to: string;
}

/** The last moves: going back is by force, except for people who take back what they have done themselves. */
interface Moves {
  /** Whether somebody has just made a move. */
  has(move: Move): boolean;
  add(move: Move): void;
}

const MAX_MOVES = 100;
/** As long as the page offers it, and the time that a request takes. */
const UNDO_MS = 15_000;
/** By the configuration, which each person has one of. */
const movesOf = new WeakMap<App["config"], Moves>();

function openMoves(): Moves {
  const last = new Map<string, number>();
  const keyOf = ({ story, by, from, to }: Move) => JSON.stringify([story, by, from, to]);
  return {
    has: (move) => performance.now() - (last.get(keyOf(move)) ?? -Infinity) < UNDO_MS,
    add: (move) => {
      last.delete(keyOf(move));
      last.set(keyOf(move), performance.now());
      if (last.size > MAX_MOVES) last.delete(last.keys().next().value!);
    },
  };
}

/** The most characters of a field: as many as an answer may have. */
const MAX_FIELD = 1_000;

/** Does what a message asks for, in the name of `by` if that is given. Fails as the tool does. */
export async function act(app: App, message: unknown, by?: string): Promise<Done> {
  const fields = asValues(message);
  const text = (name: string): string | undefined => {
    const value = asText(fields[name]);
    if (value === undefined || value.length <= MAX_FIELD) return value;
    return fail({ code: "invalid-input", field: name, problem: `expected at most ${MAX_FIELD} characters` });
  };
  const needed = (name: string) => text(name) ?? fail({ code: "invalid-input", problem: `Missing ${name}` });
  const name = needed("action");
  const run = isAction(name) ? ACTIONS[name]! : failUnknown("action", name, Object.keys(ACTIONS));
  const isForced = fields["force"] === true;
  return await run(await app.work(), {
    by: by ?? needed("by"),
    isForced,
    moves: movesOf.getOrInsertComputed(app.config, openMoves),
    text,
    needed,
  });
}

/** Whether a server changes the work of a project: then its board has handles. */
export function canAct({ config: { settings, work } }: App): boolean {
  return !settings.readOnly && work !== undefined && work.writable.length > 0;
}

/** A refusal, as the script of the board reads it. */
export interface Refused {
  readonly message: string;
  /** What the check has found, each with its fix. */
  readonly objections: readonly Pick<FailedCheck, "problem" | "fix">[];
  readonly canForce: boolean;
}

/** A failure as data, for somebody with a role. */
export function refusalOf({ failure, message }: BmadError, role: Role = "owner"): Refused {
  if (failure.code !== "not-allowed") return { message, objections: [], canForce: false };
  const { what, hint, objections = [], fixes = [] } = failure;
  return {
    // What a person can do here, the board offers in its own words.
    message: `Cannot ${what}: ${hint}`,
    objections: objections.map(({ problem, fix }) => ({ problem, fix })),
    canForce: fixes.includes("force") && hasRight(role, "force"),
  };
}
