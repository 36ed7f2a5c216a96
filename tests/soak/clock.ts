/** Are changes on disk noticed when the clock jumps, or when files have impossible times? */
import assert from "node:assert/strict";
import { type App, openApp } from "../../src/app.ts";
import { resolveConfig } from "../support/config.ts";
import { denoHost } from "../../src/process/host.ts";
import { withTree } from "../support/trees.ts";
import { until } from "../support/waiting.ts";

const SKILL = "project/.claude/skills/bmad-map/SKILL.md";
const skillAbout = (words: string) => `---\nname: bmad-map\ndescription: ${words}\n---\n${words}\n`;
const TEN_YEARS = 10 * 365 * 24 * 3_600_000;

export async function jumpingClock(): Promise<void> {
  for (const isListening of [false, true]) {
    await withOwnClock(async (app, setOffset, write) => {
      const stop = isListening ? app.onChange(() => {}) : () => {};
      try {
        for (const offset of [0, -TEN_YEARS, TEN_YEARS, 0]) {
          setOffset(offset);
          await write(`Draw at ${offset}.`);
          await until(
            `a change after a jump to ${offset} ms is noticed`,
            () => says(app, `Draw at ${offset}.`),
          );
        }
      } finally {
        stop();
      }
    });
  }
}

export async function oddTimes(): Promise<void> {
  await withOwnClock(async (app, _, write) => {
    for (const year of [2_100, 1_975, 2_026]) {
      await write(`Draw in ${year}.`, new Date(`${year}-01-01T00:00:00Z`));
      await until(`a file of the year ${year} is noticed`, () => says(app, `Draw in ${year}.`));
    }
    assert.match(await app.raw(await app.resolve({ name: "bmad-map" })), /Draw in 2026/);
  });
}

async function says(app: App, words: string): Promise<boolean> {
  return (await app.list({ what: "skills" })).some(({ about }) => about === words);
}

function withOwnClock(
  work: (
    app: App,
    setOffset: (ms: number) => void,
    write: (words: string, time?: Date) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  return withTree({ [SKILL]: skillAbout("Draws maps") }, async (dir) => {
    const host = denoHost(dir);
    let offset = 0;
    const clock = { now: () => Date.now() + offset, after: host.after };
    const args = ["--project", `${dir}/project`, "--pack", "none"];
    const app = openApp(resolveConfig({ ...host, home: undefined, args, env: () => undefined }), clock);
    await app.resolve({ name: "bmad-map" });
    await work(app, (ms) => offset = ms, async (words, time) => {
      await Deno.writeTextFile(`${dir}/${SKILL}`, skillAbout(words));
      if (time !== undefined) await Deno.utime(`${dir}/${SKILL}`, time, time);
    });
  });
}
