/** Which of a client's subscriptions does a change affect? */
import assert from "node:assert/strict";
import type { App, Change, Located } from "../../../src/app.ts";
import { openSubscriptions } from "../../../src/serve/mcp/subscriptions.ts";

/** An app in which references lead to these places, which a test may change. */
function appOf(places: Record<string, Located>): App {
  return { locate: (reference: string) => Promise.resolve(places[reference]) } as unknown as App;
}

function changeOf(...touched: readonly string[]): Change {
  return { overview: false, entries: false, resources: false, touched: new Set(touched), diagnostics: [] };
}

const file = (uri: string): Located => ({ uri, isGenerated: false });

Deno.test("a subscription is affected under each spelling of its file, and by nothing else", async () => {
  const { add, affectedBy } = openSubscriptions(appOf({
    "bmad://own/a.md": file("bmad://own/a.md"),
    "bmad://_bmad/own/a.md": file("bmad://own/a.md"),
    "bmad://own/b.md": file("bmad://own/b.md"),
    "bmad://manifest": { uri: "bmad://manifest", isGenerated: true },
  }));
  for (const uri of ["bmad://own/a.md", "bmad://_bmad/own/a.md", "bmad://own/b.md", "bmad://nowhere"]) {
    add(uri);
  }
  assert.deepEqual(await affectedBy(changeOf("bmad://own/a.md")), [
    "bmad://own/a.md",
    "bmad://_bmad/own/a.md",
  ]);
  assert.deepEqual(await affectedBy(changeOf("bmad://own/c.md")), []);
  assert.deepEqual(await affectedBy(changeOf()), []);
  add("bmad://manifest");
  assert.deepEqual(await affectedBy(changeOf("bmad://own/c.md")), ["bmad://manifest"]);
});

Deno.test("what comes, goes or leads elsewhere touches its subscription once", async () => {
  const places: Record<string, Located> = {};
  const { add, affectedBy } = openSubscriptions(appOf(places));
  add("bmad://a.md");
  const change = changeOf("bmad://other.md");
  assert.deepEqual(await affectedBy(change), []);
  for (const place of [file("bmad://a.md"), file("bmad://elsewhere/a.md"), undefined]) {
    if (place === undefined) delete places["bmad://a.md"];
    else places["bmad://a.md"] = place;
    assert.deepEqual(await affectedBy(change), ["bmad://a.md"]);
    assert.deepEqual(await affectedBy(change), []);
  }
});

Deno.test("ending a subscription does not end those of others", async () => {
  const uri = "bmad://a.md";
  const { add, remove, observe, affectedBy } = openSubscriptions(appOf({ [uri]: file(uri) }));
  const listen = (id: number, resourceSubscriptions: unknown) =>
    observe({
      jsonrpc: "2.0",
      id,
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions } },
    });
  const cancel = (requestId: number) =>
    observe({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  const isTouched = async () => (await affectedBy(changeOf(uri))).length > 0;
  add(uri);
  add(uri);
  listen(1, [uri]);
  listen(2, [uri]);
  remove(uri);
  remove("bmad://never.md");
  cancel(1);
  assert.equal(await isTouched(), true);
  cancel(3);
  cancel(2);
  assert.equal(await isTouched(), false);
  // What is no subscription is for the SDK to refuse.
  for (const wrong of [undefined, "bmad://a.md", [1, null]]) listen(4, wrong);
  observe({ jsonrpc: "2.0", id: 5, method: "tools/list" });
  observe({ jsonrpc: "2.0", id: 5, result: {} });
  assert.equal(await isTouched(), false);
});

Deno.test("the number of subscriptions is limited", () => {
  const { add, remove, observe } = openSubscriptions(appOf({}));
  for (let i = 0; i < 1_000; i++) add(`bmad://${i}`);
  assert.throws(() => add("bmad://more"), /at most 1000 subscriptions/);
  const params = { notifications: { resourceSubscriptions: ["bmad://more"] } };
  observe({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
  assert.throws(() => add("bmad://more"));
  remove("bmad://7");
  add("bmad://more");
});

Deno.test("the board is watched while it is subscribed to [work:board-notices]", async () => {
  const watches: ((isFirst: boolean) => void)[] = [];
  let ended = 0;
  const watch = (changed: (state: { readonly isFirst: boolean }) => void) => {
    watches.push((isFirst) => changed({ isFirst }));
    changed({ isFirst: true });
    return Promise.resolve(() => void ended++);
  };
  const app = { ...appOf({}), project: { work: () => Promise.resolve({ watch }) } } as unknown as App;
  const updated: string[] = [];
  const subscriptions = openSubscriptions(app, (uri) => updated.push(uri));
  const state = async () => {
    await subscriptions.ready();
    // The end of a watch waits for its beginning.
    await Promise.resolve();
    return { begun: watches.length, ended, updated: updated.splice(0) };
  };
  const listen = (id: number, resourceSubscriptions: readonly string[]) =>
    subscriptions.observe({
      jsonrpc: "2.0",
      id,
      method: "subscriptions/listen",
      params: { notifications: { resourceSubscriptions } },
    });
  subscriptions.add("bmad://config");
  assert.deepEqual(await state(), { begun: 0, ended: 0, updated: [] });
  subscriptions.add("bmad://board");
  listen(1, ["bmad://board"]);
  assert.deepEqual(await state(), { begun: 1, ended: 0, updated: [] });
  watches[0]!(false);
  assert.deepEqual(await state(), { begun: 1, ended: 0, updated: ["bmad://board"] });
  subscriptions.add("bmad://questions");
  watches[0]!(false);
  assert.deepEqual(await state(), { begun: 1, ended: 0, updated: ["bmad://board", "bmad://questions"] });
  subscriptions.remove("bmad://questions");
  subscriptions.remove("bmad://board");
  assert.deepEqual(await state(), { begun: 1, ended: 0, updated: [] });
  subscriptions.observe({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  assert.deepEqual(await state(), { begun: 1, ended: 1, updated: [] });
  const leaving = new AbortController();
  const params = { notifications: { resourceSubscriptions: ["bmad://board"] } };
  subscriptions.observeRequest({ method: "subscriptions/listen", params }, leaving.signal);
  assert.deepEqual(await state(), { begun: 2, ended: 1, updated: [] });
  leaving.abort();
  subscriptions.add("bmad://board");
  assert.deepEqual(await state(), { begun: 3, ended: 2, updated: [] });
  subscriptions.close();
  assert.equal((await state()).ended, 3);
});
