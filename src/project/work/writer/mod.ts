/** Marks in every format, claims, reviews, evidence and questions. */
export * from "./claims.ts";
export * from "./evidence.ts";
export * from "./finding.ts";
export * from "./mark.ts";
export * from "./question.ts";
export * from "./tick.ts";
export * from "./write_context.ts";
