/** Does long work let itself be stopped and followed? */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { openApp } from "../../src/app.ts";
import { resolveConfig } from "../support/config.ts";
import { denoHost } from "../../src/process/host.ts";
import { listLibrary, openLibrary, searchLibrary } from "../../src/content/library/mod.ts";
import {
  forEachPaced,
  giveWay,
  type Interruptible,
  knowRequests,
  noteArrival,
  onAbort,
  requestNow,
  runInSlices,
  systemTimer,
  type Work,
  yieldToRequests,
} from "../../src/base/work.ts";
import { opening } from "../support/library.ts";
import { treeTest, withTree } from "../support/trees.ts";

/** Many agents in two origins, and as many pages with a reference each. */
const treeOf = (agents: number) =>
  Object.fromEntries(
    Array.from({ length: agents }, (_, i) => [
      [`one/bmad/sea/agents/scout-${i}.md`, `---\nname: scout-${i}\ndescription: ./page-${i}.md\n---\n`],
      [`two/bmad/sea/agents/scout-${i}.md`, `---\nname: scout-${i}\ndescription: Looks out\n---\n`],
    ]).flat(),
  );

/** How many agents give at least two notices, and the work. */
const WORK: Readonly<
  Record<
    string,
    readonly [number, (library: Parameters<typeof listLibrary>[0], watch: Work) => Promise<unknown>]
  >
> = {
  "a list of conflicts": [200, (library, watch) => listLibrary(library, { what: "conflicts" }, watch)],
  "a doctor's look": [450, (library, watch) => listLibrary(library, { what: "doctor" }, watch)],
  "a first search": [1_100, (library, watch) => searchLibrary(library, { words: "scout-7" }, watch)],
};

for (const [name, [agents, work]] of Object.entries(WORK)) {
  Deno.test(`${name} that nobody waits for stops, and is whole the next time [client:cancellation]`, () =>
    withTree(treeOf(agents), async (dir) => {
      const openings = [opening("project", 1, `${dir}/one`), opening("cli", 2, `${dir}/two`)];
      const library = await openLibrary(openings);
      let notices = 0;
      const giveUp = new AbortController();
      const watch = { signal: giveUp.signal, progress: () => ++notices === 2 && giveUp.abort("enough") };
      await assert.rejects(() => work(library, watch).catch((reason) => Promise.reject(Error(reason))), {
        message: "enough",
      });
      assert.equal(notices, 2);
      assert.deepEqual(await work(library, {}), await work(await openLibrary(openings), {}));
    }));
}

Deno.test("what several ask for at once is worked out once, and goes on as long as one of them waits", () =>
  withTree(treeOf(200), async (dir) => {
    const openings = [opening("project", 1, `${dir}/one`), opening("cli", 2, `${dir}/two`)];
    const library = await openLibrary(openings);
    const heard = { impatient: 0, patient: 0 };
    const giveUp = new AbortController();
    const watches: Work[] = [
      { signal: giveUp.signal, progress: () => void (++heard.impatient === 3 && giveUp.abort("enough")) },
      { progress: () => void heard.patient++ },
    ];
    const list = (watch: Work) => listLibrary(library, { what: "conflicts" }, watch);
    const impatient = list(watches[0]!).catch((reason) => reason);
    const [rows, same] = await Promise.all([list(watches[1]!), list({})]);
    assert.equal(await impatient, "enough");
    assert.equal(rows, same, "both get the one list");
    assert.ok(rows.length > 200);
    assert.ok(heard.impatient === 3 && heard.patient > 3, JSON.stringify(heard));
  }));

const LARGE_INSTALLATION = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules:\n  - name: sea\n",
  "_bmad/_config/agent-manifest.csv": "name,displayName,title,icon,role,identity,module,path\n" +
    Array.from(
      { length: 1_500 },
      (_, i) =>
        `"scout-${i}","Scout ${i}","Scout of the sea","","Looks out","Somebody","sea","_bmad/sea/agents/scout-${i}.md"\n`,
    )
      .join(""),
  "_bmad/sea/agents/scout-7.md": "---\nname: scout-7\ndescription: Looks out\n---\nLook.\n",
};

