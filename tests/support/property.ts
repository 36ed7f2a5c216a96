/**
 * The frame of property tests: rounds whose chance comes from a seed, and processes that are killed while they work,
 * where what they acknowledged is compared with what is left.
 */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { type Chance, chanceFrom } from "./chance.ts";
import { until } from "./waiting.ts";

/** Each round has a seed of its own: one that fails is named by it, and can be run alone. */
export async function inRounds(
  count: number,
  seed: number,
  round: (chance: Chance, at: number) => void | Promise<void>,
): Promise<void> {
  for (let at = 0; at < count; at++) {
    try {
      await round(chanceFrom(seed + at), at);
    } catch (error) {
      throw new Error(`seed ${seed + at}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
}

/** A process that says on a line what it has done, and after `!` what must not happen. */
export interface Changing {
  readonly said: readonly string[];
  /** Kills it; what it had said before is still read. */
  stop(): Promise<void>;
}

export function startChanging(args: readonly string[]): Changing {
  const child = new Deno.Command(Deno.execPath(), { args: [...args], stdout: "piped" }).spawn();
  const said: string[] = [];
  const read = async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      said.push(...lines);
    }
  };
  const reading = read();
  let isOver = false;
  return {
    said,
    stop: async () => {
      if (!isOver) child.kill("SIGKILL");
      isOver = true;
      await child.status;
      await reading;
    },
  };
}

interface Race {
  readonly processes: number;
  /** How many are killed on the way, the oldest first, each followed by another one. All are killed at the end. */
  readonly kills: number;
  /** How many lines with a word are acknowledged before the next kill, and how long the race takes at least. */
  readonly wanted?: (round: number) => number;
  readonly word?: string;
  readonly ms?: number;
  readonly others?: readonly Changing[];
  start(at: number): Changing | Promise<Changing>;
  look?(): void;
  /** Compares what was acknowledged with what is left: after each kill, and at the end. */
  compare?(said: readonly string[]): void | Promise<void>;
}

/** Returns how to get the lines that were said with a word, and how many processes have run. */
export async function race(
  { processes, kills, wanted = () => 0, word = "", ms = 0, others = [], start, look, compare }: Race,
) {
  const all: Changing[] = [];
  const said = (word: string) =>
    [...all, ...others].flatMap((one) => one.said).filter((line) => line.startsWith(word));
  const begun = performance.now();
  try {
    for (let at = 0; at < processes; at++) all.push(await start(at));
    for (const [at, one] of all.entries()) {
      await until(`process ${at} is at work`, () => one.said.length > 0);
    }
    for (let round = 0; round <= kills && said("!").length === 0; round++) {
      if (ms > 0) await pause(ms / (kills + 1));
      const least = said(word).length + wanted(round);
      await until(`${least} changes are acknowledged`, () => {
        look?.();
        return said(word).length >= least || said("!").length > 0;
      }, () => said("").length);
      if (round === kills) break;
      await all[round]!.stop();
      await compare?.(said(word));
      all.push(await start(processes + round));
    }
  } finally {
    await Promise.all([...all, ...others].map((one) => one.stop()));
  }
  assert.deepEqual(said("!"), []);
  await compare?.(said(word));
  const total = all.length + others.length;
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  return { said, total, told: `by ${total} processes, ${kills} of them killed, in ${seconds} s` };
}

/** Whatever was acknowledged is left, and nothing is there twice. */
export function checkKept(said: readonly string[], left: readonly string[]): void {
  const all = new Set(left);
  assert.equal(all.size, left.length, "something is there twice");
  assert.deepEqual(said.filter((text) => !all.has(text)), [], "acknowledged, but lost");
}
