/** Is a client that guesses tokens slowed down, and nobody else? */
import assert from "node:assert/strict";
import { openThrottle } from "../../../src/serve/http/limits.ts";
import { post, refusalOf, startHttp } from "../../support/http.ts";

const TOKEN = "a-token-of-many-letters";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

const newThrottle = () => {
  let time = 1_000_000;
  const throttle = openThrottle({ now: () => time });
  return { ...throttle, pass: (ms: number) => void (time += ms) };
};

Deno.test("after 20 wrong tokens, a client may send one per second [transport:http-throttle]", () => {
  const { attempt, pass } = newThrottle();
  for (let n = 0; n < 20; n++) assert.equal(attempt("a"), 0, `wrong token ${n + 1}`);
  for (let n = 0; n < 100; n++) assert.equal(attempt("a"), 1_000, "what was not looked at does not count");
  assert.equal(attempt("b"), 0, "others are not held up");
  pass(1_000);
  assert.equal(attempt("a"), 0);
  assert.equal(attempt("a"), 1_000);
  pass(20_000);
  for (let n = 0; n < 20; n++) assert.equal(attempt("a"), 0, "all is forgotten");
  pass(-900_000);
  for (let n = 0; n < 20; n++) assert.equal(attempt("a"), 0, "so it is when the clock is set back");
  assert.equal(attempt("a"), 1_000);
});

Deno.test("guesses do not hold up a client that knows the token [transport:http-throttle]", () => {
  const { attempt, succeeded, pass } = newThrottle();
  for (let n = 0; n < 50; n++) {
    assert.equal(attempt("office"), 0);
    succeeded("office");
  }
  for (let n = 0; n < 50; n++) assert.equal(attempt("office"), 0);
  pass(900_001);
  for (let n = 0; n < 20; n++) assert.equal(attempt("office"), 0, "right ones were never counted");
  assert.ok(attempt("office") > 0, "trust ends");
});

Deno.test("only so many clients are remembered [transport:http-throttle]", () => {
  const { attempt } = newThrottle();
  for (let n = 0; n < 20; n++) attempt("first");
  assert.ok(attempt("first") > 0);
  for (let n = 0; n < 4_096; n++) attempt(`other ${n}`);
  assert.equal(attempt("first"), 0, "the oldest is forgotten");
});

Deno.test("guesses get 401, then 429; a missing token is none [transport:http-throttle]", async () => {
  await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
  const ask = (token?: string) =>
    refusalOf(post(`${program.url}/mcp`, PING, token === undefined ? {} : { "x-api-key": token }));
  for (let n = 0; n < 40; n++) assert.equal((await ask())[0], 401, "without a token, it is not a guess");
  const guesses = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(`guess ${n}`)));
  assert.deepEqual(new Set(guesses.map(([status]) => status)), new Set([401, 429]));
  const slowed = guesses.find(([status]) => status === 429);
  assert.deepEqual(slowed, [429, "Too many wrong tokens from your address: wait 1 s"]);
  assert.equal((await refusalOf(fetch(`${program.url}/health`)))[0], 200);
});

Deno.test("who has sent the right token is let in while others guess [transport:http-throttle]", async () => {
  await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
  const ask = async (token: string) =>
    (await refusalOf(post(`${program.url}/mcp`, PING, { "x-api-key": token })))[0];
  const before = await ask(TOKEN);
  assert.notEqual(before, 401);
  await Promise.all(Array.from({ length: 40 }, (_, n) => ask(`guess ${n}`)));
  assert.equal(await ask(TOKEN), before);
});
