/**
 * Which item an argument names. If it could be several, the failure has the complete call for each.
 */
import type { App, NameQuery } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { type Entry, isSupporting, type Kind } from "../../base/model.ts";
import { correctedCall, missing } from "./params.ts";
import type { Args } from "./tool.ts";

export interface NamingCall {
  readonly tool: string;
  readonly operation?: string;
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
  { name, ...place }: Omit<NameQuery, "name"> & { readonly name?: string | undefined },
  call: NamingCall,
  { kind, hint }: { readonly kind: Kind; readonly hint: string },
): Promise<Named> {
  if (name === undefined) missing(call.parameter, hint);
  const query = { name, ...place };
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

/**
 * An ambiguous name with the call for each candidate, one of another kind or of a similar name with its call; others as
 * they are.
 */
function withCalls(error: unknown, { tool, operation, args, parameter, parameterOf }: NamingCall): unknown {
  if (!(error instanceof BmadError)) return error;
  const { failure } = error;
  const callFor = (name: string, changed = parameter) =>
    correctedCall({ tool, operation }, args, { [parameter]: undefined, [changed]: name });
  if (failure.code === "not-found" && failure.other !== undefined) {
    const given = parameterOf?.(failure.other.kind);
    return given === undefined
      ? error
      : new BmadError({ ...failure, hint: `Call ${callFor(failure.other.name, given)}` });
  }
  if (failure.code === "not-found" && failure.hint === undefined && failure.suggestions?.length === 1) {
    return new BmadError({ ...failure, hint: `Call ${callFor(failure.suggestions[0]!)}` });
  }
  if (failure.code !== "ambiguous") return error;
  const candidates = failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...failure, candidates });
}
