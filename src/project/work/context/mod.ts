/**
 * The context pack of a story: the sections of PRD, architecture, UX, decisions and earlier stories that it needs,
 * within a budget of tokens, each with its place, and what was left out.
 */
export * from "./documents.ts";
export * from "./pack.ts";
export type { Embed } from "./rank.ts";
