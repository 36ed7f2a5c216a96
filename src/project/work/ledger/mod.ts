/**
 * Ledgers: YAML files that are changed line by line, and the rules of `sprint-status.yaml`.
 */
export { isWrittenPlain, type Ledger, type NewValue, openLedger } from "./ledger.ts";
export { type Entry, type Line, readEntry, splitLines } from "./lines.ts";
export { type Scalar, type Style, writeScalar } from "./scalars.ts";
export { type Mark, type Marked, markSprint, type StatusChange } from "./mark.ts";
export {
  ACTION_STATUSES,
  currentStatus,
  readSprintKey,
  SPRINT_STATUSES,
  type SprintKey,
  type SprintKind,
} from "./sprint.ts";