treeTest("a long first inventory reports its progress [client:progress]", LARGE_INSTALLATION, async (dir) => {
  const host = denoHost(dir);
  const args = ["--project", dir, "--pack", "none"];
  const app = openApp(resolveConfig({ ...host, home: undefined, args, env: () => undefined }), host);
  assert.equal((await app.overview()).isEstimate, true);
  const heard: string[] = [];
  const hearing = (name: string) =>
    app.forRequest({ progress: (...facts) => heard.push(`${name} ${facts.join(" ")}`) });
  const scouts = ["one", "two"].map((name) => hearing(name).resolve({ name: "scout-7" }));
  assert.deepEqual((await Promise.all(scouts)).map(({ id }) => id), ["scout-7", "scout-7"]);
  assert.deepEqual(heard, ["one 0 1 Reading sources", "two 0 1 Reading sources"]);

  const stopped = app.forRequest({ signal: AbortSignal.abort(new Error("enough")) });
  await assert.rejects(stopped.resolve({ name: "scout-7" }), { message: "enough" });
  assert.equal((await hearing("three").resolve({ name: "scout-7" })).id, "scout-7");
  assert.equal(heard.length, 2);
});

Deno.test("values are taken in order, and others get a turn on the way", async () => {
  const seen: (number | string)[] = [];
  const values = Array.from({ length: 300 }, (_, i) => i);
  yieldToRequests().then(() => seen.push("others"));
  await forEachPaced(values, { name: "Counting", stride: 128 }, {
    progress: (done, total, phase) => seen.push(`${phase} ${done} of ${total}`),
  }, (value) => seen.push(value));
  assert.deepEqual(seen.filter((one) => typeof one === "number"), values);
  assert.deepEqual(seen.filter((one) => typeof one === "string"), [
    "Counting 128 of 300",
    "others",
    "Counting 256 of 300",
  ]);
});

Deno.test("a turn is everybody's: timers end and files are read meanwhile", async () => {
  let [isTimeUp, isRead] = [false, false];
  systemTimer.after(1, () => isTimeUp = true);
  Deno.readFile(new URL(import.meta.url)).then(() => isRead = true);
  for (let turns = 0; turns < 100_000 && !(isTimeUp && isRead); turns++) await yieldToRequests();
  assert.deepEqual([isTimeUp, isRead], [true, true]);
});

