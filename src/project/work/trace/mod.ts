/**
 * The trace: requirement, epic, story, criterion, test and commit as one graph, and its reports.
 */
export {
  type PastWorld,
  readTrace,
  type Trace,
  type TracedCriterion,
  type TracedRequirement,
  type TracedStory,
  withStale,
  type Words,
} from "./graph.ts";
export { reportPart, reportTrace, type TraceReport } from "./report.ts";
