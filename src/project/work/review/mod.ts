/**
 * Reviews: the packet for a reviewer, what became of a finding, and whether one repeats another.
 */
export {
  adviseReview,
  type DiffSource,
  factsOf,
  type FindingFacts,
  type FindingOutcome,
  reportFinding,
  reportReview,
  type ReviewCalls,
  type ReviewReport,
} from "./report.ts";
export { findSame } from "./duplicates.ts";
