/**
 * The boxes of a document that people and agents tick.
 */
import type { Role } from "./roles.ts";

/** A box of a list or of a table. */
export interface Box {
  readonly line: number;
  readonly text: string;
  readonly isTicked: boolean;
  /** The heading above it; empty without one. */
  readonly heading: string;
  readonly role?: Role;
}

/** Whether a box is about a finding of a review. */
export function isOfReview({ role, text }: Pick<Box, "role" | "text">): boolean {
  return role === "review" || text.trimStart().startsWith("[") && /^\s*\[(?:AI-)?Review\]/i.test(text);
}

/** Whether something is left to be done about a box: those in a list for later, and those struck out, are left alone. */
export function isOpenBox({ isTicked, role, text }: Pick<Box, "isTicked" | "role" | "text">): boolean {
  return !isTicked && role !== "later" && !/^\s*(?:~~|\(?optional\b)/i.test(text);
}
