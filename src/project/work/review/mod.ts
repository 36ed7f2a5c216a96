/**
 * Reviews: the packet for a reviewer, what became of a finding, and whether one repeats another.
 */
export { reportFinding, type Told } from "./finding_report.ts";
export {
  type Advice,
  adviseReview,
  type DiffSource,
  factsOf,
  type FindingFacts,
  reportReview,
  type ReviewCalls,
  type ReviewPacket,
  type ReviewReport,
  type ReviewWorld,
} from "./packet.ts";
export { findSame, type Repeated, type Said, type SameTools } from "./same.ts";