Deno.test("a turn is also that of sockets: a request is answered while work goes on", async () => {
  const server = createServer((_, response) => void response.end("here"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let answer: string | undefined;
  const { port } = server.address() as { readonly port: number };
  const asked = fetch(`http://127.0.0.1:${port}/`).then(async (response) => answer = await response.text());
  let turns = 0;
  for (; turns < 200 && answer === undefined; turns++) {
    for (const begun = performance.now(); performance.now() - begun < 10;);
    await yieldToRequests();
  }
  await asked;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  // With messages alone, about 90.
  assert.ok(turns < 50, `${turns} turns`);
});

Deno.test("only work that goes on for a while gives way, unless something has just arrived", async () => {
  const { timeout } = AbortSignal;
  let timers = 0;
  AbortSignal.timeout = (ms) => {
    timers++;
    return timeout.call(AbortSignal, ms);
  };
  const work = () => {
    for (const begun = performance.now(); performance.now() - begun < 60;);
  };
  try {
    noteArrival();
    work();
    assert.equal(await giveWay(), true);
    assert.ok(timers > 0);
    timers = 0;
    assert.equal(await giveWay(), false);
    work();
    noteArrival();
    assert.equal(await giveWay(), false);
    assert.equal(timers, 0);
  } finally {
    AbortSignal.timeout = timeout;
  }
});

function* slowSteps(count: number, step: (at: number) => void): Interruptible<string> {
  for (let at = 0; at < count; at++) {
    for (const begun = performance.now(); performance.now() - begun < 5;);
    step(at);
    yield;
  }
  return "done";
}

/** How many answers a client gets from this process, one after the other, while it works. */
async function answersDuring(work: () => Promise<unknown>): Promise<number> {
  const server = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const echo = server.accept().then((connection) => connection.readable.pipeTo(connection.writable));
  const { port } = server.addr as Deno.NetAddr;
  const connection = await Deno.connect({ port });
  let [isDone, answers] = [false, 0];
  const working = work().finally(() => isDone = true);
  while (!isDone) {
    await connection.write(new Uint8Array(1));
    await connection.read(new Uint8Array(1));
    answers++;
  }
  await working;
  connection.close();
  server.close();
  await echo;
  return answers;
}

Deno.test("what arrives while work goes on in steps is read in every turn", async () => {
  const answers = await answersDuring(() => runInSlices(slowSteps(120, () => {})));
  // About 1,000. With timers that have ended before they are waited for, 10; with messages to ourselves, 1.
  assert.ok(answers > 30, `${answers} answers`);
});

Deno.test("what arrives while several work in pieces is read between the pieces [load:lanes]", async () => {
  const pieces = async () => {
    for (let piece = 0; piece < 40; piece++) {
      for (const begun = performance.now(); performance.now() - begun < 12;);
      await yieldToRequests();
    }
  };
  const answers = await answersDuring(() => Promise.all([pieces(), pieces(), pieces()]));
  // About 200. When the timer of one has ended while another works, 15.
  assert.ok(answers > 60, `${answers} answers`);
});

Deno.test("work in steps gives its result, and others get a turn on the way", async () => {
  const seen: (number | string)[] = [];
  const beat = setInterval(() => seen.push("others"));
  assert.equal(await runInSlices(slowSteps(40, (at) => seen.push(at))), "done");
  clearInterval(beat);
  assert.deepEqual(seen.filter((one) => typeof one === "number"), Array.from({ length: 40 }, (_, at) => at));
  assert.ok(seen.filter((one) => one === "others").length > 1, seen.join(" "));
});

Deno.test("several works in steps take turns: others need not wait for all of them", async () => {
  const seen: string[] = [];
  const works = ["a", "b", "c", "d"].map((name) => runInSlices(slowSteps(40, () => seen.push(name))));
  const beat = setInterval(() => seen.push("."));
  await Promise.all(works);
  clearInterval(beat);
  // The first turns of all come at once.
  const [, ...later] = seen.join("").split(/\.+/).map((turn) => new Set(turn).size);
  assert.ok(later.length > 4, seen.join(""));
  assert.ok(later.filter((count) => count > 1).length <= later.length / 4, seen.join(""));
});

/** Who goes on, from the first turn of a short work to its last, while several long ones are under way. */
async function turnsBeside(
  long: number,
  clientOf: (name: string) => string,
  turnsBefore: number,
): Promise<readonly string[]> {
  const asked = new AsyncLocalStorage<ReturnType<typeof noteArrival>>();
  knowRequests(() => asked.getStore());
  const seen: string[] = [];
  const ask = async (name: string, turns: number) => {
    const request = noteArrival();
    await asked.run(request, async () => {
      requestNow().client = clientOf(name);
      for (let turn = 0; turn < turns; turn++) {
        seen.push(name);
        await yieldToRequests();
      }
    });
    request.answered();
  };
  try {
    const working = Array.from({ length: long }, () => ask("long", 30));
    while (seen.length < turnsBefore) await yieldToRequests();
    await ask("short", 6);
    await Promise.all(working);
  } finally {
    knowRequests(() => undefined);
  }
  return seen.slice(seen.indexOf("short"), seen.lastIndexOf("short"));
}

Deno.test("work that has had few turns goes on before work that has had many [load:turns]", async () => {
  const between = await turnsBeside(2, () => "ann", 40);
  assert.ok(between.filter((name) => name === "long").length <= 2, between.join(" "));
});

Deno.test("turns go round between clients, however much one of them asks for [load:turns]", async () => {
  const between = await turnsBeside(6, (name) => name === "short" ? "ben" : "ann", 0);
  assert.ok(between.filter((name) => name === "long").length <= 6, between.join(" "));
});

Deno.test("what may soon be done waits for nobody's long work [load:turns]", async () => {
  const between = await turnsBeside(2, (name) => name, 40);
  assert.ok(between.filter((name) => name === "long").length <= 1, between.join(" "));
});

Deno.test("an abort calls back once, also if it was before, and not after the callback was cancelled", () => {
  const called: string[] = [];
  onAbort(AbortSignal.abort(), () => called.push("before"));
  const controller = new AbortController();
  onAbort(controller.signal, () => called.push("now"));
  onAbort(controller.signal, () => called.push("cancelled"))();
  assert.deepEqual(called, ["before"]);
  controller.abort();
  controller.abort();
  assert.deepEqual(called, ["before", "now"]);
});
