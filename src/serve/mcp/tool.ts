/**
 * The shape of a tool: a plain value that says what it is called, what it takes and how it answers.
 *
 * Arguments are taken as they come: models send numbers as text and invent names, so each tool reads its own
 * arguments and says in words what is wrong with them. The schema is what clients are shown.
 */
import type { StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";
import type { App, ExecuteRequest, ListRequest, Overview, SearchRequest } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import { type Kind, kindNamed, KINDS } from "../../base/model.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";

/** The arguments of a call, unchecked. */
export type Args = Readonly<Record<string, unknown>>;

/** One tool. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it is for, the first sentence for finding it. `leftOut` is how many agents have no tool of their own. */
  describe(overview: Overview, leftOut: number): string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Whether a call does something, or is answered otherwise each time: further parts then come from the first answer. */
  readonly runsOnce?: true;
  /**
   * Answers a call. It may run twice for one: until it has resolved all names and asked the client all that it asks, it
   * may do nothing but read.
   */
  run(app: App, args: Args, asker: Asker): Promise<Answer>;
}

/** The annotations of a tool that changes nothing. */
export const READS: Tool["annotations"] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The annotations of a tool that adds something new and changes nothing that is there. */
export const ADDS: Tool["annotations"] = { ...READS, readOnlyHint: false, idempotentHint: false };

/** The schema of a text. */
export function textSchema(description: string): Readonly<Record<string, unknown>> {
  return { type: "string", description };
}

/** A schema that is shown as it is written and lets every value through. */
export function openSchema(schema: Readonly<Record<string, unknown>>): StandardSchemaWithJSON<Args, Args> {
  const json = () => schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "bmad-mcp",
      jsonSchema: { input: json, output: json },
      validate: (value) => ({ value: (value ?? {}) as Args }),
    },
  };
}

const MAX_TEXT = 1_000;
const LONG = ["message", "prompt", "context", "input", "params"];

/** An argument as text, by the first of its names that is there. */
export function textArg(args: Args, ...names: readonly string[]): string | undefined {
  const name = names.find((name) => isGiven(args[name]));
  return name && longTextArg(args, LONG.includes(name) ? Infinity : MAX_TEXT, name);
}

/** An argument as text of at most so many characters, by the first of its names that is there. */
export function longTextArg(args: Args, most: number, ...names: readonly string[]): string | undefined {
  const name = names.find((name) => isGiven(args[name]));
  if (name === undefined) return undefined;
  const value = args[name];
  if (typeof value === "object") {
    fail({ code: "invalid-input", field: name, problem: `it must be text, not ${kindOf(value)}` });
  }
  const text = String(value);
  if (text.length > most) {
    const problem = `it has ${text.length} characters, more than the ${most} that are read`;
    fail({ code: "invalid-input", field: name, problem });
  }
  return text;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** An argument as a list, also when a model writes it as JSON text or as one thing alone. */
export function listArg(args: Args, ...names: readonly string[]): readonly unknown[] {
  const value = args[names.find((name) => isGiven(args[name])) ?? ""];
  if (typeof value === "string" && value.trimStart().startsWith("[")) {
    try {
      return listArg({ value: JSON.parse(value) }, "value");
    } catch {
      // Then it is a text that begins with a bracket.
    }
  }
  return Array.isArray(value) ? value : isGiven(value) ? [value] : [];
}

/** An argument as a list of texts of at most so many characters each. */
export function textsArg(args: Args, most: number, ...names: readonly string[]): readonly string[] {
  const [name = ""] = names;
  return listArg(args, ...names).map((item) => longTextArg({ [name]: item }, most, name) ?? "")
    .filter((text) => text !== "");
}

/** An argument as a whole number in a range. */
export function numberArg(args: Args, name: string, min: number, max: number): number | undefined {
  const text = textArg(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  return fail({
    code: "invalid-input",
    field: name,
    problem: `"${text}" is not a whole number from ${min} to ${max}`,
  });
}

/** An argument as yes or no. */
export function flagArg(args: Args, name: string): boolean {
  return ["true", "1", "yes"].includes(textArg(args, name)?.toLowerCase() ?? "");
}

/** The arguments that say which things a list or a search is about. */
function filterArgs(args: Args): Omit<SearchRequest, "words" | "kind" | "shown"> {
  return {
    module: textArg(args, "module"),
    category: textArg(args, "category", "phase"),
    origin: textArg(args, "origin", "source"),
  };
}

/** The same of a search, and how much of it will be seen. */
export function searchArgs(args: Args): Omit<SearchRequest, "words" | "kind"> {
  const shown = textArg(args, "cursor") === undefined ? numberArg(args, "limit", 1, 1_000) : 0;
  return { ...filterArgs(args), shown };
}

/** The same of a list, whose next page is to have the order of the one before. */
export function listArgs(args: Args): Omit<ListRequest, "what"> {
  return { ...filterArgs(args), isContinued: textArg(args, "cursor") !== undefined };
}

/** What a call hands to the thing it starts: words, values by name, or both. Models also write values as JSON text. */
export function inputArg(args: Args, name: string): Pick<ExecuteRequest, "message" | "params"> {
  const values = objectOf(args[name]);
  if (values === undefined) return { message: textArg(args, name, "message", "prompt", "input") };
  const { message = args["message"], ...params } = values;
  return {
    message: textArg({ message }, "message"),
    params: Object.keys(params).length > 0 ? params : undefined,
  };
}

function objectOf(value: unknown): Args | undefined {
  if (typeof value === "string" && value.trimStart().startsWith("{")) {
    try {
      return objectOf(JSON.parse(value));
    } catch {
      return undefined;
    }
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Args : undefined;
}

/** An argument as a kind of thing, in the singular or the plural. */
export function kindArg(args: Args, ...names: readonly string[]): Kind | undefined {
  const text = textArg(args, ...names);
  if (text === undefined) return undefined;
  return kindNamed(text) ??
    fail({
      code: "invalid-input",
      field: "type",
      problem: `"${text}" is no kind`,
      hint: `Use one of ${KINDS.join(", ")}`,
    });
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : "an object";
}
