/**
 * How long until the page of a board with 300 stories is painted, and how long does it take to move a card?
 *
 * In Chromium, over loopback. With the folder of another checkout, its page is opened in turns with ours; ours may take
 * 1.5 times as long. Moving a card may take 100 ms, from the request to the answer of the server.
 *
 *     deno run -A --config deno.dev.json bench/board_page.ts [OTHER_CHECKOUT]
 */
import { startBrowser, type Tab } from "../tests/browser/chromium.ts";
import { withStories } from "../tests/support/board.ts";
import { startHttp } from "../tests/support/http.ts";
import { loadNow, median, print } from "./support.ts";

const ROUNDS = 15;
const STORIES = 300;
const PAINT_LIMIT = 1.5;
const MOVE_LIMIT_MS = 100;

const [other] = Deno.args;
const startOther: typeof startHttp | undefined = other === undefined
  ? undefined
  : (await import(`file://${await Deno.realPath(other)}/tests/support/http.ts`)).startHttp;

/** Milliseconds from the navigation to the first text on the screen. */
async function paint(tab: Tab, url: string): Promise<number> {
  await tab.open(`${url}/board`, { width: 1_280, height: 900, dark: false });
  return await tab.evaluate(`new Promise((resolve) => new PerformanceObserver((list) =>
    list.getEntriesByName("first-contentful-paint").forEach(({ startTime }) => resolve(startTime))
  ).observe({ type: "paint", buffered: true }))`);
}

/** A person moves one card after the other, and the page has shown the last move by then. */
const PAUSE_MS = 500;

/** Milliseconds of each move, as the page asks for it: there and back. */
async function move(url: string, count: number): Promise<readonly number[]> {
  const html = await (await fetch(`${url}/board`)).text();
  const [, proof = ""] = /data-proof="([^"]*)"/.exec(html) ?? [];
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const fields = {
      action: "mark",
      story: "1-9-feature",
      by: "Ann",
      ...(at % 2 === 0 ? { status: "ready" } : { status: "backlog", undoes: "ready-for-dev" }),
    };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const since = performance.now();
    const answer = await fetch(`${url}/board/act`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, "x-bmad-proof": proof },
      body: JSON.stringify(fields),
    });
    const { refused } = await answer.json();
    times.push(performance.now() - since);
    if (!answer.ok || refused !== undefined) throw new Error(JSON.stringify(refused));
  }
  return times;
}

await withStories(STORIES, async (root) => {
  await Deno.mkdir(`${root}/_bmad/bmm`, { recursive: true });
  await Deno.writeTextFile(
    `${root}/_bmad/bmm/config.yaml`,
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
  );
  const args = ["--project", root, "--pack", "none"];
  await using ours = await startHttp(args);
  await using theirs = await startOther?.(args);
  await using browser = await startBrowser();
  const tab = await browser.newTab({ scripts: true });
  const paints: { readonly ours: number; readonly theirs?: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const theirPaint = theirs && await paint(tab, theirs.url);
    const times = {
      ours: await paint(tab, ours.url),
      ...(theirPaint !== undefined && { theirs: theirPaint }),
    };
    // The first one fills caches.
    if (round > 0) paints.push(times);
  }
  const own = median(paints.map((one) => one.ours));
  print(`first paint of ${STORIES} stories: ${own.toFixed(0)} ms`);
  if (theirs !== undefined) {
    const before = median(paints.map((one) => one.theirs!));
    const ratio = median(paints.map((one) => one.ours / one.theirs!));
    print(`before: ${before.toFixed(0)} ms; ${ratio.toFixed(2)} times that (limit ${PAINT_LIMIT})`);
    if (ratio > PAINT_LIMIT) Deno.exitCode = 1;
  }
  const moves = (await move(ours.url, 2 * ROUNDS + 2)).slice(2);
  print(
    `moving a card: ${median(moves).toFixed(0)} ms (limit ${MOVE_LIMIT_MS} ms; load ${loadNow()})`,
  );
  if (median(moves) > MOVE_LIMIT_MS) Deno.exitCode = 1;
});
