import type { App, Report } from "../../app.ts";
import { cachedWith } from "../../base/cache.ts";
import { BmadError, failField, failInput, sentences } from "../../base/errors.ts";
import { type ArgsOf, type Param, type Params, text } from "../../operations/mod.ts";
import { reportAnswer } from "./answers.ts";
import { flagArg, givenName, isGiven, longTextArg, numberArg, textArg, textsArg } from "./args.ts";
import type { Asker } from "./question.ts";
import type { Answer } from "./reply.ts";
import { type Args, READS, type Tool } from "./tool.ts";

export const TYPES = {
  text: "string",
  list: "string",
  number: "integer",
  flag: "boolean",
  json: "object",
} as const;

interface CallName {
  readonly tool: string;
  readonly operation?: string;
}

/** What a call has beside the parameters of its operation. */
export const OF_CALL = ["operation", "action", "op", "part", "format", "command", "help"];

export function readParams<const P extends Params>(params: P, given: Args): ArgsOf<P> {
  const read: Record<string, unknown> = {};
  for (const key of Object.keys(params)) {
    const param = params[key]!;
    const value = read[key] = readArg(key, param, given);
    const isMissing = value === undefined || Array.isArray(value) && value.length === 0;
    if (param.isRequired && isMissing) missing(key, param.about.replace(/\.$/, ""));
  }
  return read as ArgsOf<P>;
}

function readArg(
  key: string,
  { kind, names = [], maxLength, isDivided, range, forModel, form = ["", "text"] }: Param,
  given: Args,
) {
  // What is not offered was given on purpose: left out, more would change than was meant.
  if (forModel === "" && given[key] === "") missing(key);
  switch (kind) {
    case "flag":
      checkForm(key, textArg(given, key), ["^(?:true|1|yes|false|0|no)$", "true or false"]);
      return flagArg(given, key);
    case "list":
      return textsArg(given, { max: maxLength, isDivided }, key, ...names);
    case "number":
      return numberArg(given, givenName(given, [key, ...names]) ?? key, ...range ?? [1, Infinity] as const);
    case "text":
      return checkForm(key, longTextArg(given, maxLength, key, ...names), form);
    case "json":
      return given[givenName(given, [key, ...names]) ?? key];
  }
}

function checkForm(key: string, text: string | undefined, [pattern, words]: NonNullable<Param["form"]>) {
  if (text === undefined || new RegExp(pattern, "i").test(text)) return text;
  return failField(key, `expected ${words}, got "${text}"`);
}

export function missing(name: string, hint?: string): never {
  return failInput(`\`${name}\` is missing`, hint || undefined);
}

export async function correcting<T>(
  params: Params,
  given: Args,
  call: CallName,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BmadError) || error.failure.code !== "invalid-input") throw error;
    const { field, problem, hint } = error.failure;
    // The project's own refusals do not know what is called a parameter.
    const absent = /^(?:Missing (\w+)(?=\.|$)|`(\w+)` is missing)/.exec(problem);
    const [, unknown, near] = /^Unknown (\w+) "(?:[^]*\. Did you mean ([\w-]+)\?$)?/.exec(problem) ?? [];
    const name = field ?? unknown ?? absent?.[1] ?? absent?.[2];
    const row = Object.entries(params).find(([key, { names = [] }]) =>
      [key, ...names].some((one) => one === name)
    );
    if (name === undefined || row === undefined) throw error;
    const [key, param] = row;
    // A wrong value that has no example is left out, where the operation then still does what was asked.
    const value = near ?? exampleOf(param, name) ?? (field === undefined ? name.toUpperCase() : undefined);
    if (value === undefined && param.selects) throw error;
    const parameter = givenName(given, [key, ...param.names ?? []]) ?? (absent === null ? name : key);
    const ignored = unknownArgs(params, given).map((one) => [one, undefined]);
    const correction = `Call ${
      correctedCall(call, given, { ...Object.fromEntries(ignored), [parameter]: value })
    }`;
    const advice = hint === undefined ? correction : sentences(hint, correction);
    const words = absent === null ? problem : problem.replace(absent[0], `\`${key}\` is missing`);
    throw new BmadError({ ...error.failure, problem: words, hint: advice }, { cause: error });
  }
}

function exampleOf({ example, choices, kind, range, operand, value }: Param, name: string): unknown {
  if (kind === "number") return range?.[0] ?? 1;
  const operands = operand?.split("|") ?? [];
  return example ?? choices?.[0] ?? operands.find((one) => one === name.toUpperCase()) ?? operands[0] ??
    value;
}

const MAX_REPEATED = 200;

/** Undefined leaves an argument out. */
export function correctedCall({ tool, operation }: CallName, given: Args, changed: Args): string {
  const { operation: named, action: _, op: __, message: ___, ...args } = given;
  const repeated = Object.entries(args).filter(([, value]) =>
    isGiven(value) && JSON.stringify(value).length <= MAX_REPEATED
  );
  return `${tool} ${
    JSON.stringify({ operation: operation ?? named, ...Object.fromEntries(repeated), ...changed })
  }`;
}

const namesOf = cachedWith((params: Params) =>
  new Set([...OF_CALL, ...Object.entries(params).flatMap(([key, { names = [] }]) => [key, ...names])])
);

export function unknownArgs(params: Params, given: Args): readonly string[] {
  const known = namesOf(params);
  return Object.keys(given).filter((name) => isGiven(given[name]) && !known.has(name));
}

export function takenBy(what: string, params: Params): string {
  const shown = Object.keys(params).filter((key) => key !== "format" && params[key]!.forModel !== "");
  return `${what} takes ${shown.length === 0 ? "no parameters" : shown.join(", ")}`;
}

interface ToolRow<P extends Params>
  extends
    Pick<Tool, "name" | "title" | "searchHint" | "runsOnce" | "required">,
    Partial<Pick<Tool, "annotations">> {
  readonly description: string;
  readonly params: P;
  run(app: App, args: ArgsOf<P>, given: Args, asker: Asker): Promise<Answer | Report>;
}

/** A tool that only reads, unless its annotations say otherwise. */
export function tool<const P extends Params>({ description, params, run, ...row }: ToolRow<P>): Tool {
  const required = row.required ?? Object.keys(params).filter((key) => params[key]!.isRequired);
  return {
    annotations: READS,
    ...row,
    describe: () => description,
    parameters: () =>
      Object.fromEntries(
        Object.entries<Param>(params).filter(([, { forModel }]) => forModel !== "")
          .map(([key, { kind, about, choices, schema }]) => [key, {
            type: TYPES[kind],
            ...(choices !== undefined && { enum: choices }),
            ...schema,
            ...(about !== "" && { description: about }),
          }]),
      ),
    ...(required.length > 0 && { required }),
    run: (app, given, asker) =>
      correcting(params, given, { tool: row.name }, async () => {
        const answer = await run(app, readParams(params, given), given, asker);
        return "data" in answer ? reportAnswer(answer, given) : answer;
      }),
  };
}

export const origin = text("Only this source, such as project or package.", { names: ["source"] });
