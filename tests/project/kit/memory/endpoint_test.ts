/** Does an embedder behind a URL follow the API, and reject invalid replies? */
import assert from "node:assert/strict";
import type { Embedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import { openEndpoint } from "../../../../src/project/kit/memory/embed/endpoint.ts";
import type { Endpoint } from "../../../../src/settings/plan/mod.ts";

interface Request {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

async function withServer(
  answer: (request: Request) => Response | Promise<Response>,
  work: (embedder: Embedder, asked: readonly Request[]) => Promise<void>,
  options: Partial<Endpoint> = {},
): Promise<void> {
  const asked: Request[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname: path } = new URL(request.url);
    const seen = { path, authorization: request.headers.get("authorization"), body: await request.json() };
    asked.push(seen);
    return await answer(seen);
  });
  const embedder = openEndpoint({
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    model: "small",
    ...options,
  });
  try {
    await work(embedder, asked);
  } finally {
    embedder.close();
    await server.shutdown();
  }
}

/** An answer as OpenAI and Ollama give it: each text gets its length and 1. */
function embeddings({ body }: Request): Response {
  const data = body.input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 1] }));
  return Response.json({ object: "list", data, model: body.model });
}

Deno.test("texts are sent to the configured URL, with model and key [memory:endpoint]", () =>
  withServer(embeddings, async (embedder, asked) => {
    assert.deepEqual([embedder.id, embedder.dimensions], ["small", 0]);
    const [vector] = await embedder.embed(["abc"]);
    assert.equal(embedder.dimensions, 2);
    assert.ok(
      Math.abs(vector![0]! - 3 / Math.sqrt(10)) < 1e-6 && Math.abs(Math.hypot(...vector!) - 1) < 1e-6,
    );
    const [{ path, authorization, body }] = asked as [Request];
    assert.deepEqual([path, authorization], ["/v1/embeddings", "Bearer not-a-secret"]);
    assert.deepEqual([body.model, body.input], ["small", ["abc"]]);
  }, { key: "not-a-secret" }));

Deno.test("many texts take several requests and come back in order, whatever the order of the answer", () => {
  const reversed = async (request: Request) => {
    const { data } = await embeddings(request).json();
    return Response.json({ data: data.reverse() });
  };
  return withServer(reversed, async (embedder, asked) => {
    const texts = Array.from({ length: 70 }, (_, i) => "x".repeat(i));
    const vectors = await embedder.embed(texts);
    assert.equal(asked.length, 3);
    for (const [i, vector] of vectors.entries()) assert.ok(Math.abs(vector[0]! / vector[1]! - i) < 1e-3);
    assert.equal(asked[0]!.authorization, null);
  });
});

/** Invalid answers of a server, and the error for each. */
const FAULTS: readonly (readonly [what: string, answer: (request: Request) => Response, said: RegExp])[] = [
  [
    "an error of OpenAI",
    () => Response.json({ error: { message: "bad key" } }, { status: 401 }),
    /401: bad key\./,
  ],
  [
    "an error of Ollama",
    () => Response.json({ error: "model not found" }, { status: 404 }),
    /404: model not found\./,
  ],
  ["an error in HTML", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), /502: <h1>Bad gateway/],
  ["no JSON", () => new Response("hello"), /expected 2 embeddings, got hello\./],
  [
    "too few",
    (request) => embeddings({ ...request, body: { ...request.body, input: ["a"] } }),
    /expected 2/,
  ],
  ["no numbers", () => Response.json({ data: [{ embedding: [1, "x"] }, null] }), /list of numbers/],
  [
    "different lengths",
    () => Response.json({ data: [{ embedding: [1] }, { embedding: [1, 2] }] }),
    /lengths/,
  ],
];

for (const [what, answer, said] of FAULTS) {
  Deno.test(`a server that sends ${what} is reported`, () =>
    withServer(answer, async (embedder) => {
      await assert.rejects(embedder.embed(["a", "b"]), (error: Error) => {
        assert.match(error.message, /^Project memory is unavailable: the embedding server http:/);
        assert.match(error.message, said);
        assert.ok(!error.message.includes("not-a-secret"));
        return true;
      });
    }, { key: "not-a-secret" }));
}

Deno.test("a server that redirects gets no text to another [memory:server-limits]", async () => {
  const reached: string[] = [];
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    reached.push(url);
    return Response.json({ data: [{ embedding: [1] }] });
  });
  // 302 would fetch without the text, 307 sends it again.
  for (const status of [301, 302, 307, 308]) {
    const redirect = () => Response.redirect(`http://127.0.0.1:${other.addr.port}/v1/embeddings`, status);
    await withServer(redirect, async (embedder) => {
      await assert.rejects(
        embedder.embed(["a secret plan"]),
        /failed: it redirects, which is not followed/,
      );
    }, { key: "not-a-secret" });
  }
  assert.deepEqual(reached, []);
});

Deno.test("a server that never stops talking is left [memory:server-limits]", () => {
  const bytes = new Uint8Array(2 ** 20).fill(32);
  const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(bytes) }));
  return withServer(endless, async (embedder) => {
    await assert.rejects(embedder.embed(["a"]), /failed: its reply exceeds 64 MB/);
  });
});

Deno.test("an unreachable server is reported", async () => {
  const embedder = openEndpoint({ url: "http://127.0.0.1:1/v1/", model: "small" });
  await assert.rejects(
    embedder.embed(["a"]),
    /^BmadError: Project memory is unavailable: .*127\.0\.0\.1:1\/v1\/embeddings/,
  );
});

Deno.test("an aborted call fails with the reason, and so do calls of a closed embedder", () => {
  const never = () => new Promise<Response>((resolve) => setTimeout(() => resolve(new Response("")), 50));
  return withServer(never, async (embedder) => {
    const giving = new AbortController();
    const reason = new Error("no longer wanted");
    const given = embedder.embed(["a"], giving.signal);
    giving.abort(reason);
    await assert.rejects(given, reason);
    const open = embedder.embed(["b"]);
    embedder.close();
    await assert.rejects(open, /closed/);
  });
});
