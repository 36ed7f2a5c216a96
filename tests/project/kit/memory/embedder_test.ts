/** Does the built-in embedder serve many callers from its worker, and abort well? */
import assert from "node:assert/strict";
import { dotProduct as cosine } from "../../../../src/base/ranking.ts";
import { BmadError } from "../../../../src/base/errors.ts";
import { type Embedder, openEmbedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import { MEMORY_FILES } from "../../../../src/project/kit/memory/files.ts";
import { CONTENT } from "../../../support/recall.ts";

async function withEmbedder(
  work: (embedder: Embedder) => Promise<void>,
  contentDir = CONTENT,
  idleTime?: number,
): Promise<void> {
  const embedder = openEmbedder(contentDir, idleTime)!;
  try {
    await work(embedder);
  } finally {
    embedder.close();
  }
}

const LONG = "a memory that goes on and on ".repeat(100);

Deno.test("similar meanings get similar vectors [memory:offline]", () =>
  withEmbedder(async (embedder) => {
    const [asked, right, wrong] = await embedder.embed([
      "How long do access tokens live?",
      "JWT expiry must be 15 min",
      "The logo is green",
    ]);
    assert.equal(asked!.length, embedder.dimensions);
    assert.ok(Math.abs(cosine(asked!, asked!) - 1) < 1e-5);
    assert.ok(cosine(asked!, right!) > 0.3 && cosine(asked!, wrong!) < 0.15);
  }));

Deno.test("vectors come in the order of the texts", () =>
  withEmbedder(async (embedder) => {
    assert.deepEqual(await embedder.embed([]), []);
    const together = await embedder.embed(["one", "two", "three"]);
    for (const [at, text] of ["one", "two", "three"].entries()) {
      assert.deepEqual((await embedder.embed([text]))[0], together[at]);
    }
  }));

Deno.test("the program stays responsive while a long text is embedded", () =>
  withEmbedder(async (embedder) => {
    await embedder.embed(["warm"]);
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    await embedder.embed([LONG]);
    clearInterval(ticking);
    assert.ok(turns > 3, `only ${turns} turns`);
  }));

Deno.test("callers take turns: a question does not wait for the end of an import", () =>
  withEmbedder(async (embedder) => {
    const done: string[] = [];
    const whole = embedder.embed(Array(8).fill("a memory of an import")).then(() => done.push("import"));
    const question = embedder.embed(["a question"]).then(() => done.push("question"));
    await Promise.all([whole, question]);
    assert.deepEqual(done, ["question", "import"]);
  }));

Deno.test("an aborted call fails at once with the reason, and the others get their vectors", () =>
  withEmbedder(async (embedder) => {
    const giving = new AbortController();
    const reason = new Error("no longer wanted");
    const given = embedder.embed(Array(50).fill(LONG), giving.signal);
    const other = embedder.embed(["still wanted"]);
    giving.abort(reason);
    await assert.rejects(given, reason);
    await assert.rejects(embedder.embed(["late"], giving.signal), reason);
    assert.equal((await other).length, 1);
  }));

Deno.test("an idle worker is terminated, and the next text starts another", () =>
  withEmbedder(
    async (embedder) => {
      const [before] = await embedder.embed(["the same text"]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const [after] = await embedder.embed(["the same text"]);
      assert.deepEqual(after, before);
    },
    CONTENT,
    1,
  ));

Deno.test("calls fail when the embedder is closed", async () => {
  const embedder = openEmbedder(CONTENT)!;
  const waiting = [embedder.embed([LONG]), embedder.embed(["next"])];
  embedder.close();
  for (const call of waiting) await assert.rejects(call, /Project memory is unavailable: .*closed/);
});

Deno.test("without its weights there is no embedder", () => {
  assert.equal(openEmbedder(`${CONTENT}/blobs`), undefined);
});

Deno.test("weights or a worker that cannot be used fail the call, not the program", async () => {
  const contentDir = await Deno.makeTempDir();
  const folder = `${contentDir}/${MEMORY_FILES.folder}`;
  try {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/${MEMORY_FILES.weights}`, "no weights at all");
    const isUnavailable = (error: unknown) =>
      error instanceof BmadError && error.failure.code === "memory-unavailable";
    await withEmbedder((embedder) => assert.rejects(embedder.embed(["a"]), isUnavailable), contentDir);
    for (const name of MEMORY_FILES.worker) {
      await Deno.copyFile(`${CONTENT}/${MEMORY_FILES.folder}/${name}`, `${folder}/${name}`);
    }
    await withEmbedder(async (embedder) => {
      await assert.rejects(embedder.embed(["a"]), isUnavailable);
      await assert.rejects(embedder.embed(["b"]), isUnavailable);
    }, contentDir);
  } finally {
    await Deno.remove(contentDir, { recursive: true });
  }
});

Deno.test("the embedded worker equals its source; otherwise run `deno task embed`", async () => {
  const source = new URL("../../../../src/project/kit/memory/embed/", import.meta.url);
  for (const name of MEMORY_FILES.worker) {
    const text = await Deno.readTextFile(new URL(name, source));
    assert.equal(await Deno.readTextFile(`${CONTENT}/${MEMORY_FILES.folder}/${name}`), text, name);
    for (const [, imported] of text.matchAll(/\bfrom "\.\/([^"]+)"/g)) {
      assert.ok(
        (MEMORY_FILES.worker as readonly string[]).includes(imported!),
        `${name} imports ${imported}`,
      );
    }
    assert.doesNotMatch(text, /\bfrom "(?!\.\/)/);
  }
});

Deno.test("licences and notices are next to the weights", async () => {
  const read = (name: string) => Deno.readTextFile(`${CONTENT}/${MEMORY_FILES.folder}/${name}`);
  assert.match(await read("LICENSE"), /Apache License\s+Version 2\.0/);
  assert.match(await read("LICENSE.package"), /MIT License/);
  for (const name of ["all-MiniLM-L6-v2", "bert-base-uncased", "Changed by bmad-mcp"]) {
    assert.ok((await read("NOTICE")).includes(name), name);
  }
});
