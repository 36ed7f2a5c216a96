/**
 * Which item an argument names. If it could be several, the failure has the complete call for each.
 */
import type { App, NameQuery } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { type Entry, type Kind, qualifiedName } from "../../base/model.ts";
import { missing, placeArgs, textArg } from "./args.ts";
import type { Args } from "./tool.ts";

/** A call in which a parameter names an item. */
interface NamingCall {
  readonly tool: string;
  readonly args: Args;
  readonly parameter: string;
}

/** An item, and the name by which it was asked for. */
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
    /** The documented parameter, then its synonyms. */
    readonly parameters: readonly [string, ...string[]];
    /** How to find out which names are valid. */
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
    return await resolveNamed(app, query, call).catch((other: unknown) => {
      throw other instanceof BmadError && other.failure.code !== "ambiguous" ? error : other;
    });
  }
}

/**
 * The item that a call names by a parameter for one kind. If only an item of another kind has the name, the failure has
 * the call for that one; `parameterOf` knows the parameter for it.
 */
export async function resolveExactly(
  app: App,
  query: NameQuery,
  call: NamingCall,
  parameterOf: (entry: Entry) => string | undefined,
): Promise<Named> {
  try {
    return await resolveNamed(app, query, call);
  } catch (error) {
    const isMissing = error instanceof BmadError && error.failure.code === "not-found";
    if (!isMissing || query.kind === undefined) throw error;
    const entry = await unlessFailed(app.resolve({ ...query, kind: undefined }));
    const parameter = entry && parameterOf(entry);
    if (parameter === undefined || error.failure.code !== "not-found") throw error;
    const name = qualifiedName(entry!);
    const { [call.parameter]: _, ...others } = repeatedArgs(call.args);
    const what = `${parameter === "agent" ? "an" : "a"} ${parameter}`;
    const written = JSON.stringify({ ...others, [parameter]: name });
    const hint = `${name} is ${what}: ${call.tool} ${written}`;
    return fail({ ...error.failure, suggestions: [], hint });
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

/** An ambiguous name with the call for each candidate; other errors as they are. */
function withCalls(error: unknown, { tool, args, parameter }: NamingCall): unknown {
  if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") return error;
  const repeated = repeatedArgs(args);
  const callFor = (name: string) => `${tool} ${JSON.stringify({ ...repeated, [parameter]: name })}`;
  const candidates = error.failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...error.failure, candidates });
}

function repeatedArgs(args: Args): Args {
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) =>
      name !== "message" && JSON.stringify(value).length <= MAX_REPEATED
    ),
  );
}
