/**
 * How does a test move the clock of a live library, and write the files that it reads?
 *
 * Files get their times from the clock, so that a test decides what is recent.
 */
import assert from "node:assert/strict";
import { resolveConfig } from "./config.ts";
import { testsOver } from "./library.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import { type Live, openLive } from "../../src/content/live/mod.ts";
import type { Change } from "../../src/content/library/mod.ts";
import { withTree } from "./trees.ts";
import { until } from "./waiting.ts";

export type HandClock = ReturnType<typeof handClock>;

export function handClock() {
  // The real time of the test does not count: on a busy machine anything takes long.
  const begun = Date.now();
  let ahead = 60_000;
  let untilSleep = 0, asleep = 0;
  const now = () => begun + ahead;
  const timers = new Set<{ readonly due: number; readonly call: () => void }>();
  return {
    now: () => {
      if (untilSleep > 0 && --untilSleep === 0) ahead += asleep;
      return now();
    },
    /** Makes the machine sleep for so long right before the time is read for the nth time from now. */
    sleep: (ms: number, asked: number) => {
      [asleep, untilSleep] = [ms, asked];
    },
    after: (ms: number, call: () => void) => {
      const timer = { due: now() + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms: number) => {
      ahead += ms;
      for (const timer of [...timers].filter(({ due }) => due <= now())) {
        timers.delete(timer);
        timer.call();
      }
    },
    waiting: () => [...timers].map(({ due }) => due - now()).sort((a, b) => a - b),
  };
}

export const skill = (description: string) =>
  `---\nname: bmad-one\ndescription: ${description}\n---\nDo ${description}.\n`;
export const ONE = "_bmad/own/skills/bmad-one/SKILL.md";

interface Scene {
  readonly dir: string;
  readonly clock: HandClock;
  readonly live: Live;
  /** Makes reading fail for this reason, until it is called without one. */
  breakReading(reason?: string): void;
  write(path: string, text: string): Promise<void>;
  description(): Promise<string | undefined>;
}

export function configOf(dir: string, home?: string, more: readonly string[] = []): Config {
  return resolveConfig({
    args: [...home === undefined ? ["--mode", "local"] : ["--pack", "none"], ...more],
    cwd: dir,
    home,
    os: Deno.build.os,
    contentDir: `${dir}/none`,
    env: () => undefined,
    readSettings: () => undefined,
  });
}

export function withScene(fn: (scene: Scene) => Promise<void>): Promise<void> {
  return withTree({ [ONE]: skill("first") }, async (dir) => {
    const config = configOf(dir);
    const { git } = config;
    let broken: string | undefined;
    const breakable: Config = {
      ...config,
      get git() {
        if (broken !== undefined) throw new Error(broken);
        return git;
      },
    };
    const clock = handClock();
    const live = openLive(breakable, clock);
    await fn({
      dir,
      clock,
      live,
      breakReading: (reason) => broken = reason,
      write: async (path, text) => {
        await Deno.writeTextFile(`${dir}/${path}`, text);
        await Deno.utime(`${dir}/${path}`, clock.now() / 1_000, clock.now() / 1_000);
      },
      description: () =>
        live.ask(({ effective }) => effective.find(({ id }) => id === "bmad-one")?.description),
    });
  });
}

export const sceneTest = testsOver(withScene);

/** Listens, and waits until the first check is over and the next one is planned. */
export async function listen({ live, clock }: Scene): Promise<{ readonly changes: Change[]; off(): void }> {
  const changes: Change[] = [];
  const off = live.onChange((change) => changes.push(change));
  clock.advance(500);
  await until("one timer waits", () => clock.waiting().length === 1);
  assert.deepEqual(changes, []);
  return { changes, off };
}
