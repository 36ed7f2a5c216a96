/**
 * Do all stores behave alike? One suite, which always runs on a file, and on a Qdrant server if `BMAD_QDRANT_URL`
 * names one.
 */
import assert from "node:assert/strict";
import type { Embedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import type { Work } from "../../../../src/base/work.ts";
import type { MemoryStore, Rankers } from "../../../../src/project/kit/memory/store/store.ts";
import { memoryOf, STORES, TERMS_ONLY, withRankers } from "../../../support/memories.ts";

const TEAM = [
  { text: "JWT expiry must be 15 min", tags: ["auth", "jwt"] },
  { text: "The shop must stay open while the database is migrated", type: "stories", agent: "pm" },
  { text: "Nobody had run the tests before the release", type: "failures", agent: "qa" },
  { text: "Les mots de passe sont hachés avec Argon2", type: "agent-learnings" },
  { text: "The design system uses an 8 px grid", type: "shared-context", agent: "ux-designer" },
  { text: "Billing code is reviewed by two people", agent: "architect" },
] as const;

for (const { name, ignore, use } of STORES) {
  const test = (
    title: string,
    fn: (store: MemoryStore, open: (rankers: Rankers) => MemoryStore) => Promise<void>,
  ) =>
    Deno.test(`in ${name}, ${title}`, { ignore }, () =>
      use(async (open) => {
        const store = open(TERMS_ONLY);
        await fn(store, open).finally(() => store.close());
      }));

  Deno.test({
    name:
      `in ${name}, memories are found by meaning and by words, in two languages [memory:recall, memory:french]`,
    ignore,
    fn: () =>
      use((open) =>
        withRankers(async (rankers) => {
          const store = open(rankers);
          const { isSemantic } = await store.remember(await Promise.all(TEAM.map(memoryOf)));
          assert.ok(isSemantic);
          const best = async (query: string, filter = {}) => {
            const { hits, isSemantic } = await store.recall({ query, limit: 3, ...filter });
            assert.ok(isSemantic);
            return hits.map(({ memory }) => memory.text);
          };
          assert.equal((await best("How long do access tokens live?"))[0], TEAM[0].text);
          assert.equal((await best("Combien de temps un jeton est-il valable ?"))[0], TEAM[0].text);
          assert.equal((await best("password hashing"))[0], TEAM[3].text);
          assert.equal((await best("jwt"))[0], TEAM[0].text);
          assert.deepEqual(await best("the migration of data", { agent: "pm" }), [TEAM[1].text]);
          const { hits: [hit] } = await store.recall({ query: "expiry of JWT", limit: 1 });
          assert.deepEqual(hit!.words, ["expiry", "jwt"]);
          assert.ok(hit!.score > 0.4 && hit!.lexical > 0 && hit!.semantic! > 0.4, JSON.stringify(hit));
          assert.equal((await store.status()).withoutVector, 0);
          store.close();
        })
      ),
  });

  test("a memory that replaces another is found by its new text", async (store, open) => {
    const head =
      "In this project, as everybody knows by now, we have talked about this for a very long time and in the end we all agreed, after much back and forth, that ";
    await withRankers(async (rankers) => {
      const [before, after] = [
        await memoryOf({ text: `${head}cats are welcome` }),
        await memoryOf({ text: `${head}invoices are blue` }),
      ];
      assert.equal(before.id, after.id);
      const own = open(rankers), other = open(rankers);
      assert.deepEqual((await own.remember([before])).outcomes, ["new"]);
      assert.equal((await other.recall({ query: "cats", limit: 1 })).hits[0]?.memory.text, before.text);
      assert.deepEqual((await own.remember([after])).outcomes, ["changed"]);
      const { hits: [hit] } = await other.recall({ query: "colour of invoices", limit: 1 });
      assert.deepEqual([hit?.memory.text, hit?.words], [after.text, ["invoices"]]);
      assert.deepEqual(
        (await other.recall({ query: "cats", limit: 1 })).hits.map(({ words }) => words).flat(),
        [],
      );
      own.close();
      other.close();
    });
    assert.equal((await store.list({})).length, 1);
  });

  test("the same text twice is one memory, which keeps its date and takes new tags", async (store) => {
    const memory = await memoryOf({ text: "Use feature flags", createdAt: "2025-12-31T23:59:59.999" });
    assert.deepEqual((await store.remember([memory])).outcomes, ["new"]);
    const later = { ...memory, createdAt: "2026-05-05T05:05:05.000" };
    assert.deepEqual((await store.remember([later])).outcomes, ["same"]);
    assert.deepEqual((await store.remember([{ ...later, tags: ["flags"] }])).outcomes, ["changed"]);
    assert.deepEqual(await store.list({}), [{ ...memory, tags: ["flags"] }]);
    assert.equal((await store.recall({ query: "flags", limit: 5 })).hits.length, 1);
  });

  test("two types can hold the same text of the same agent", async (store) => {
    const memory = await memoryOf({ text: "Ship on Tuesdays" });
    await store.remember([memory, { ...memory, type: "stories" }]);
    const types = (await store.recall({ query: "Tuesdays", limit: 5 })).hits.map(({ memory }) => memory.type);
    assert.deepEqual(types.toSorted(), ["decisions", "stories"]);
    assert.equal(await store.forget([memory.id], { type: "stories" }), 1);
    assert.deepEqual((await store.list({})).map(({ type }) => type), ["decisions"]);
  });

  test("lists and questions can be limited to a type, to an agent, and to a number", async (store) => {
    await store.remember(await Promise.all(TEAM.map(memoryOf)));
    const texts = async (filter = {}) => (await store.list(filter)).map(({ text }) => text);
    assert.equal((await texts()).length, TEAM.length);
    assert.deepEqual(await texts({ type: "failures" }), [TEAM[2].text]);
    assert.deepEqual(await texts({ agent: "architect" }), [TEAM[5].text]);
    assert.deepEqual(await texts({ agent: "architect", type: "stories" }), []);
    const found = async (filter = {}, limit = 9) =>
      (await store.recall({ query: "the release of the database code", limit, ...filter })).hits
        .map(({ memory }) => memory.text);
    assert.deepEqual((await found()).toSorted(), [TEAM[5].text, TEAM[2].text, TEAM[1].text].toSorted());
    assert.deepEqual(await found({ agent: "qa" }), [TEAM[2].text]);
    assert.deepEqual(await found({ type: "stories", agent: "pm" }), [TEAM[1].text]);
    assert.deepEqual(await found({ type: "stories", agent: "qa" }), []);
    assert.equal((await found({}, 2)).length, 2);
  });

  test("without an embedder, answers say that only terms were compared", async (store) => {
    const remembered = await store.remember(await Promise.all(TEAM.map(memoryOf)));
    assert.equal(remembered.isSemantic, false);
    const { hits, isSemantic } = await store.recall({ query: "JWT", limit: 5 });
    assert.deepEqual([isSemantic, hits.length, hits[0]?.semantic], [false, 1, undefined]);
    assert.deepEqual((await store.recall({ query: "zebra", limit: 5 })).hits, []);
    assert.deepEqual((await store.recall({ query: "?!", limit: 5 })).hits, []);
    assert.equal((await store.status()).withoutVector, TEAM.length);
  });

  test("a memory without a vector gets one when it is remembered again", async (store, open) => {
    const memory = await memoryOf({ text: "JWT expiry must be 15 min" });
    await store.remember([memory]);
    assert.equal((await store.status()).withoutVector, 1);
    await withRankers(async (rankers) => {
      const own = open(rankers);
      assert.deepEqual((await own.remember([memory])).outcomes, ["same"]);
      assert.equal((await own.status()).withoutVector, 0);
      const { hits } = await own.recall({ query: "How long do access tokens live?", limit: 1 });
      assert.deepEqual(hits.map((hit) => hit.memory), [memory]);
      own.close();
    });
  });

  test("memories that are remembered concurrently are embedded once each", async (_, open) => {
    const embedded: string[] = [];
    const embedder: Embedder = {
      id: "counting",
      dimensions: 384,
      embed: async (texts) => {
        embedded.push(...texts);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return texts.map(() => new Float32Array(384).fill(384 ** -0.5));
      },
      close: () => {},
    };
    const own = open({ ...TERMS_ONLY, embedder });
    const texts = Array.from({ length: 12 }, (_, at) => `Thing number ${at}`);
    await Promise.all(texts.map(async (text) => await own.remember([await memoryOf({ text })])));
    assert.deepEqual(embedded.toSorted(), texts.toSorted());
    assert.equal((await own.status()).withoutVector, 0);
    own.close();
  });

  test("an aborted request ends at once", async (store, open) => {
    const memory = await memoryOf({ text: "Somebody wanted to keep this" });
    const tasks: Readonly<Record<string, (own: MemoryStore, waiting: Work) => Promise<unknown>>> = {
      remember: (own, waiting) => own.remember([memory], waiting),
      recall: (own, waiting) => own.recall({ query: "anything", limit: 5 }, waiting),
    };
    for (const [name, task] of Object.entries(tasks)) {
      const waits = new AbortController();
      // An embedder that never finishes, and aborts the request that it works for.
      const embedder: Embedder = {
        id: "endless",
        dimensions: 384,
        embed: (_, signal) =>
          new Promise((_, reject) => {
            signal!.addEventListener("abort", () => reject(signal!.reason));
            waits.abort(new Error("nobody waits"));
          }),
        close: () => {},
      };
      const own = open({ ...TERMS_ONLY, embedder });
      await assert.rejects(task(own, { signal: waits.signal }), /nobody waits/, name);
      own.close();
    }
    const late = await memoryOf({ text: "Nobody wants to keep this" });
    await assert.rejects(store.remember([late], { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.ok(!(await store.list({})).some(({ id }) => id === late.id));
  });

  test("every text comes back unchanged", async (store) => {
    const texts = [
      "  two  blanks ",
      "élève 日本語 🌿 \u0301",
      "quotes \" ' ; DROP TABLE memory; --",
      "a\nb\r\nc\td",
      "x".repeat(16_000),
      '"NEAR(" OR * AND ^',
    ];
    await store.remember(await Promise.all(texts.map((text) => memoryOf({ text, tags: ["é", "tag"] }))));
    const listed = (await store.list({})).map(({ text }) => text);
    assert.deepEqual(listed.toSorted(), texts.toSorted());
    assert.deepEqual(
      (await store.recall({ query: '" OR * NEAR(日本語', limit: 5 })).hits.map(({ memory }) => memory.text)
        .includes(texts[1]!),
      true,
    );
  });

  test("a forgotten memory is gone from lists and answers, for every program", async (store, open) => {
    const [first, second] = [
      await memoryOf({ text: "Cats are welcome" }),
      await memoryOf({ text: "Cats need food" }),
    ];
    await store.remember([first, second]);
    const other = open(TERMS_ONLY);
    assert.equal((await other.recall({ query: "cats", limit: 5 })).hits.length, 2);
    assert.equal(await store.forget([first.id, crypto.randomUUID()], {}), 1);
    assert.deepEqual((await other.recall({ query: "cats", limit: 5 })).hits.map(({ memory }) => memory), [
      second,
    ]);
    assert.deepEqual(await other.list({}), [second]);
    assert.equal(await other.forget([first.id], {}), 0);
    other.close();
  });

  test("lists have the newest first, however long they are", async (store) => {
    const days = Array.from(
      { length: 1_100 },
      (_, at) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, -1),
    );
    await store.remember(
      await Promise.all(days.map((createdAt, at) => memoryOf({ text: `Fact ${at}`, createdAt }))),
    );
    assert.deepEqual((await store.list({})).map(({ createdAt }) => createdAt), days.toReversed());
    assert.equal((await store.status()).counts.decisions, days.length);
    assert.equal((await store.recall({ query: "fact", limit: 50 })).hits.length, 50);
  });

  test("several writers at once lose nothing", async (store, open) => {
    const others = Array.from({ length: 4 }, () => open(TERMS_ONLY));
    await Promise.all(others.map(async (other, writer) => {
      for (let at = 0; at < 10; at++) {
        await other.remember([await memoryOf({ text: `Writer ${writer} says ${at}` })]);
      }
    }));
    assert.equal((await store.list({})).length, 40);
    for (const other of others) other.close();
  });
}
