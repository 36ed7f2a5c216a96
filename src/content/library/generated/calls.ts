/**
 * The calls that an answer names: how its reader opens a file and starts another thing.
 */

/** How to go on from an answer, in terms of the tools that its reader has. */
export interface Calls {
  /** Opens a file; `URI` stands where its URI belongs. */
  readonly open: string;
  /** Starts a thing; `KIND` stands where its kind belongs, if anywhere, and `NAME` where its name does. */
  readonly start: string;
}

/** By the tool `bmad`, for which a URI or a name alone is a whole call. */
const STANDARD: Calls = { open: 'bmad {"uri":URI}', start: 'bmad {"KIND":NAME}' };

/** The call that opens a file. */
export function openCall(uri: string, calls: Calls = STANDARD): string {
  return calls.open.replace("URI", () => uri);
}

/** The call that starts a thing. */
export function startCall(kind: string, name: string, calls: Calls = STANDARD): string {
  return calls.start.replace("KIND", () => kind).replace("NAME", () => name);
}
