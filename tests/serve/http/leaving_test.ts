/** Is a client that disconnects early forgotten: its place, its request, and the wait for it when the server stops? */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { openApp } from "../../../src/app.ts";
import { resolveConfig } from "../../support/config.ts";
import { onAbort } from "../../../src/base/work.ts";
import { denoHost } from "../../../src/process/host.ts";
import { openHttpService } from "../../../src/serve/http/mod.ts";
import { listen, type Listener } from "../../../src/serve/listener/mod.ts";
import { openCapacity, openEndpoint } from "../../../src/serve/mcp/endpoint.ts";
import { INITIALIZE, modernRequest } from "../../support/http.ts";
import { answerOf, arrivalOf, JOURNAL } from "../../support/http_service.ts";
import { parsePrometheus } from "../../support/prometheus.ts";
import { withTree } from "../../support/trees.ts";

const GONE = AbortSignal.abort();

const withConfig = (
  args: readonly string[],
  check: (...of: [ReturnType<typeof resolveConfig>, ReturnType<typeof denoHost>]) => Promise<void>,
) =>
  withTree({ "a.md": "" }, async (dir) => {
    const host = denoHost(dir);
    const all = ["serve", "--http", "0", "--project", dir, "--pack", "none", ...args];
    await check(resolveConfig({ ...host, home: undefined, args: all, env: () => undefined }), host);
  });

const LOOPBACK = {
  host: "127.0.0.1",
  port: 0,
  maxBody: 1_000,
  headerTimeout: 5_000,
  stallMs: 5_000,
  connections: 100,
  clientConnections: 100,
};

const exchange = ({ url }: Listener, text: string, end: (socket: Socket) => void) =>
  new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    socket.once("data", () => end(socket));
    socket.once("close", () => resolve());
  });

/** Sends what is refused without an answerer: afterwards the listener has seen everything that came before. */
const roundTrip = (listener: Listener) => exchange(listener, "HELLO\r\n\r\n", (socket) => socket.end());

Deno.test("a client that disconnects at once is not answered [transport:http-limits]", async () => {
  const listener = await listen(LOOPBACK);
  const leaving = new AbortController();
  const left = fetch(`${listener.url}/left`, { signal: leaving.signal }).catch(() => "left");
  await roundTrip(listener);
  leaving.abort();
  assert.equal(await left, "left");
  const stayed = fetch(`${listener.url}/stayed`);
  await roundTrip(listener);
  const asked: string[] = [];
  listener.answerWith(({ request }) => {
    asked.push(new URL(request.url).pathname);
    return Promise.resolve({ response: new Response("here") });
  });
  assert.equal(await (await stayed).text(), "here");
  assert.deepEqual(asked, ["/stayed"]);
  await listener.close(1_000);
});

Deno.test("a response without its client is cancelled [transport:http-stop]", async () => {
  const listener = await listen(LOOPBACK);
  const asked = Promise.withResolvers<void>();
  let isCancelled = false;
  listener.answerWith(async ({ ended }) => {
    asked.resolve();
    await new Promise<void>((resolve) => onAbort(ended, resolve));
    return { response: new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })) };
  });
  const leaving = new AbortController();
  const left = fetch(listener.url, { signal: leaving.signal }).catch(() => "left");
  await asked.promise;
  leaving.abort();
  assert.equal(await left, "left");
  await listener.close(1_000);
  assert.equal(isCancelled, true);
});

Deno.test("a client that hangs up is not refused [transport:http-watching]", async () => {
  const listener = await listen(LOOPBACK);
  const refused: number[] = [];
  const here = () => Promise.resolve({ response: new Response("here") });
  listener.answerWith(here, (status) => void refused.push(status));
  for (let n = 0; n < 3; n++) {
    const request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    await exchange(listener, request, (socket) => socket.resetAndDestroy());
  }
  await roundTrip(listener);
  await listener.close(1_000);
  assert.deepEqual(refused, [400]);
});

Deno.test("a disconnected client counts for nothing [transport:http-limits, transport:http-stop]", () =>
  withConfig(["--no-token", "--http-sessions", "2", "--http-in-flight", "2"], async (config, host) => {
    const service = openHttpService(config, host, JOURNAL);
    const ask = async (ended: AbortSignal, method: string, params = {}) => {
      const [message, headers] = modernRequest(method, params);
      const answer = await answerOf(service, arrivalOf("/mcp", ended, message, headers), message);
      if (ended.aborted || method.endsWith("listen")) await answer.body?.cancel();
      else await answer.text();
      return answer.status;
    };
    const wish = { notifications: { toolsListChanged: true } };
    for (let n = 0; n < 5; n++) {
      assert.equal(await ask(GONE, "subscriptions/listen", wish), 200);
      assert.equal(await ask(GONE, "tools/list"), 200);
    }
    let isIdle = false;
    service.idle().then(() => isIdle = true);
    await new Promise((resolve) => setTimeout(resolve));
    assert.equal(isIdle, true, "a stop would wait");
    const here = new AbortController();
    assert.equal(await ask(here.signal, "subscriptions/listen", wish), 200);
    assert.equal(await ask(here.signal, "tools/list"), 200);
    const metrics = await (await answerOf(service, arrivalOf("/metrics", here.signal))).text();
    const samples = parsePrometheus(metrics);
    const streams = samples.filter(({ name }) => name === "bmad_mcp_listening_streams");
    assert.deepEqual(streams.map(({ value }) => value), [1]);
    const ends = samples.filter(({ name }) => name === "bmad_mcp_requests_total")
      .map(({ labels, value }) => `${labels["method"]} ${labels["outcome"]} ${value}`);
    assert.deepEqual(ends.toSorted(), [
      "subscriptions/listen left 5",
      "subscriptions/listen ok 1",
      "tools/list left 5",
      "tools/list ok 1",
    ]);
    here.abort();
    await service.close();
  }));

Deno.test("an idle session whose stream has no client ends [transport:http-limits]", () =>
  withConfig([], async (config, host) => {
    const app = openApp(config, host);
    let [now, sweep] = [0, () => {}];
    const limits = { capacity: openCapacity(9), requests: 9, idleMs: 1_000 };
    const endpoint = openEndpoint(app, JOURNAL, limits, {
      now: () => now,
      after: (_, call) => {
        sweep = call;
        return () => {};
      },
    });
    const ask = async (ended: AbortSignal, message?: unknown, headers = {}) => {
      const { request } = arrivalOf("/mcp", ended, message, headers);
      const answer = await endpoint.answer(request as Request, message, ended);
      assert.equal(answer.status, 200);
      await answer.body?.cancel();
      return answer.headers.get("mcp-session-id") ?? "";
    };
    const id = await ask(new AbortController().signal, INITIALIZE);
    await ask(GONE, undefined, { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" });
    assert.equal(endpoint.sessions(), 1);
    now += 1_000;
    sweep();
    assert.equal(endpoint.sessions(), 0);
    await endpoint.close();
    await app.close();
  }));
