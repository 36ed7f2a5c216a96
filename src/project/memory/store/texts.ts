/**
 * Memories as the texts that the project-memory kit writes and reads: memories.json, and lists in Markdown.
 *
 * What is read may come from anybody: an entry that makes no sense is left out, and the number of such is told.
 */
import { fail } from "../../../base/errors.ts";
import { parseNotes } from "../../../base/notes.ts";
import type { Memory } from "./store.ts";

/** A memory as a text has it: what the text does not say is for others to fill in. */
export interface Draft {
  readonly text: string;
  readonly type?: string;
  readonly agent?: string;
  readonly tags: readonly string[];
  readonly createdAt?: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Memories as the kit's memories.json. */
export function toJson(memories: readonly Memory[], userId: string): string {
  const entries = memories.map(({ text, agent, type, tags, createdAt }, at) => ({
    id: at + 1,
    memory: text,
    user_id: userId,
    metadata: { agent, type, tags },
    created_at: createdAt,
  }));
  return `${JSON.stringify(entries, null, 2)}\n`;
}

/** Memories of one type as a list for each agent, each with its day and its tags. */
export function toMarkdown(type: string, memories: readonly Memory[]): string {
  const lines = [`# ${type}`];
  for (const [agent, own] of Map.groupBy(memories, (memory) => memory.agent)) {
    lines.push("", `## ${agent}`, "");
    for (const { text, tags, createdAt } of own) {
      const day = /^\d{4}-\d{2}-\d{2}/.exec(createdAt)?.[0];
      const labels = tags.map((tag) => ` \`${tag}\``).join("");
      lines.push(
        `- ${day === undefined ? "" : `[${day}] `}${text.trim().replaceAll(/\s*\n\s*/g, "\n  ")}${labels}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** What a text of either form holds. */
export function fromText(text: string): readonly Draft[] {
  return /^\s*[[{]/.test(text) ? fromJson(text) : fromMarkdown(text);
}

function fromMarkdown(text: string): readonly Draft[] {
  return parseNotes(text.replaceAll("\r\n", "\n")).map(({ date, ...note }) => ({
    ...note,
    ...(date === undefined ? {} : { createdAt: `${date}T00:00:00` }),
  }));
}

function fromJson(text: string): readonly Draft[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail({ code: "invalid-input", field: "the file", problem: `it is no JSON: ${(error as Error).message}` });
  }
  if (!Array.isArray(value)) {
    return fail({
      code: "invalid-input",
      field: "the file",
      problem: "it is no list of memories",
      hint: "Import the kit's memories.json, an export of this program, or a list in Markdown",
    });
  }
  return value.filter(isValues).map((entry): Draft => {
    const { agent, type, tags } = isValues(entry["metadata"]) ? entry["metadata"] : {};
    return {
      text: textIn(entry["memory"]) ?? "",
      type: textIn(type),
      agent: textIn(agent),
      tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
      createdAt: textIn(entry["created_at"]),
    };
  });
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
