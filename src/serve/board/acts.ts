/** What can be done on pages: one table for them and the App. */
import type { App, Report } from "../../app.ts";
import { cachedWith, keepLatest } from "../../base/cache.ts";
import {
  type BmadError,
  type FailedCheck,
  failField,
  failInput,
  failUnknown,
  forbid,
} from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { asText, asValues } from "../../base/values.ts";
import { runOperation, type WorkCalls } from "../../handlers.ts";
import {
  type Operation,
  OPERATIONS,
  type Param,
  WORK_OPERATIONS,
  type WorkOperation,
} from "../../operations/mod.ts";
import { LIMITS } from "../limits.ts";

interface Done {
  readonly text: string;
  readonly undo?: Readonly<Record<string, string>>;
}

export const ACTION_NAMES: readonly WorkOperation[] = WORK_OPERATIONS
  .filter((name) => (OPERATIONS[name] as Operation).onPages);

export const VERDICTS: readonly string[] = OPERATIONS.finding.params.verdict.choices;

export function isAction(name: string): name is WorkOperation {
  return ACTION_NAMES.some((action) => action === name);
}

type Change = { readonly from?: string; readonly to: string };

/** Takes an action back. A story that had no status cannot get that back. */
const UNDOES: Readonly<Record<string, (data: Report["data"], by: string) => Done["undo"]>> = {
  mark: ({ changes, task }) => {
    const [change] = changes as readonly Change[];
    if (change?.from === undefined) return undefined;
    const back = { action: "mark", status: change.from };
    return typeof task === "string" ? { ...back, task } : { ...back, undoes: change.to };
  },
  claim: ({ before }) => before === undefined ? { action: "release" } : undefined,
  release: ({ before }, by) => before === by ? { action: "claim" } : undefined,
};

/**
 * People's last moves: going back is by force, except for those who take back their own. By the configuration, one for
 * each person.
 */
const movesOf = cachedWith((_: App["config"]) => new Map<string, Move>());

interface Move {
  readonly at: number;
  readonly data: Report["data"];
}

export async function act(app: App, message: unknown, person?: string): Promise<Done> {
  const fields = asValues(message);
  const text = (name: string): string | undefined => {
    const value = asText(fields[name]);
    if (value === undefined && (fields[name] ?? "") !== "") failField(name, "expected text");
    const { fieldLength } = LIMITS.board;
    if (value === undefined || value.length <= fieldLength) return value;
    return failField(name, `expected at most ${fieldLength} characters`);
  };
  const needed = (name: string) => text(name) ?? failInput(`Missing ${name}`);
  const name = needed("action");
  if (!isAction(name)) return failUnknown("action", name, ACTION_NAMES);
  const by = person ?? text("by") ?? failInput("Give your name");
  const force = [true, "true"].includes(fields["force"] as boolean | string);
  const row: Operation = OPERATIONS[name];
  const args = Object.fromEntries(
    Object.entries<Param>(row.params).map(([key, { kind }]) => {
      if (key === "by" || key === "force") return [key, key === "by" ? by : force];
      // Force has a reason.
      const isNeeded = row.onPages!.includes(key) || key === "reason" && force;
      const value = isNeeded ? needed(key) : text(key);
      return [key, kind === "number" && value !== undefined ? numberIn(key, value) : value];
    }),
  );
  const moves = movesOf(app.config);
  const [story = "", status = "", undoes] = [text("story"), text("status"), text("undoes")];
  const moveKey = (from: string, to: string) => JSON.stringify([story, by, from, to]);
  const move = undoes === undefined ? undefined : moves.get(moveKey(status, undoes));
  if (undoes !== undefined && performance.now() - (move?.at ?? -Infinity) >= LIMITS.board.undoMs) {
    forbid(`undo ${oneLine(story)}`, "only your own last move can be undone");
  }
  const caller = { app, callsOn: () => NO_CALLS };
  const report = await runOperation(name, caller, { ...args, undoes: move?.data } as never) as Report;
  const undo = UNDOES[name]?.(report.data, by);
  if (undo?.["undoes"] !== undefined) {
    const key = moveKey(undo["status"]!, undo["undoes"]);
    keepLatest(moves, key, { at: performance.now(), data: report.data }, LIMITS.board.moves);
  }
  return { text: report.text, ...(undo !== undefined && { undo: { story, ...undo } }) };
}

const NO_CALLS: WorkCalls = { execute: () => "", review: () => "", force: "" };

function numberIn(field: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return failField(field, "expected the number of a question");
}

export function canAct({ config: { settings, work, mayChange } }: App): boolean {
  return mayChange && !settings.readOnly && work !== undefined && work.writable.length > 0;
}

export interface Refused {
  readonly message: string;
  readonly objections: readonly Pick<FailedCheck, "problem" | "fix">[];
  /** What does it all the same; both take a reason. */
  readonly way?: "force" | "reason";
}

export function refusalOf({ failure, message }: BmadError): Refused {
  if (failure.code !== "not-allowed") return { message, objections: [] };
  const { what, hint, advice = "", objections = [], fixes = [] } = failure;
  const isForced = fixes.some((fix) => fix === "force" || fix === "overrule");
  return {
    message: `Cannot ${what}: ${hint}${advice}`,
    objections: objections.map(({ problem, fix }) => ({ problem, fix })),
    ...(isForced ? { way: "force" } : fixes.includes("reason") && { way: "reason" }),
  };
}
