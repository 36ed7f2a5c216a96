/**
 * The context pack of a story: the sections of PRD, architecture, UX, decisions and earlier stories that it needs,
 * within a budget of tokens, each with its place, and what was left out.
 */
export { type ContextWorld, gatherContext, type Pack } from "./pack.ts";
export { reportContext } from "./report.ts";
export type { Settled } from "./settled.ts";
export type { Embed, Reason, Scored } from "./rank.ts";
export { findInWork, type FoundDocument, type FoundStory, type WorkHit, type WorkHits } from "./found.ts";
export { listDocuments, type ListedDocument, openDocument, type OpenedDocument } from "./listed.ts";
export type { Piece } from "./pieces.ts";
