/** Reviews: the packet for a reviewer, what became of a finding, and whether one repeats another. */
export * from "./duplicates.ts";
export * from "./report.ts";
