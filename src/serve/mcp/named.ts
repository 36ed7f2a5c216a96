/**
 * What a parameter of a call names: the thing itself or, where several could be meant, the very call for each.
 */
import type { App, NameQuery } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import type { Entry, Kind } from "../../base/model.ts";
import { type Args, textArg } from "./tool.ts";

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

/**
 * The thing that a call names by one of several parameters, the first of which is the right one. A thing of another
 * kind is taken where none of the wanted kind has the name: what is called a task here is a workflow there.
 */
export async function resolveWanted(
  app: App,
  kind: Kind,
  { tool, args, parameters, hint }: {
    readonly tool: string;
    readonly args: Args;
    readonly parameters: readonly [string, ...string[]];
    /** How to learn which names there are. */
    readonly hint: string;
  },
): Promise<Entry> {
  const [parameter] = parameters;
  const name = textArg(args, ...parameters);
  if (name === undefined) {
    return fail({ code: "invalid-input", field: parameter, problem: `name the ${kind}`, hint });
  }
  const query = { name, module: textArg(args, "module") };
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

const MAX_SHOWN = 200;

/** A failure to tell which thing is meant, with the very call for each. */
function withCalls(error: unknown, { tool, args: given, parameter }: NamingCall): unknown {
  if (!(error instanceof BmadError) || error.failure.code !== "ambiguous") return error;
  // The user's words, and what else is long, need not be said again for each candidate.
  const args = Object.fromEntries(
    Object.entries(given).filter(([name, value]) =>
      name !== "message" && JSON.stringify(value).length <= MAX_SHOWN
    ),
  );
  const callFor = (name: string) => `${tool} ${JSON.stringify({ ...args, [parameter]: name })}`;
  const candidates = error.failure.candidates.map((one) => ({ ...one, call: callFor(one.name) }));
  return new BmadError({ ...error.failure, candidates });
}
