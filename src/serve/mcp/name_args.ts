/**
 * Which item an argument names. If it could be several, the failure has the complete call for each.
 */
import type { App, NameQuery } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { type Entry, isSupporting, type Kind } from "../../base/model.ts";
import { missing, placeArgs, textArg } from "./args.ts";
import type { Args } from "./tool.ts";

export interface NamingCall {
  readonly tool: string;
  readonly args: Args;
  readonly parameter: string;
  /** The parameter for items of a kind; undefined if the tool has none. */
  parameterOf?(kind: string): string | undefined;
}

export interface Named {
  readonly entry: Entry;
  readonly asked: string;
}

export async function resolveNamed(app: App, query: NameQuery, call: NamingCall): Promise<Named> {
  try {
    return { entry: await app.resolve(query), asked: query.name };
  } catch (error) {
    throw withCalls(error, call);
  }
}

/**
 * The item of a kind that a call names. If no item of that kind has the name, one of another kind is accepted: what is
 * a task in one BMAD version is a workflow in another.
 */
export async function resolveOfKind(
  app: App,
  kind: Kind,
  { tool, args, parameters, hint }: {
    readonly tool: string;
    readonly args: Args;
    readonly parameters: readonly [string, ...string[]];
    readonly hint: string;
  },
): Promise<Named> {
  const [parameter] = parameters;
  const name = textArg(args, ...parameters) ?? missing(parameter, hint);
  const query = { name, ...placeArgs(args) };
  const call = { tool, args, parameter };
  try {
    return await resolveNamed(app, { ...query, kind }, call);
  } catch (error) {
    if (!(error instanceof BmadError) || error.failure.code !== "not-found") throw error;
    const named = await resolveNamed(app, query, call).catch((other: unknown) => {
      throw other instanceof BmadError && other.failure.code !== "ambiguous" ? error : other;
    });
    if (isSupporting(named.entry.kind)) throw error;
    return named;
  }
}

/** A result, or undefined after a failure; bugs are thrown. */
export async function unlessFailed<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
}

/** Longer arguments are not repeated in every candidate's call. */
const MAX_REPEATED = 200;

/** An ambiguous name with the call for each candidate, or one of another kind with its call; others as they are. */
function withCalls(error: unknown, { tool, args, parameter, parameterOf }: NamingCall): unknown {
  if (!(error instanceof BmadError)) return error;
  const { failure } = error;
  const repeated = repeatedArgs(args);
  if (failure.code === "not-found" && failure.other !== undefined) {
    const given = parameterOf?.(failure.other.kind);
    if (given === undefined) return error;
    const { [parameter]: _, ...others } = repeated;
    const hint = `Call ${tool} ${JSON.stringify({ ...others, [given]: failure.other.name })}`;
    return new BmadError({ ...failure, hint });
  }
  if (failure.code !== "ambiguous") return error;
  const callFor = (name: string) => `${tool} ${JSON.stringify({ ...repeated, [parameter]: name })}`;
  const candidates = failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...failure, candidates });
}

function repeatedArgs(args: Args): Args {
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) =>
      name !== "message" && JSON.stringify(value).length <= MAX_REPEATED
    ),
  );
}
