/**
 * What is sent to Qdrant, and what is reported when that fails?
 *
 * A small server stands in for Qdrant, because a real one does not fail on demand. store_test.ts proves on a real one
 * that memories are stored and found.
 */
import assert from "node:assert/strict";
import { openQdrant } from "../../../../src/project/kit/memory/store/qdrant.ts";
import type { MemoryStore } from "../../../../src/project/kit/memory/store/store.ts";
import { memoryOf, PROJECT, TERMS_ONLY, withRankers } from "../../../support/memories.ts";

interface Asked {
  readonly request: string;
  readonly key: string | null;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

async function withServer(
  answer: (request: string) => Response,
  work: (store: MemoryStore, asked: readonly Asked[]) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const path = `${request.method} ${new URL(request.url).pathname}`;
    const text = await request.text();
    asked.push({
      request: path,
      key: request.headers.get("api-key"),
      body: text === "" ? undefined : JSON.parse(text),
    });
    return answer(path);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { timeout } = AbortSignal;
  // A busy machine is slow to read 64 MB.
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 10 * ms);
  try {
    await work(openQdrant({ url, key: "k3y", project: PROJECT }, TERMS_ONLY), asked);
  } finally {
    AbortSignal.timeout = timeout;
  }
}

function endless(): ReadableStream<Uint8Array> {
  const bytes = new Uint8Array(2 ** 20).fill(32);
  return new ReadableStream({ pull: (controller) => controller.enqueue(bytes) });
}

const result = (value: unknown) => Response.json({ result: value, status: "ok" });
const missing = () => Response.json({ status: { error: "Not found" } }, { status: 404 });

Deno.test("collections and payloads are the kit's [memory:qdrant, memory:kit-formats]", () =>
  withServer(
    (request) => request.startsWith("GET") ? missing() : result(request.startsWith("POST") ? [] : true),
    async (store, asked) => {
      const memory = await memoryOf({ text: "JWT expiry must be 15 min", tags: ["auth", "jwt"] });
      assert.deepEqual((await store.remember([memory])).outcomes, ["new"]);
      const collection = "/collections/bmad-demo-app-decisions";
      assert.deepEqual(asked.map(({ request }) => request), [
        `GET ${collection}`,
        `PUT ${collection}`,
        `PUT ${collection}/index`,
        `PUT ${collection}/points`,
      ]);
      assert.ok(asked.every(({ key }) => key === "k3y"));
      assert.deepEqual(asked[1]!.body.vectors, { size: 384, distance: "Cosine" });
      const [point] = asked.at(-1)!.body.points;
      assert.equal(point.id, "17e8a3c1-e13b-5bb9-8612-acfcf7627da9");
      assert.deepEqual(point.payload, {
        text: "JWT expiry must be 15 min",
        agent: "dev",
        type: "decisions",
        tags: ["auth", "jwt"],
        project: "bmad-demo-app",
        created_at: "2026-02-27T14:32:15.000",
      });
    },
  ));

/** Faults of a server, and the error for each. */
const FAULTS: readonly (readonly [fault: string, answer: () => Response, said: RegExp])[] = [
  [
    "refuses the key",
    () => new Response("Forbidden", { status: 403 }),
    /refuses the API key/,
  ],
  [
    "is not Qdrant",
    () => new Response("<html>hello</html>"),
    /answered 200 without JSON\. Is it a Qdrant server\?/,
  ],
  [
    "fails",
    () => Response.json({ status: { error: "disk is full" } }, { status: 500 }),
    /answered 500: disk is full/,
  ],
  [
    "is too old to know our conditions",
    () =>
      Response.json({
        status: {
          error: "Format error in JSON body: data did not match any variant of untagged enum Condition",
        },
      }, { status: 400 }),
    /Qdrant 1\.13 or later is required: Format error .* Condition/,
  ],
  ["redirects", () => Response.redirect("http://127.0.0.1:9/"), /cannot be reached: it redirects, which/],
  ["never stops talking", () => new Response(endless()), /cannot be reached: its reply exceeds 64 MB/],
  [
    "has other vectors",
    () => result({ config: { params: { vectors: { dense: { size: 3 } } } } }),
    /belongs to another program/,
  ],
];

