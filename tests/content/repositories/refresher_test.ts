/** Are repositories kept fresh for as long as they are served, each when it is due and never in a loop? */
import assert from "node:assert/strict";
import { openRefresher, type Refresher } from "../../../src/content/repositories/update.ts";
import { HOUR, located, openTestCache } from "../../support/copies.ts";
import { type Repository, withRepositories } from "../../support/git.ts";
import { until } from "../../support/waiting.ts";

interface Scene {
  readonly team: Repository;
  readonly refresher: Refresher;
  /** Advances the clock, and waits until what is then due is done. */
  pass(ms: number): Promise<void>;
  timer(): number;
  changes(): number;
  /** The texts of `one.md` in all copies. */
  texts(): readonly string[];
  clear(): void;
}

function scene(play: (scene: Scene) => Promise<void>, address?: (team: Repository) => string): Promise<void> {
  return withRepositories(async ({ dir, make }) => {
    const team = make("team", { "one.md": "first" });
    const { rules } = openTestCache(dir);
    let ahead = 0;
    let changes = 0;
    const now = () => Date.now() + ahead;
    const timers = new Set<{ readonly due: number; readonly call: () => void }>();
    const refresher = openRefresher({
      repositories: [located(address?.(team) ?? team.address)],
      rules,
      clock: {
        now,
        after: (ms, call) => {
          const timer = { due: now() + ms, call };
          timers.add(timer);
          return () => timers.delete(timer);
        },
      },
      changed: () => {
        changes++;
        return Promise.resolve();
      },
    });
    const texts = () =>
      [...Deno.readDirSync(rules.cache)].filter(({ name }) => name !== ".work")
        .map(({ name }) => Deno.readTextFileSync(`${rules.cache}/${name}/one.md`)).sort();
    await play({
      team,
      refresher,
      changes: () => changes,
      texts,
      clear: () => Deno.removeSync(rules.cache, { recursive: true }),
      timer: () => {
        assert.equal(timers.size, 1);
        return timers.values().next().value!.due - now();
      },
      pass: async (ms) => {
        ahead += ms;
        for (const timer of [...timers].filter(({ due }) => due <= now())) {
          timers.delete(timer);
          timer.call();
        }
        for (let tries = 0; tries < 500 && timers.size === 0; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
    });
  });
}

function unexpected(problem: string): never {
  throw new Error(problem);
}

Deno.test("a server that runs for days fetches once a day [git:cache-ttl]", () =>
  scene(async ({ team, refresher, pass, timer, changes, texts, clear }) => {
    const stop = refresher.start(unexpected);
    assert.ok(timer() > 0 && timer() <= 500);
    await pass(500);
    assert.deepEqual([texts(), changes()], [["first"], 1]);
    team.commit({ "one.md": "second" });
    for (let hour = 0; hour < 23; hour++) {
      // It checks from time to time whether the copy still exists.
      assert.ok(timer() <= HOUR / 6);
      await pass(HOUR);
    }
    assert.deepEqual([texts(), changes()], [["first"], 1]);
    await pass(HOUR);
    assert.deepEqual([texts(), changes()], [["first", "second"], 2]);
    clear();
    await pass(HOUR);
    assert.deepEqual([texts(), changes()], [["second"], 3]);
    stop();
    assert.deepEqual(refresher.fetching(), []);
  }));

Deno.test("a failure is retried after 1, 5, 25 minutes, then daily [git:failure-reported]", () =>
  scene(async ({ refresher, pass, changes, team, texts }) => {
    const stop = refresher.start(unexpected);
    await pass(500);
    assert.equal(changes(), 1);
    for (const minutes of [1, 5, 25]) await pass(minutes * HOUR / 60);
    assert.equal(changes(), 4);
    team.commit({ "one.md": "late" }, { branch: "later" });
    for (let hour = 0; hour < 23; hour++) await pass(HOUR);
    assert.deepEqual([texts(), changes()], [[], 4]);
    await pass(HOUR);
    assert.deepEqual([texts(), changes()], [["late"], 5]);
    stop();
  }, (team) => `${team.address}#later`));

Deno.test("waiting for repositories begins before the first fetch, and has a limit", () =>
  scene(async ({ refresher, pass, team }) => {
    await refresher.whenIdle(1_000);
    const stop = refresher.start(unexpected);
    await until("the fetch has begun", () => refresher.fetching().length > 0);
    assert.deepEqual(refresher.fetching(), [team.address]);
    let isSettled = false;
    const settled = refresher.whenIdle(1_000_000).then(() => isSettled = true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isSettled, false);
    await pass(500);
    await pass(0);
    await settled;
    assert.deepEqual(refresher.fetching(), []);
    stop();
    // Stopping it ends the waiting, too.
    refresher.start(unexpected)();
    await refresher.whenIdle(1_000);
  }));
