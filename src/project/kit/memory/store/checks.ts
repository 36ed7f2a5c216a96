/**
 * The names of projects, collections and memories are the kit's to the letter: both tools mean the same memory by the
 * same id. To the kit, two texts with the same start are one memory.
 */
import { chooseFrom, failField, failInput } from "../../../../base/errors.ts";
import { type Memory, MEMORY_TYPES, type MemoryType } from "../../../../base/model.ts";
import { shorten } from "../../../../base/text.ts";
import { checkName } from "../../../../content/tree/mod.ts";
import { LIMITS } from "../../../limits.ts";

const { memory: MOST } = LIMITS;

const DEFAULT_HITS = 5;

export function checkType(given: string): MemoryType {
  return chooseFrom(MEMORY_TYPES, "memory type", given);
}

/** Accepts the `@` that the kit shows before a name. */
export function checkAgent(given: string): string {
  return checkName("agent", given.trim().replace(/^@/, ""));
}

export function checkContent(field: "text" | "query", given: string): string {
  if (given.trim() === "") failField(field, "it is empty");
  const most = field === "text" ? MOST.textChars : MOST.queryChars;
  if (given.length > most) {
    const problem = `it has ${given.length} characters, but only ${most} are allowed`;
    failField(field, problem, "Shorten or split it");
  }
  if (given.includes("\0")) failField(field, "it contains a null character");
  return given.toWellFormed();
}

const BY = "by:";

export function isNameTag(tag: string): boolean {
  return tag.normalize("NFKC").toLowerCase().replaceAll(/[^a-z:]/g, "").startsWith(BY);
}

export function nameTag(name: string): string {
  return `${BY}${name.replaceAll(/[\s`,]+/g, "-")}`.slice(0, MOST.tagChars).toWellFormed();
}

export function checkTags(given: readonly string[]): readonly string[] {
  const tags = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
  if (tags.length > MOST.tags) failField("tags", `${tags.length} given, but only ${MOST.tags} are allowed`);
  // The kit's Markdown puts a tag between backticks, without spaces.
  // deno-lint-ignore no-control-regex
  const invalid = tags.find((tag) => tag.length > MOST.tagChars || /[\x00-\x1f\x7f`\s,]/.test(tag));
  if (invalid !== undefined) {
    const shown = JSON.stringify(shorten(invalid, 60));
    const hint = `Use words of at most ${MOST.tagChars} characters, without spaces, commas and backticks`;
    failInput(`Invalid tag ${shown}`, hint);
  }
  return tags.map((tag) => tag.toWellFormed());
}

export function checkLimit(limit = DEFAULT_HITS): number {
  return Number.isInteger(limit) && limit >= 1 && limit <= MOST.hits
    ? limit
    : failField("limit", `it must be a whole number from 1 to ${MOST.hits}`);
}

/** The DNS namespace of RFC 9562. */
const NAMESPACE = Uint8Array.fromHex("6ba7b8109dad11d180b400c04fd430c8");

/** How much of a text its id covers, in characters as Python counts them. */
export const HEAD = 150;

export function appIdOf(projectName: string): string {
  return `bmad-${dashed(projectName)}`;
}

export function userIdOf(userName: string | undefined): string {
  return dashed(userName ?? "user");
}

function dashed(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

export function collectionOf(project: string, type: string): string {
  return `${project}-${type}`;
}

export async function memoryId({ project, agent, text }: Pick<Memory, "project" | "agent" | "text">) {
  const name = `${project}:${agent}:${Array.from(text.slice(0, 2 * HEAD)).slice(0, HEAD).join("")}`;
  const bytes = new Uint8Array([...NAMESPACE, ...new TextEncoder().encode(name)]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).slice(0, 16);
  digest[6] = digest[6]! & 0x0f | 0x50;
  digest[8] = digest[8]! & 0x3f | 0x80;
  return digest.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
