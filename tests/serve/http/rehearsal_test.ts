/** Is what the first calls need prepared over HTTP too: once for all clients, and only while nobody waits? */
import assert from "node:assert/strict";
import { denoHost } from "../../../src/process/host.ts";
import { openHttpService } from "../../../src/serve/http/mod.ts";
import { SILENT_MS } from "../../../src/serve/mcp/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { INITIALIZE, modernRequest } from "../../support/http.ts";
import { answerOf, arrivalOf, JOURNAL } from "../../support/http_service.ts";
import { withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const AGENT = "---\nname: scout\ndescription: Looks out\n---\n<agent name='Nemo' title='Scout'></agent>\n";

/** Between two requests. */
const APART_MS = 100;

async function withService(
  test: (
    at: {
      ask(message: unknown, headers?: object): Promise<string>;
      look(path: string): Promise<string>;
      waits(): number;
      pass(): void;
    },
  ) => Promise<void>,
): Promise<void> {
  await withTree({ "bmad/sea/agents/scout.md": AGENT }, async (dir) => {
    const host = denoHost(dir);
    const args = ["serve", "--http", "0", "--project", dir, "--pack", "none", "--no-token"];
    const config = resolveConfig({ ...host, home: undefined, args, env: () => undefined });
    let [time, waits, pass] = [Date.now(), 0, () => {}];
    const after = (ms: number, call: () => void) => {
      if (ms > SILENT_MS || ms < APART_MS) return host.after(ms, call);
      const end = time + ms;
      waits++;
      pass = () => {
        time = end;
        call();
      };
      return () => {};
    };
    const service = openHttpService(config, { ...host, after, now: () => time }, JOURNAL);
    const request = async (path: string, message?: unknown, headers = {}) => {
      const exchange = new AbortController();
      time += APART_MS;
      const arrival = arrivalOf(path, exchange.signal, message, headers);
      const text = await (await answerOf(service, arrival, message)).text();
      exchange.abort();
      return text;
    };
    // As a socket would: what yields its turn keeps no process alive.
    const alive = setInterval(() => {}, 60_000);
    await test({
      ask: (message, headers) => request("/mcp", message, headers),
      look: (path) => request(path),
      waits: () => waits,
      pass: () => pass(),
    });
    clearInterval(alive);
    await service.close();
  });
}

Deno.test("over HTTP it is prepared once, with the first client [start:first-call]", () =>
  withService(async ({ ask, look, waits, pass }) => {
    await look("/health");
    await look("/");
    assert.equal(waits(), 0, "a look at the server is no client");
    await ask(...modernRequest("tools/list"));
    await until("it waits for silence", () => waits() === 1, waits);
    pass();
    await ask(INITIALIZE);
    await ask(INITIALIZE);
    const call = { name: "bmad", arguments: { operation: "execute", agent: "scout" } };
    assert.match(await ask(...modernRequest("tools/call", call)), /Nemo/);
    // Once more at most, if these have come before its last step.
    assert.ok(waits() <= 2, `it was prepared again: ${waits()}`);
  }));

Deno.test("over HTTP a request that comes meanwhile puts the preparation off [start:first-call]", () =>
  withService(async ({ ask, waits, pass }) => {
    await ask(...modernRequest("tools/list"));
    await until("the first step waits", () => waits() === 1, waits);
    for (let again = 2; again < 5; again++) {
      await ask(...modernRequest("tools/list"));
      // The silence was broken: it has to pass again before anything is done.
      pass();
      await until("it waits again", () => waits() === again, waits);
    }
  }));
