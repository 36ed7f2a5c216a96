import { recover } from "../../../../base/absence.ts";
import type { Memory } from "../../../../base/model.ts";
import { failInput } from "../../../../base/errors.ts";
import { parseNotes } from "../../../../base/notes.ts";
import { asValues, isValues } from "../../../../base/values.ts";

export interface Draft {
  readonly text: string;
  readonly type?: string;
  readonly agent?: string;
  readonly tags: readonly string[];
  readonly createdAt?: string;
}

export function toRecord({ createdAt, ...memory }: Memory) {
  return { ...memory, created_at: createdAt };
}

export function tagsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((tag) => typeof tag === "string") : [];
}

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

export function toMarkdown(type: string, memories: readonly Memory[]): string {
  const lines = [`# ${type}`];
  for (const [agent, own] of Map.groupBy(memories, (memory) => memory.agent)) {
    lines.push("", `## ${agent}`, "");
    for (const { text, tags, createdAt } of own) {
      const [date = ""] = /^\d{4}-\d{2}-\d{2}/.exec(createdAt) ?? [];
      const labels = tags.map((tag) => ` \`${tag}\``).join("");
      lines.push(`- ${date && `[${date}] `}${text.trim().replaceAll(/(?<!\s)\s*\n\s*/g, "\n  ")}${labels}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

export function fromText(text: string): readonly Draft[] {
  if (/^\s*[[{]/.test(text)) return fromJson(text);
  return parseNotes(text.replaceAll("\r\n", "\n"))
    .map(({ date, ...note }) => ({ ...note, createdAt: date && `${date}T00:00:00` }));
}

function fromJson(text: string): readonly Draft[] {
  const invalid = ({ message }: Error) => refuse(`The imported text is not valid JSON: ${message}`);
  const entries: unknown = recover(SyntaxError, () => JSON.parse(text), invalid);
  if (!Array.isArray(entries)) return refuse("The imported text is not a list of memories");
  return entries.filter(isValues).map((entry): Draft => {
    const { agent, type, tags } = asValues(entry["metadata"]);
    return {
      text: textIn(entry["memory"]) ?? "",
      type: textIn(type),
      agent: textIn(agent),
      tags: tagsIn(tags),
      createdAt: textIn(entry["created_at"]),
    };
  });
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function refuse(problem: string): never {
  return failInput(problem, "Import the kit's memories.json, an export of this program or a Markdown list");
}
