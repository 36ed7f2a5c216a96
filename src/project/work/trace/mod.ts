/** The trace: requirement, epic, story, criterion, test and commit as one graph, and its reports. */
export * from "./graph.ts";
export * from "./report.ts";
