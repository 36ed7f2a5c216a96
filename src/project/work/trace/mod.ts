/**
 * The trace: requirement, epic, story, criterion, test and commit as one graph, and its reports.
 */
export {
  readTrace,
  type Trace,
  type TracedCriterion,
  type TracedEpic,
  type TracedRequirement,
  type TracedStory,
} from "./graph.ts";
export { type PastWorld, withStale, type Words } from "./stale.ts";
export { reportPart, reportTrace, type TraceReport } from "./report.ts";
