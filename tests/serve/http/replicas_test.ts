/**
 * Do two servers on one project, one state folder and one Qdrant server work as one, behind a proxy without affinity?
 */
import assert from "node:assert/strict";
import { connectHttp, type HttpProgram, startHttp } from "../../support/http.ts";
import { startQdrant } from "../../support/qdrant.ts";
import { withTree } from "../../support/trees.ts";

interface Proxy extends AsyncDisposable {
  readonly url: string;
  readonly answered: ReadonlyMap<string, number>;
}

/** Starts it; `targets` is asked for each request, because servers come and go. */
function startProxy(targets: () => readonly string[]): Proxy {
  const answered = new Map<string, number>();
  let turn = 0;
  const ended = new AbortController();
  const place = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: ended.signal };
  const server = Deno.serve(place, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    const body = request.method === "GET" ? undefined : await request.bytes();
    const all = targets();
    const first = turn++;
    for (const at of all.keys()) {
      const target = all[(first + at) % all.length]!;
      try {
        const answer = await fetch(`${target}${pathname}${search}`, {
          ...{ method: request.method, headers, body, redirect: "manual" },
          signal: AbortSignal.any([request.signal, ended.signal]),
        });
        answered.set(target, (answered.get(target) ?? 0) + 1);
        return answer;
      } catch (error) {
        if (!/\(Connect\)/.test(String((error as Error).cause))) break;
      }
    }
    return new Response("No server answered", { status: 502 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    answered,
    [Symbol.asyncDispose]: async () => {
      // Streams of clients may still be open.
      ended.abort();
      await server.finished;
    },
  };
}

const STORIES = Array.from({ length: 8 }, (_, at) => `1-${at + 1}-part`);
const LEDGER = "out/sprint-status.yaml";
const PROJECT = {
  "shop/_bmad/config.toml": '[core]\noutput_folder = "out"\n',
  [`shop/${LEDGER}`]: [
    "development_status:",
    "  epic-1: in-progress",
    ...STORIES.map((story) => `  ${story}: ready-for-dev`),
    "",
  ].join("\n"),
  "shop/out/work-log.jsonl": "",
  "state/": "",
};
const PEOPLE = ["Ann", "Bob", "Cho"];
const TOKEN = "0123456789abcdef";
const BEARER = { authorization: `Bearer ${TOKEN}` };

// deno-lint-ignore no-explicit-any
type Json = any;

Deno.test("two servers behind a proxy lose nothing if one ends [transport:http-replicas]", () =>
  withTree(PROJECT, async (dir) => {
    await using qdrant = startQdrant();
    const env = { BMAD_TOKEN: TOKEN, XDG_STATE_HOME: `${dir}/state`, BMAD_QDRANT_URL: qdrant.url };
    const args = ["--project", `${dir}/shop`, "--pack", "none", "--toolsets", "+memory", "--no-embedder"];
    const start = () => startHttp(args, { env });
    await using all = new AsyncDisposableStack();
    const started = async () => all.use(await start());
    const [first, second, third, fourth] = await Promise.all([started(), started(), started(), started()]);
    let servers: readonly HttpProgram[] = [first, second];
    await using proxy = startProxy(() => servers.map(({ url }) => url));

    const ready = await fetch(`${proxy.url}/ready`);
    assert.deepEqual([ready.status, await ready.json()], [200, { status: "ready" }]);

    const remembered: string[] = [];
    const holders = new Map<string, string[]>();
    const marked: string[] = [];
    /** What one person does; a call that was not answered is made again. */
    const work = async (by: string) => {
      await using connection = await again(() =>
        connectHttp("2026", `${proxy.url}/mcp`, { headers: BEARER })
      );
      const call = (name: string, args: Json): Promise<Json> =>
        again(() => connection.client.callTool({ name, arguments: args }, IN_TIME));
      for (const story of STORIES) {
        const text = `${by} was at ${story}`;
        const kept = await call("remember_structured", {
          type: "decisions",
          agent: by.toLowerCase(),
          text,
        });
        assert.ok(!kept.isError, JSON.stringify(kept));
        remembered.push(text);
        // Both end on the way, one of them without notice, and others take their places. The proxy is not told.
        if (remembered.length === STORIES.length) {
          servers = [first, second, third];
          first.signal("SIGKILL");
        } else if (remembered.length === 2 * STORIES.length) {
          servers = [first, second, third, fourth];
          second.signal("SIGTERM");
        }
        const claimed = await call("bmad_work", { operation: "claim", story, by });
        if (claimed.isError) continue;
        holders.set(story, [...holders.get(story) ?? [], by]);
        const moved = await call("bmad_work", { operation: "mark", story, status: "in-progress", by });
        assert.ok(!moved.isError, JSON.stringify(moved));
        marked.push(story);
      }
    };
    await Promise.all(PEOPLE.map(work));

    const texts = qdrant.texts();
    assert.deepEqual(remembered.filter((text) => !texts.includes(text)), [], "acknowledged memories");
    assert.equal(remembered.length, PEOPLE.length * STORIES.length);
    assert.deepEqual(
      [...holders].filter(([, names]) => names.length !== 1),
      [],
      "one holder for each story",
    );
    assert.deepEqual(marked.toSorted(), STORIES);
    const ledger = await Deno.readTextFile(`${dir}/shop/${LEDGER}`);
    assert.deepEqual(STORIES.filter((story) => !ledger.includes(`${story}: in-progress`)), []);
    assert.equal(proxy.answered.size, 4, JSON.stringify([...proxy.answered]));

    // Each server shows the same, and a page of one acts at the other.
    const pages = await Promise.all(
      [third, fourth].map(async ({ url }) => await (await fetch(`${url}/board`, { headers: BEARER })).text()),
    );
    const holderOf = (html: string) =>
      STORIES.map((story) => PEOPLE.find((name) => cardOf(html, story).includes(name)));
    assert.deepEqual(holderOf(pages[0]!), holderOf(pages[1]!));
    assert.deepEqual(holderOf(pages[0]!), STORIES.map((story) => holders.get(story)![0]));
    const { url } = fourth;
    const acted = await fetch(`${url}/board/act`, {
      method: "POST",
      headers: {
        ...{ ...BEARER, origin: url, "content-type": "application/json" },
        "x-bmad-proof": /data-proof="([^"]*)"/.exec(pages[0]!)![1]!,
      },
      body: JSON.stringify({ action: "release", story: STORIES[0], by: holders.get(STORIES[0]!)![0] }),
    });
    assert.deepEqual([acted.status, "text" in await acted.json()], [200, true]);
  }));

function cardOf(html: string, story: string): string {
  const [, ...cards] = html.split("data-story=");
  return cards.find((card) => card.startsWith(`"${story}"`)) ?? assert.fail(`no card of ${story}`);
}

/** A client may not be told that a server was killed in the middle of an answer. */
const IN_TIME = { timeout: 10_000 };

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 5;; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
