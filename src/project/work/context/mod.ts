/**
 * The context pack of a story: the sections of PRD, architecture, UX, decisions and earlier stories that it needs,
 * within a budget of tokens, each with its place, and what was left out.
 */
export { gatherContext, type Pack, reportContext } from "./pack.ts";
export type { Embed } from "./rank.ts";
export { findInWork, type FoundDocument, type FoundStory } from "./search.ts";
export { listDocuments, type ListedDocument, openDocument } from "./documents.ts";
