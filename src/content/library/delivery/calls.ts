/**
 * How the reader of a delivered text opens a file, starts another item and runs a script.
 *
 * Only the surface knows that, so it hands in a phrase for each; without them the text says it in plain words.
 */

/** Phrases with gaps, in terms of what the reader can call. */
export interface Calls {
  /** Opens a file; `URI` is the gap for its URI. */
  readonly open: string;
  /** Opens a file by its path as an item spells it; `ITEM` and `PATH` are the gaps. Missing where only URIs can be opened. */
  readonly openOf?: string;
  /** Starts an item; `KIND`, which may be left out, and `NAME` are the gaps. */
  readonly start: string;
  /** Runs a script by its command line, for which `LINE` stands; undefined where none can be run. */
  readonly script?: string;
  /** Lists what the project should do next; undefined where nothing the reader can call does. */
  readonly next?: string;
}

const PLAIN_WORDS: Calls = { open: "open URI", start: "start KIND NAME" };

export function openCall(uri: string, { open }: Pick<Calls, "open"> = PLAIN_WORDS): string {
  return open.replace("URI", () => uri);
}

/** The call for any path in an item's texts: `PATH` stays for the reader to fill in; undefined where there is none. */
export function openOfCall(item: string, { openOf }: Calls = PLAIN_WORDS): string | undefined {
  return openOf?.replace("ITEM", () => item);
}

/** The call that starts an item of some kind. */
export function startCall(kind: string, name: string, { start }: Calls = PLAIN_WORDS): string {
  return start.replace("KIND", () => kind).replace("NAME", () => name);
}
