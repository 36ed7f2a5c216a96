/** params.ts reads the arguments: models send numbers as text and invent names. */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { App, Overview } from "../../app.ts";
import type { Entry } from "../../base/model.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";

export type Args = Readonly<Record<string, unknown>>;

export type Schema = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Clients search the first sentence. `leftOut` is how many agents have no tool of their own. */
  describe(overview: Overview, leftOut: number): string;
  /** What has to be read to describe it in full. */
  detail?(app: App): Promise<string>;
  parameters(): Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  /** For clients that have not loaded its description. */
  readonly searchHint: string;
  readonly isAlwaysLoaded?: true;
  /** Whether its answers come with the board where the client can show apps. */
  readonly showsBoard?: true;
  /** If further parts must come from the first answer. */
  readonly runsOnce?: true;
  /** Whether it answers about all projects where none is named or current. */
  readonly answersForAll?: true;
  /** Whether it answers what only reads even where nothing may be written, so that old calls work. */
  readonly answersReads?: true;
  forConfig?(config: App["config"]): Tool;
  /** A verb and fields for the record; by default, its name and arguments. */
  deed?(args: Args): readonly [verb: string, fields: Args];
  /** May run twice for one call: until all names are resolved and all questions asked, it may only read. */
  run(app: App, args: Args, asker: Asker): Promise<Answer>;
}

export function deedOf({ name, annotations, deed }: Tool, args: Args): readonly string[] | undefined {
  return annotations.readOnlyHint ? undefined : callWords(...deed?.(args) ?? [name, args] as const);
}

/** The fields that say most come first, without their names. */
const LEAD = ["story", "status", "force"];

export function callWords(verb: string, fields: Args): readonly string[] {
  if (verb === "mark" && fields["task"]) {
    const { status, ...rest } = fields;
    return callWords(status === "done" ? "tick" : "untick", rest);
  }
  const isGiven = (value: unknown) =>
    value !== undefined && value !== null && value !== false && value !== "";
  const wordOf = (name: string) => {
    const value = fields[name];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (name === "force") return value === true ? "by force" : `force=${text}`;
    return LEAD.includes(name) ? text : `${name}=${text}`;
  };
  const names = new Set([...LEAD, ...Object.keys(fields)]);
  return [verb, ...[...names].filter((name) => isGiven(fields[name])).map(wordOf)];
}

export const READS: Tool["annotations"] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const ADDS: Tool["annotations"] = { ...READS, readOnlyHint: false, idempotentHint: false };

export function textSchema(description: string): Schema {
  return { type: "string", description };
}

export function inputSchemaOf({ parameters, required }: Tool) {
  return { type: "object" as const, properties: parameters(), ...(required && { required: [...required] }) };
}

/** `📊 Mary (Business Analyst)`, `Create Brief`; the short name if the content has no title. */
export function titleOf({ icon, displayName, title, name }: Entry): string {
  const text = displayName === undefined
    ? title ?? name
    : title === undefined
    ? displayName
    : `${displayName} (${title})`;
  return [icon, text].filter(Boolean).join(" ");
}
