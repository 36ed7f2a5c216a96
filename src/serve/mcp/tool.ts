/**
 * The shape of a tool: a plain value with its name, its schema and how it answers.
 *
 * The schema is for clients. Arguments are not validated against it, because models send numbers as text and invent
 * names: each tool reads its arguments with args.ts and says what is wrong with them.
 */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { App, Overview } from "../../app.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";

/** The arguments of a call, unchecked. */
export type Args = Readonly<Record<string, unknown>>;

type Schema = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it is for; clients search the first sentence. `leftOut` is how many agents have no tool of their own. */
  describe(overview: Overview, leftOut: number): string;
  /** JSON schemas by name. */
  readonly parameters: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  /** Words by which a client can find the tool when it has not loaded its description. */
  readonly searchHint: string;
  /** If a client should always load it. */
  readonly isAlwaysLoaded?: true;
  /** If a second call would do something again, or answer differently: further parts then come from the first answer. */
  readonly runsOnce?: true;
  /** What is left of it where nothing may be written or run; without this, a tool that changes something is left out. */
  readonly whenReadOnly?: Tool;
  /** What a call is to change, as a verb and fields for a record. Without this, its name and arguments say it. */
  deed?(args: Args): readonly [verb: string, fields: Args];
  /**
   * Answers a call. It may run twice for one call: until it has resolved all names and asked the client everything, it
   * may only read.
   */
  run(app: App, args: Args, asker: Asker): Promise<Answer>;
}

/** What a call of a tool is to change, in words for a record; undefined for a tool that only reads. */
export function deedOf({ name, annotations, deed }: Tool, args: Args): readonly string[] | undefined {
  return annotations.readOnlyHint ? undefined : callWords(...deed?.(args) ?? [name, args] as const);
}

/** The fields that say most come first, without their names. */
const LEAD = ["story", "status", "force"];

/** A verb and all fields as words: what was asked for, whichever of it counts. */
export function callWords(verb: string, fields: Args): readonly string[] {
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

/** The annotations of a tool that changes nothing. */
export const READS: Tool["annotations"] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The annotations of a tool that adds something and changes nothing that exists. */
export const ADDS: Tool["annotations"] = { ...READS, readOnlyHint: false, idempotentHint: false };

export function textSchema(description: string): Schema {
  return { type: "string", description };
}

/** The parameter of every tool that takes items or files from one source. */
export const ORIGIN = { origin: textSchema("Only this source, such as project or package.") };

/** The JSON schema of a tool's arguments. */
export function inputSchemaOf({ parameters, required }: Tool) {
  return { type: "object" as const, properties: parameters, ...(required && { required: [...required] }) };
}
