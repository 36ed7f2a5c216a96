/** Does a load balancer learn when it should send requests here, and nothing else? */
import assert from "node:assert/strict";
import { openHttpService } from "../../../src/serve/http/mod.ts";
import { type Checks, openReadiness } from "../../../src/serve/http/readiness.ts";
import { denoHost } from "../../../src/process/host.ts";
import { resolveConfig } from "../../../src/settings/plan/mod.ts";
import { TOOL_NEEDS } from "../../../src/serve/handshake/tool_needs.ts";
import { answerOf, arrivalOf, JOURNAL } from "../../support/http_service.ts";
import { withTree } from "../../support/trees.ts";

const GONE = AbortSignal.abort();

function openClock() {
  let time = 0;
  const waiting: { readonly at: number; readonly call: () => void }[] = [];
  return {
    now: () => time,
    after: (ms: number, call: () => void) => {
      const one = { at: time + ms, call };
      waiting.push(one);
      return () => void waiting.splice(waiting.indexOf(one), 1);
    },
    move: (ms: number) => {
      time += ms;
      for (const { at, call } of [...waiting]) if (at <= time) call();
    },
  };
}

Deno.test("it is ready between start and stop while every check holds [transport:http-ready]", async () => {
  const clock = openClock();
  const state = { content: Promise.withResolvers<boolean>(), asked: 0, canWrite: true };
  const checks: Checks = {
    content: () => (state.asked++, state.content.promise),
    state: () => state.canWrite,
  };
  const { answer, stop } = openReadiness(checks, clock);
  const ask = async (ms = 1_000) => {
    clock.move(ms);
    const response = await answer();
    return [response.status, (await response.json()).because];
  };
  const starting = answer();
  // What needs no time is known by now.
  await new Promise((resolve) => setTimeout(resolve));
  clock.move(2_000);
  const first = await starting;
  assert.deepEqual([first.status, first.headers.get("retry-after")], [503, "1"]);
  assert.deepEqual(await first.json(), { status: "not ready", because: ["starting", "content"] });
  state.content.resolve(true);
  assert.deepEqual(await ask(), [200, undefined]);
  state.canWrite = false;
  const before = state.asked;
  assert.deepEqual(await ask(0), [200, undefined], "an answer is good for a second");
  assert.equal(state.asked, before);
  assert.deepEqual(await ask(), [503, ["state"]]);
  state.content = Promise.withResolvers();
  state.content.reject(new Error("/home/ann/secret"));
  assert.deepEqual(await ask(), [503, ["content", "state"]]);
  [state.content, state.canWrite] = [Promise.withResolvers(), true];
  state.content.resolve(true);
  assert.deepEqual(await ask(), [200, undefined]);
  state.canWrite = false;
  assert.deepEqual(await ask(-1), [503, ["state"]], "an answer of the future is not kept");
  stop();
  assert.deepEqual(await ask(0), [503, ["stopping"]]);
});

Deno.test("a server without its project or its state is not ready [transport:http-ready]", () =>
  withTree(
    { "shop/_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\n", "state/": "" },
    async (dir) => {
      const host = {
        ...denoHost(dir),
        home: undefined,
        env: (name: string) => name === "XDG_STATE_HOME" ? `${dir}/state` : undefined,
      };
      const project = ["--project", `${dir}/shop`, "--pack", "none"];
      const args = ["serve", "--http", "0", ...project, "--toolsets", "+memory"];
      const env = (name: string) => name === "BMAD_TOKEN" ? "0123456789abcdef" : host.env(name);
      let time = 0;
      const clock = { ...host, now: () => time += 2_000 };
      const service = openHttpService(resolveConfig({ ...host, env, args }, TOOL_NEEDS), clock, JOURNAL);
      const ask = async () => {
        const response = await answerOf(service, arrivalOf("/ready", GONE));
        const text = await response.text();
        assert.ok(!text.includes(dir), text);
        return [response.status, JSON.parse(text)];
      };
      const isNotReady = (...because: readonly string[]) => [503, { status: "not ready", because }];
      // It needs no token.
      assert.deepEqual(await ask(), [200, { status: "ready" }]);
      // Some have no right to write there, or find a file in the place of the folder.
      await Deno.remove(`${dir}/state/bmad-mcp`, { recursive: true });
      await Deno.writeTextFile(`${dir}/state/bmad-mcp`, "");
      assert.deepEqual(await ask(), isNotReady("state"));
      await Deno.remove(`${dir}/state/bmad-mcp`);
      assert.deepEqual(await ask(), [200, { status: "ready" }]);
      await Deno.rename(`${dir}/shop`, `${dir}/gone`);
      assert.deepEqual(await ask(), isNotReady("content"));
      await Deno.rename(`${dir}/gone`, `${dir}/shop`);
      assert.deepEqual(await ask(), [200, { status: "ready" }]);
      service.stop();
      assert.deepEqual(await ask(), isNotReady("stopping"));
      const arrival = arrivalOf("/mcp", GONE, {}, { authorization: "Bearer 0123456789abcdef" });
      const admitted = await service.answer(arrival);
      await service.close();
      // Whoever comes over an open connection gets an answer that a proxy knows what to do with.
      assert.ok("answer" in admitted);
      for (
        const late of [await admitted.answer(new TextEncoder().encode("{}")), await service.answer(arrival)]
      ) {
        assert.ok("response" in late);
        assert.deepEqual([late.response.status, late.response.headers.get("retry-after")], [503, "1"]);
      }
    },
  ));