for (const [fault, answer, said] of FAULTS) {
  Deno.test(`a server that ${fault} is reported [memory:qdrant]`, () =>
    withServer(answer, async (store) => {
      const expected = (error: Error) =>
        said.test(error.message) &&
        error.message.startsWith("Project memory is unavailable: Qdrant at http://127.0.0.1:") &&
        error.message.endsWith("Everything else still works");
      await assert.rejects(store.recall({ query: "x", limit: 1 }), expected);
      await assert.rejects(memoryOf({ text: "x" }).then((memory) => store.remember([memory])), expected);
      await assert.rejects(store.status(), expected);
    }));
}

Deno.test("points of other programs are read as far as they make sense", () =>
  withServer((request) => {
    if (request.startsWith("GET")) {
      return request.endsWith("-stories")
        ? result({ config: { params: { vectors: { size: 384 } } } })
        : missing();
    }
    return result({
      points: [{ id: 7, payload: null }, { id: "x", payload: { text: 5, tags: ["a", 1] } }],
      next_page_offset: null,
    });
  }, async (store) => {
    const nothing = { type: "stories", agent: "unknown", text: "", project: PROJECT, createdAt: "" };
    assert.deepEqual(await store.list({}), [
      { id: "7", tags: [], ...nothing },
      { id: "x", tags: ["a"], ...nothing },
    ]);
  }));

Deno.test("a server that always has another page is left [memory:server-limits]", () =>
  withServer((request) => {
    if (request.startsWith("GET")) return result({ config: { params: { vectors: { size: 384 } } } });
    return result({ points: [], next_page_offset: "more" });
  }, async (store, asked) => {
    await assert.rejects(
      store.list({ type: "stories" }),
      /has over 200000 memories in bmad-demo-app-stories/,
    );
    assert.equal(asked.length, 1 + 200);
  }));

const SERVER = Deno.env.get("BMAD_QDRANT_URL");

Deno.test({
  name: "a collection of the kit is read and extended [memory:qdrant, memory:kit-formats]",
  ignore: SERVER === undefined,
  fn: async () => {
    const project = `bmad-kit-${crypto.randomUUID()}`;
    const collection = `${SERVER}/collections/${project}-decisions`;
    const key = Deno.env.get("BMAD_QDRANT_API_KEY");
    const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "api-key": key }) };
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${collection}${path}`, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      assert.ok(answer.ok, await answer.text());
    };
    const own = await memoryOf({ text: "JWT expiry must be 15 min", project });
    const text = "Releases are on Tuesdays";
    try {
      await withRankers(async (rankers) => {
        const [vector] = await rankers.embedder!.embed([text]);
        await send("PUT", "", { vectors: { size: 384, distance: "Cosine" } });
        const payload = {
          text,
          agent: "sm",
          type: "decisions",
          tags: ["release"],
          project,
          created_at: "2026-02-27T14:32:15.123456",
        };
        await send("PUT", "/points?wait=true", {
          points: [{ id: crypto.randomUUID(), vector: Array.from(vector!), payload }],
        });
        const store = openQdrant({ url: SERVER!, key, project }, rankers);
        assert.deepEqual((await store.remember([own])).outcomes, ["new"]);
        const found = async (query: string, from = store) => (await from.recall({ query, limit: 1 })).hits[0];
        assert.equal((await found("How long do access tokens live?"))?.memory.text, own.text);
        assert.equal((await found("when do we ship"))?.memory.text, text);
        assert.deepEqual((await found("tuesdays"))?.words, ["tuesdays"]);
        // Without an embedder, the texts themselves are searched.
        const words = openQdrant({ url: SERVER!, key, project }, TERMS_ONLY);
        assert.equal((await found("tuesdays", words))?.memory.text, text);
        assert.equal(await found("zebra", words), undefined);
        assert.deepEqual((await store.list({ agent: "sm" })).map(({ tags }) => tags), [["release"]]);
      });
    } finally {
      await send("DELETE", "");
    }
  },
});
