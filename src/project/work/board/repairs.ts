/** The marks that `reconcile` makes: ledgers and stories' files in step. */
import { type Board, type Epic, epicDue, type State, stateOf, type Story } from "../formats/mod.ts";
import { epicName } from "./find.ts";
import { identityOf } from "./records.ts";

interface Repair {
  readonly story: string;
  readonly status: string;
}

export interface RepairCalls {
  /** Missing where nothing may be written. */
  reconcile?(): string;
}

/** Other epics' status is a person's, or follows from their stories. */
export function sprintEpics({ epics, ledgers }: Pick<Board, "epics" | "ledgers">): readonly Epic[] {
  const sprints = new Set(ledgers.filter(({ format }) => format === "sprint-status").map(({ path }) => path));
  return epics.filter(({ ledger }) => sprints.has(ledger));
}

export function storyRepair(epic: Epic, story: Story): readonly Repair[] {
  const { state, status, due } = story;
  return due === undefined ? [] : [{ story: identityOf(epic, story), status: due === state ? status! : due }];
}

/** `now`: states that stories have got meanwhile, by key. */
export function epicRepair(epic: Epic, now: ReadonlyMap<string, State | undefined>): readonly Repair[] {
  const { status, stories } = epic;
  const states = stories.map(({ key, state }) => now.get(key) ?? state);
  const due = status === undefined ? undefined : epicDue(stateOf(status), states);
  return due === undefined ? [] : [{ story: epicName(epic), status: due }];
}

export function repairCall(
  board: Pick<Board, "epics" | "ledgers">,
  { reconcile }: RepairCalls,
  only?: Pick<Story, "due">,
): string | undefined {
  const isOut = only === undefined
    ? board.epics.some(({ stories }) => stories.some(({ due }) => due !== undefined)) ||
      sprintEpics(board).some((epic) => epicRepair(epic, new Map()).length > 0)
    : only.due !== undefined;
  return isOut ? reconcile?.() : undefined;
}

export function repairLine(call: string | undefined): string | undefined {
  return call && `Bring ledger and files in step: ${call}`;
}
