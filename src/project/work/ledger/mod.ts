/**
 * Ledgers: YAML files that are changed line by line, and marks in `sprint-status.yaml`.
 */
export { type Ledger, type NewValue, openLedger } from "./ledger.ts";
export { type Mark, type Marked, markSprint, type StatusChange } from "./mark.ts";
