import type { JSONRPCMessage, McpServer, RequestId } from "@modelcontextprotocol/server";
import type { App, Change, Located } from "../../app.ts";
import { failField } from "../../base/errors.ts";
import { isValues } from "../../base/values.ts";
import { onAbort } from "../../base/work.ts";
import { isName, MAX_URIS } from "./request_checks.ts";

/** Each is looked up whenever something changes. */
const MAX_TOGETHER = 10_000;

/** Undefined for the whole connection. */
type Owner = RequestId | AbortSignal | undefined;

export type Subscriptions = ReturnType<typeof openSubscriptions>;

export function openSubscriptions(app: App, updated: (uri: string) => void = () => {}) {
  const wanted = new Map<Owner, ReadonlySet<string>>();
  const targets = new Map<string, Promise<Located | undefined>>();
  // The skills extension serves the same files under its own scheme.
  const resolve = (uri: string) => app.locate(uri.replace(/^skill:/, "bmad:")).catch(() => undefined);

  let board: ReturnType<typeof watchBoard> | undefined;
  const endBoard = () => {
    board?.end();
    board = undefined;
  };

  const want = (owner: Owner, uris: Iterable<string>) => {
    wanted.set(owner, new Set(uris));
    const all = new Set(wanted.values().flatMap((each) => each));
    for (const uri of targets.keys()) if (!all.has(uri)) targets.delete(uri);
    for (const uri of all) if (!targets.has(uri)) targets.set(uri, resolve(uri));
    const isWanted = (uri: string) => targets.has(uri);
    if (OF_BOARD.some(isWanted)) board ??= watchBoard(app, () => OF_BOARD.filter(isWanted).forEach(updated));
    else endBoard();
  };
  const listen = (owner: Owner, { notifications }: ListenParams) => {
    const uris = notifications?.resourceSubscriptions;
    // Anything else is refused by the SDK.
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) return;
    want(owner, uris.filter(isName).slice(0, Math.max(0, MAX_TOGETHER - targets.size)));
  };
  const end = (owner: Owner) => {
    want(owner, []);
    wanted.delete(owner);
  };

  return {
    add: (uri: string): void => {
      if ((wanted.get(undefined)?.size ?? 0) >= MAX_URIS) {
        failField("uri", `at most ${MAX_URIS} subscriptions are possible`);
      }
      want(undefined, [...wanted.get(undefined) ?? [], uri]);
    },
    remove: (uri: string): void =>
      want(undefined, wanted.get(undefined)?.values().filter((other) => other !== uri) ?? []),
    /** Of a 2026 client, whose messages the SDK answers without telling us. */
    observe: (message: JSONRPCMessage): void => {
      if (!("method" in message)) return;
      const params = (message.params ?? {}) as ListenParams;
      if (message.method === LISTEN && "id" in message) listen(message.id, params);
      else if (message.method === "notifications/cancelled" && wanted.has(params.requestId)) {
        end(params.requestId);
      }
    },
    observeRequest: (message: unknown, ended: AbortSignal): void => {
      if (!isValues(message) || message["method"] !== LISTEN) return;
      listen(ended, isValues(message["params"]) ? message["params"] : {});
      onAbort(ended, () => end(ended));
    },
    affectedBy: async ({ touched }: Change): Promise<readonly string[]> => {
      const affected: string[] = [];
      if (touched.size === 0) return affected;
      for (const [uri, target] of [...targets]) {
        const [before, now] = [await target, await resolve(uri)];
        if (targets.has(uri)) targets.set(uri, Promise.resolve(now));
        const isAffected = before?.uri !== now?.uri ||
          (now !== undefined && (now.isGenerated || touched.has(now.uri)));
        if (isAffected) affected.push(uri);
      }
      return affected;
    },
    /** Resolves once every further change is noticed; undefined if that is so already. */
    ready: () => board?.ready(),
    close: () => {
      wanted.clear();
      targets.clear();
      endBoard();
    },
  };
}

const OF_BOARD: readonly string[] = ["bmad://board", "bmad://questions", "bmad://trace"];

function watchBoard(app: App, changed: () => void) {
  const begun = app.project.work().then((work) => work.watch(({ isFirst }) => isFirst || changed())).catch(
    () => () => {},
  );
  let ready: Promise<void> | undefined = begun.then(() => ready = undefined);
  return { ready: () => ready, end: () => void begun.then((end) => end()) };
}

export const LISTEN = "subscriptions/listen";

interface ListenParams {
  readonly notifications?: { readonly resourceSubscriptions?: unknown };
  readonly requestId?: RequestId;
}

export function notifyOfChanges(
  app: App,
  built: () => { readonly mcp: McpServer; refreshTools(): Promise<void> } | undefined,
  bug: (error: unknown) => unknown,
) {
  const send = async (notify: (server: McpServer["server"]) => Promise<void>) => {
    const mcp = built()?.mcp;
    if (mcp?.isConnected()) await notify(mcp.server);
  };
  const updated = (uri: string) => send((server) => server.sendResourceUpdated({ uri }));
  const subscriptions = openSubscriptions(app, (uri) => void updated(uri).catch(bug));
  const announce = async (change: Change) => {
    const now = built();
    if (!now?.mcp.isConnected()) return;
    if (change.overview) await now.refreshTools();
    if (change.entries) await send((server) => server.sendPromptListChanged());
    if (change.resources) await send((server) => server.sendResourceListChanged());
    for (const uri of await subscriptions.affectedBy(change)) await updated(uri);
  };
  const ignoreChanges = app.onChange((change) => void announce(change).catch(bug));
  return {
    subscriptions,
    close: (): void => {
      ignoreChanges();
      subscriptions.close();
    },
  };
}
