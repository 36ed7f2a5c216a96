/** Do requests reach the server that was named, and no other? */
import assert from "node:assert/strict";
import { requestsTo } from "../../src/process/named_server.ts";

function listen(answer: (request: Request) => Response) {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    seen.push(new URL(request.url).pathname);
    return answer(request);
  });
  return {
    seen,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("only the named server gets requests [rights:named-servers]", async () => {
  await using other = listen(() => new Response("other"));
  await using named = listen(({ url }) =>
    url.endsWith("/away") ? Response.redirect(`${other.url}/stolen`) : new Response("named")
  );
  const request = requestsTo(`${named.url}/v1`);
  assert.equal(await (await request(`${named.url}/v1/x`, {})).text(), "named");
  const away = await request(`${named.url}/away`, { redirect: "follow" });
  await away.body?.cancel();
  assert.equal(away.status, 302);
  const { port } = new URL(named.url);
  const refused = [
    `${other.url}/x`,
    `https://127.0.0.1:${port}/x`,
    `http://localhost:${port}/x`,
    `${named.url}.example.org/x`,
    `${named.url}@${new URL(other.url).host}/x`,
    `http://ann@127.0.0.1:${port}/x`,
    "//x",
    "",
  ];
  for (const url of refused) {
    await assert.rejects(request(url, {}), /not on the configured server/, url);
  }
  assert.deepEqual([named.seen, other.seen], [["/v1/x", "/away"], []]);
});
