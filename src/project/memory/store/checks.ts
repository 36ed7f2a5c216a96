/**
 * What may be remembered and asked: kinds, names, sizes. Everything that comes from outside passes here.
 */
import { fail } from "../../../base/errors.ts";
import { MEMORY_TYPES, type MemoryType } from "../../../base/memory_types.ts";
import { suggest } from "../../../base/suggestions.ts";
import { checkName } from "../../../content/tree/mod.ts";

/** The limits, in characters where nothing else is said. */
export const LIMITS = {
  text: 16_000,
  query: 2_000,
  tag: 64,
  /** Of one memory. */
  tags: 16,
  /** The most memories in one answer, and how many there are when nobody says. */
  hits: 50,
  usualHits: 5,
} as const;

/** One of the kinds of memories. */
export function checkType(given: string): MemoryType {
  const type = MEMORY_TYPES.find((known) => known === given.toLowerCase());
  if (type !== undefined) return type;
  const near = suggest(
    given.slice(0, LIMITS.tag).toLowerCase(),
    MEMORY_TYPES,
  );
  return fail({
    code: "invalid-input",
    field: "type",
    problem: `${shown(given)} is no type of memory${near.length === 0 ? "" : `, ${near[0]} is one`}`,
    hint: `Use one of ${MEMORY_TYPES.join(", ")}`,
  });
}

/** The name of an agent, with or without the sign that the kit shows before it. */
export function checkAgent(given: string): string {
  return checkName("agent", given.trim().replace(/^@/, ""));
}

/** A text that can be remembered. */
export function checkText(given: string): string {
  return checkLength("text", given, LIMITS.text, "what to remember");
}

/** A question. */
export function checkQuery(given: string): string {
  return checkLength("query", given, LIMITS.query, "what to look for");
}

/** Labels of a memory, each once. */
export function checkTags(given: readonly string[]): readonly string[] {
  const tags = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
  if (tags.length > LIMITS.tags) {
    refuse("tags", `there are ${tags.length}, and ${LIMITS.tags} at most are kept`);
  }
  // In the kit's Markdown a tag stands between backticks, without blanks.
  // deno-lint-ignore no-control-regex
  const odd = tags.find((tag) => tag.length > LIMITS.tag || /[\x00-\x1f\x7f`\s,]/.test(tag));
  if (odd !== undefined) {
    refuse(
      "tags",
      `${shown(odd)} is no tag`,
      `Use words of at most ${LIMITS.tag} characters, without blanks`,
    );
  }
  return tags.map((tag) => tag.toWellFormed());
}

/** How many are wanted. */
export function checkLimit(given: number | undefined): number {
  const limit = given ?? LIMITS.usualHits;
  return Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.hits
    ? limit
    : refuse("limit", `it must be a whole number from 1 to ${LIMITS.hits}`);
}

function checkLength(field: string, given: string, most: number, what: string): string {
  if (given.trim() === "") refuse(field, `it is empty`, `Say ${what}`);
  if (given.length > most) {
    refuse(
      field,
      `it has ${given.length} characters, more than the ${most} that are kept`,
      "Shorten or split it",
    );
  }
  if (given.includes("\0")) refuse(field, "it holds a sign that no text has");
  return given.toWellFormed();
}

function shown(given: string): string {
  return JSON.stringify(given.length > 60 ? `${given.slice(0, 60).toWellFormed()}…` : given.toWellFormed());
}

function refuse(field: string, problem: string, hint?: string): never {
  return fail({ code: "invalid-input", field, problem, ...(hint === undefined ? {} : { hint }) });
}
