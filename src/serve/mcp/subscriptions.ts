/**
 * Telling a client what changed: its lists, and the resources that it asked to hear of.
 *
 * Clients of 2025 subscribe to one URI at a time and are told of lists unasked; those of 2026 say in
 * `subscriptions/listen` what they want of both, which the SDK holds them to. A resource is told of under the very
 * URI that the client used, whichever of its spellings that is.
 */
import type { JSONRPCMessage, McpServer, RequestId } from "@modelcontextprotocol/server";
import type { App, Change, Located } from "../../app.ts";
import { onAbort } from "../../base/work.ts";
import { fail } from "../../base/errors.ts";
import { isFields, isName } from "./requests.ts";

/** The resources that one client wants to hear of. */
export interface Subscriptions {
  /** As a client of 2025 asks for it. */
  add(uri: string): void;
  /** The end of that. */
  remove(uri: string): void;
  /** Takes in what a client of 2026 asks for: the SDK answers these messages and shows them to nobody. */
  overhear(message: JSONRPCMessage): void;
  /** The same for a message that has a connection to itself; the wish ends with it. */
  overhearOne(message: unknown, ended: AbortSignal): void;
  /** The URIs, as the client spelled them, of what a change touches. */
  touchedBy(change: Change): Promise<readonly string[]>;
}

/** More than any client needs; each costs a look when something changes. */
const MAX_URIS = 1_000;

/** The request, or its connection, whose subscriptions they are; undefined for those of the whole connection. */
type Owner = RequestId | AbortSignal | undefined;

/** Nothing subscribed yet. */
export function openSubscriptions(app: App): Subscriptions {
  const wanted = new Map<Owner, ReadonlySet<string>>();
  /** Where each URI led when it was last looked at. */
  const places = new Map<string, Promise<Located | undefined>>();
  // The skills extension has the same files under a scheme of its own.
  const placeOf = (uri: string) => app.locate(uri.replace(/^skill:/, "bmad:")).catch(() => undefined);

  const want = (owner: Owner, uris: Iterable<string>) => {
    wanted.set(owner, new Set(uris));
    const all = new Set(wanted.values().flatMap((each) => each));
    for (const uri of places.keys()) if (!all.has(uri)) places.delete(uri);
    for (const uri of all) if (!places.has(uri)) places.set(uri, placeOf(uri));
  };

  const listen = (owner: Owner, { notifications }: ListenParams) => {
    const uris = notifications?.resourceSubscriptions;
    // The SDK refuses a request with anything else in it.
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) return;
    want(owner, uris.filter(isName).slice(0, MAX_URIS - places.size));
  };
  const end = (owner: Owner) => {
    want(owner, []);
    wanted.delete(owner);
  };

  return {
    add: (uri) => {
      if (places.size >= MAX_URIS) {
        fail({
          code: "invalid-input",
          field: "uri",
          problem: `${MAX_URIS} subscriptions are the most there can be`,
        });
      }
      want(undefined, [...wanted.get(undefined) ?? [], uri]);
    },
    remove: (uri) => want(undefined, wanted.get(undefined)?.values().filter((other) => other !== uri) ?? []),
    overhear: (message) => {
      if (!("method" in message)) return;
      const params = (message.params ?? {}) as ListenParams;
      if (message.method === LISTEN && "id" in message) listen(message.id, params);
      else if (message.method === "notifications/cancelled" && wanted.has(params.requestId)) {
        end(params.requestId);
      }
    },
    overhearOne: (message, ended) => {
      if (!isFields(message) || message["method"] !== LISTEN) return;
      listen(ended, isFields(message["params"]) ? message["params"] : {});
      onAbort(ended, () => end(ended));
    },
    touchedBy: async ({ touched }) => {
      const found: string[] = [];
      if (touched.size === 0) return found;
      for (const [uri, place] of [...places]) {
        const [before, now] = [await place, await placeOf(uri)];
        if (places.has(uri)) places.set(uri, Promise.resolve(now));
        const isTouched = before?.uri !== now?.uri ||
          (now !== undefined && (now.isGenerated || touched.has(now.uri)));
        if (isTouched) found.push(uri);
      }
      return found;
    },
  };
}

const LISTEN = "subscriptions/listen";

/** What is looked at of messages that nobody has checked yet. */
interface ListenParams {
  readonly notifications?: { readonly resourceSubscriptions?: unknown };
  readonly requestId?: RequestId;
}

/** Tells a client of a change, as long as it is there. */
export async function announce(
  change: Change,
  { mcp, refreshTools }: { readonly mcp: McpServer; refreshTools(): Promise<void> },
  subscriptions: Subscriptions,
): Promise<void> {
  const { server } = mcp;
  const send = async (notice: () => Promise<void>) => mcp.isConnected() ? await notice() : undefined;
  if (change.overview) await refreshTools();
  if (change.entries) await send(() => server.sendPromptListChanged());
  if (change.resources) await send(() => server.sendResourceListChanged());
  for (const uri of await subscriptions.touchedBy(change)) {
    await send(() => server.sendResourceUpdated({ uri }));
  }
}
