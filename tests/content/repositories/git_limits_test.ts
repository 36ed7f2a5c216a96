/** Does a slow, endless or broken server cost us more than its limits? */
import assert from "node:assert/strict";
import { openWorkFolder } from "../../../src/content/repositories/staging.ts";
import { problemOf } from "../../support/copies.ts";
import { type Between, canServeGit } from "../../support/git.ts";
import { serverTest, withServer } from "../../support/git_server.ts";
import { listTree, treeTest } from "../../support/trees.ts";

const ignore = !canServeGit();
if (ignore) Deno.test({ name: "git limits: no openssl or no git-http-backend here", ignore, fn() {} });

treeTest("a copy too large is found at the latest when it is complete [git:limits]", {}, async (cache) => {
  const rules = { cache, ttl: 0, timeout: 60_000, offline: false, environment: {} };
  const open = async (maxSize: number) => {
    const work = openWorkFolder({ ...rules, maxSize }, { staging: cache, name: "copy" }, undefined);
    await Deno.mkdir(`${work.folder}/a`);
    await Deno.writeTextFile(`${work.folder}/a/b.pack`, "x".repeat(20_000));
    return work;
  };
  await using roomy = await open(100_000);
  await roomy.check();
  await using tight = await open(10_000);
  await assert.rejects(tight.check(), /larger than the maximum git size of 10000 bytes/);
  assert.equal(tight.signal.aborted, true);
});

serverTest(
  "a server that does not answer hits the timeout, and no helper survives [git:limits]",
  async ({ address, fetch, rules }) => {
    const update = await fetch(address);
    assert.equal(update.outcome, "failed");
    assert.match(problemOf(update), /^fetching took longer than the git timeout of 1 s|too slow/);
    assert.deepEqual((await listTree(`${rules.cache}/.work`)).filter((name) => name.includes(".tmp-")), []);
    await untilGone(new URL(address.slice(4)).port);
  },
  {
    rules: { timeout: 1_000 },
    between: () => new Promise(() => {}),
  },
);

Deno.test("a server that never stops hits the time or size limit [git:limits]", { ignore }, async () => {
  for (
    const [rules, reason] of [
      [{ maxSize: 1_000_000, timeout: 120_000 }, /maximum git size of 1000000 bytes/],
      [{ maxSize: 1_000_000_000, timeout: 2_000 }, /git timeout of 2 s/],
    ] as const
  ) {
    await withServer(async ({ address, fetch, team }) => {
      team.commit({ "noise.bin": crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(1) });
      const update = await fetch(address);
      assert.match(problemOf(update), reason);
      await untilGone(new URL(address.slice(4)).port);
    }, { rules, between: endlessPack });
  }
});

/** The pack is right as far as it goes, but claims to hold more, which never ends. */
const endlessPack: Between = async (request, give) => {
  const answer = await give();
  if (!new URL(request.url).pathname.endsWith("/git-upload-pack")) return answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.indexOf("PACK");
  if (at < 0) return new Response(bytes, { headers: answer.headers });
  // A pack of very many objects, of which the first has very many bytes: stored blocks of deflate without an end.
  const head = new Uint8Array([
    ...new TextEncoder().encode("PACK"),
    ...Uint8Array.fromHex("00000002000f0000bfffffffff077801"),
  ]);
  const block = new Uint8Array(5 + 32_000);
  block.set([0, 0x00, 0x7d, 0xff, 0x82]);
  const line = (data: Uint8Array) => {
    const framed = new Uint8Array(data.length + 5);
    framed.set(new TextEncoder().encode((data.length + 5).toString(16).padStart(4, "0")));
    framed[4] = 1;
    framed.set(data, 5);
    return framed;
  };
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode("000dpackfile\n")),
    pull: async (stream) => {
      stream.enqueue(line(isBegun ? block : head));
      isBegun = true;
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
  });
  return new Response(body, { headers: { "content-type": answer.headers.get("content-type")! } });
};

async function untilGone(word: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { stdout } = await new Deno.Command("ps", { args: ["-eo", "args"] }).output();
    const left = new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes(`:${word}/`));
    if (left.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`a program with ${word} is still running`);
}

Deno.test("a truncated or broken pack leaves nothing behind [git:limits]", { ignore }, async () => {
  const damages: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>>> = {
    "cut off": (bytes) => bytes.slice(0, bytes.length - 100),
    "broken": (bytes) => {
      const pack = new TextDecoder("latin1").decode(bytes).indexOf("PACK");
      return bytes.map((byte, at) => at > pack + 13 && at < pack + 24 ? byte ^ 0xff : byte);
    },
  };
  for (const [damage, apply] of Object.entries(damages)) {
    const between: Between = async (request, give) => {
      const answer = await give();
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const isPack = new TextDecoder("latin1").decode(bytes).includes("PACK");
      return new Response(isPack && request.method === "POST" ? apply(bytes) : bytes, {
        headers: answer.headers,
      });
    };
    await withServer(async ({ address, fetch, rules }) => {
      const update = await fetch(address);
      assert.equal(update.outcome, "failed", damage);
      const left = await listTree(rules.cache);
      assert.deepEqual(left.map((name) => name.replace(/ \d+$|.*(?=\.(lock|failed))/g, "")), [
        ".work/",
        ".failed.json",
        ".lock",
      ]);
    }, { between });
  }
});
