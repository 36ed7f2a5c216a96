/**
 * What a parameter of a call names: the thing itself or, where several could be meant, the very call for each.
 */
import type { App, NameQuery } from "../app.ts";
import { BmadError } from "../errors.ts";
import type { Entry } from "../model.ts";
import type { Args } from "./tool.ts";

/** A call that names a thing. */
export interface NamingCall {
  /** The tool that was called. */
  readonly tool: string;
  /** What it was called with. */
  readonly args: Args;
  /** The parameter that names the thing. */
  readonly parameter: string;
}

/** The thing that a call names. */
export async function resolveNamed(app: App, query: NameQuery, call: NamingCall): Promise<Entry> {
  try {
    return await app.resolve(query);
  } catch (error) {
    throw withCalls(error, call);
  }
}

/** A failure to tell which thing is meant, with the very call for each. */
function withCalls(error: unknown, { tool, args: { message: _, ...args }, parameter }: NamingCall): unknown {
  if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") return error;
  const callFor = (name: string) => `${tool} ${JSON.stringify({ ...args, [parameter]: name })}`;
  const candidates = error.failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...error.failure, candidates });
}
