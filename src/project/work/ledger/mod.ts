/** YAML files changed line by line, and marks in `sprint-status.yaml`. */
export { type Ledger, openLedger } from "./ledger.ts";
export { type Mark, markSprint } from "./mark.ts";
