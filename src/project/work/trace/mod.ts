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
  type TraceWorld,
} from "./graph.ts";
export { reportPart, reportTrace, type TraceReport } from "./report.ts";
