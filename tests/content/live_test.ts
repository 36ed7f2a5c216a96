/**
 * Is the library kept up with the disk: in time, not more often than needed, and never half?
 *
 * The clock is moved by hand. Files get their times from it, so that a test decides what is young.
 */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { resolveConfig } from "../support/config.ts";
import type { Config } from "../../src/settings/plan/mod.ts";
import type { Clock } from "../../src/base/work.ts";
import { type Live, openLive } from "../../src/content/live.ts";
import { type Change, type Library, listFiles, readResource } from "../../src/content/library/mod.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

interface HandClock extends Clock {
  /** Moves the time on and runs what is due. */
  advance(ms: number): void;
  /** How many milliseconds from now each timer is due. */
  waiting(): readonly number[];
  /** Has the machine sleep for so long before the time is next asked for the so-manieth time. */
  sleep(ms: number, asked: number): void;
}

function handClock(): HandClock {
  let ahead = 60_000;
  let untilSleep = 0, asleep = 0;
  const now = () => Date.now() + ahead;
  const timers = new Set<{ readonly due: number; readonly call: () => void }>();
  return {
    now: () => {
      if (untilSleep > 0 && --untilSleep === 0) ahead += asleep;
      return now();
    },
    sleep: (ms, asked) => {
      [asleep, untilSleep] = [ms, asked];
    },
    after: (ms, call) => {
      const timer = { due: now() + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      ahead += ms;
      for (const timer of [...timers].filter(({ due }) => due <= now())) {
        timers.delete(timer);
        timer.call();
      }
    },
    waiting: () => [...timers].map(({ due }) => due - now()).sort((a, b) => a - b),
  };
}

const skill = (description: string) =>
  `---\nname: bmad-one\ndescription: ${description}\n---\nDo ${description}.\n`;
const ONE = "_bmad/own/skills/bmad-one/SKILL.md";

interface Scene {
  readonly dir: string;
  readonly clock: HandClock;
  readonly live: Live;
  /** Makes reading fail for this reason, until it is called without one. */
  breakReading(reason?: string): void;
  /** Writes a file at the time of the clock. */
  write(path: string, text: string): Promise<void>;
  /** What the library says of the one skill. */
  description(): Promise<string | undefined>;
}

function configOf(dir: string): Config {
  return resolveConfig({
    args: ["--mode", "local"],
    cwd: dir,
    home: undefined,
    os: Deno.build.os,
    contentDir: `${dir}/none`,
    env: () => undefined,
    readSettings: () => undefined,
  });
}

function withScene(fn: (scene: Scene) => Promise<void>): Promise<void> {
  return withTree({ [ONE]: skill("first") }, async (dir) => {
    const config = configOf(dir);
    const { origins } = config;
    let broken: string | undefined;
    const breakable: Config = {
      ...config,
      get origins() {
        if (broken !== undefined) throw new Error(broken);
        return origins;
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

/** Waits, in real time, until something holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 1_000, "it never came true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Listens, and waits until the first look is over and the next one is planned. */
async function listen({ live, clock }: Scene): Promise<{ readonly changes: Change[]; off(): void }> {
  const changes: Change[] = [];
  const off = live.onChange((change) => changes.push(change));
  clock.advance(500);
  await until(() => clock.waiting().length === 1);
  assert.deepEqual(changes, []);
  return { changes, off };
}

Deno.test(
  verifies(
    "resources:live",
    "a request looks at the disk when the last look is a second old, and not before",
  ),
  () =>
    withScene(async ({ description, write, clock }) => {
      assert.equal(await description(), "first");
      await write(ONE, skill("second"));
      clock.advance(900);
      assert.equal(await description(), "first");
      clock.advance(100);
      assert.equal(await description(), "second");
      assert.deepEqual(clock.waiting(), []);
    }),
);

Deno.test("what a request began on, it ends on", () =>
  withScene(async ({ live, description, write, clock }) => {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = live.ask(async (library) => {
      begun.resolve();
      await goOn.promise;
      return library.effective[0]!.description;
    });
    await begun.promise;
    await write(ONE, skill("second"));
    clock.advance(1_000);
    assert.equal(await description(), "second");
    goOn.resolve();
    assert.equal(await slow, "first");
  }));

Deno.test("nothing is timed before somebody listens, and nothing after the last has gone", () =>
  withScene(async (scene) => {
    const { live, clock, description } = scene;
    await description();
    assert.deepEqual(clock.waiting(), []);
    const { off } = await listen(scene);
    const other = live.onChange(() => {});
    off();
    off();
    assert.equal(clock.waiting().length, 1);
    other();
    assert.deepEqual(clock.waiting(), []);
    clock.advance(10_000);
    assert.deepEqual(clock.waiting(), []);
    const again = await listen(scene);
    again.off();
    assert.deepEqual(clock.waiting(), []);
  }));

Deno.test("a listener that goes during a look leaves nothing behind", () =>
  withScene(async ({ live, clock, description }) => {
    await description();
    const off = live.onChange(() => {});
    clock.advance(500);
    off();
    await description();
    assert.deepEqual(clock.waiting(), []);
  }));

Deno.test("the disk is looked at about once a second, and each change is told once", () =>
  withScene(async (scene) => {
    const { clock, dir, write } = scene;
    const { changes, off } = await listen(scene);
    const [next] = clock.waiting();
    assert.ok(next! > 900 && next! <= 1_000, `${next}`);
    await Deno.mkdir(`${dir}/_bmad/own/agents`);
    await write("_bmad/own/agents/nina.md", "---\nname: nina\ndescription: Nina\n---\nYou are Nina.\n");
    // Long enough for the files to be finished.
    clock.advance(1_000);
    await until(() => changes.length > 0);
    assert.deepEqual([changes[0]!.tools, changes[0]!.prompts, changes[0]!.resources], [true, true, true]);
    assert.ok(changes[0]!.touched.has("bmad://own/agents/nina.md"));
    for (let second = 0; second < 3; second++) {
      await until(() => clock.waiting().length === 1);
      clock.advance(1_000);
    }
    await until(() => clock.waiting().length === 1);
    assert.equal(changes.length, 1);
    off();
  }));

Deno.test("what changes after a machine slept during a look is served within minutes", () =>
  withScene(async ({ clock, write, description }) => {
    await description();
    // The look may ask for the time at any of these.
    for (let asked = 1; asked <= 6; asked++) {
      clock.advance(1_000);
      clock.sleep(8 * 3_600_000, asked);
      await description();
      await write(ONE, skill(`edit ${asked}`));
      clock.advance(5 * 60_000);
      assert.equal(await description(), `edit ${asked}`);
    }
  }));

Deno.test("an edit touches its resource and what is made from all; only what lists show makes new lists", () =>
  withScene(async (scene) => {
    const { clock, write } = scene;
    const { changes, off } = await listen(scene);
    const edit = async (text: string) => {
      changes.length = 0;
      await until(() => clock.waiting().length === 1);
      await write(ONE, text);
      clock.advance(1_000);
      await until(() => changes.length > 0);
      const { tools, prompts, resources, touched } = changes[0]!;
      assert.ok(touched.has("bmad://own/bmad-one/SKILL.md"));
      assert.ok(touched.has("bmad://manifest"));
      return [tools, prompts, resources];
    };
    assert.deepEqual(await edit(`${skill("first")}More.\n`), [false, false, false]);
    assert.deepEqual(await edit(skill("other")), [false, true, false]);
    off();
  }));

Deno.test("what changed before the first look is told as any change", () =>
  withScene(async ({ live, clock, description, dir, write }) => {
    await description();
    const changes: Change[] = [];
    const off = live.onChange((change) => changes.push(change));
    await Deno.mkdir(`${dir}/_bmad/own/skills/bmad-two`);
    clock.advance(100);
    await write("_bmad/own/skills/bmad-two/SKILL.md", skill("two"));
    clock.advance(400);
    await until(() => changes.length > 0);
    const { tools, prompts, resources, touched } = changes[0]!;
    assert.deepEqual([tools, prompts, resources], [true, true, true]);
    assert.deepEqual([...touched].filter((uri) => uri.includes("SKILL")), ["bmad://own/bmad-two/SKILL.md"]);
    off();
  }));

Deno.test("a file in the middle of being written is waited for, and what was there before is served meanwhile", () =>
  withScene(async (scene) => {
    const { clock, write, description } = scene;
    const { changes, off } = await listen(scene);
    clock.advance(900);
    await write(ONE, "---\nname: bmad-one\ndescr");
    clock.advance(100);
    // The first try found front matter without an end; the next one is planned.
    await until(() => clock.waiting().some((ms) => ms <= 100));
    assert.equal(await description(), "first");
    assert.deepEqual(changes, []);
    await write(ONE, skill("second"));
    while (changes.length === 0) {
      clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(await description(), "second");
    assert.deepEqual(changes.flatMap(({ diagnostics }) => diagnostics), []);
    off();
  }));

Deno.test("a file that stays broken is taken for broken after a moment, and told once", () =>
  withScene(async (scene) => {
    const { clock, write, description } = scene;
    const { changes, off } = await listen(scene);
    await write(ONE, "---\nname: bmad-one\ndescr");
    const begun = clock.now();
    clock.advance(900);
    while (changes.length === 0) {
      clock.advance(20);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(clock.now() - begun < 2_000, `${clock.now() - begun}`);
    assert.deepEqual(changes[0]!.diagnostics.map(({ code, path }) => [code, path]), [["bad-file", ONE]]);
    assert.equal(await description(), "");
    off();
  }));

Deno.test("a request that meets a file being written asks again, three times at most", () =>
  withScene(async ({ live, clock, write, description }) => {
    await description();
    await write(ONE, "half");
    const read = (library: Library) => readResource(library, "bmad://own/bmad-one/SKILL.md");
    let reads = 0;
    const answer = live.ask((library) => {
      reads++;
      return read(library);
    });
    await until(() => clock.waiting().length === 1);
    await write(ONE, "whole");
    clock.advance(100);
    assert.equal((await answer).text, "whole");
    assert.equal(reads, 2);
    // Somebody who never stops writing does not keep others waiting.
    reads = 0;
    const impatient = live.ask(async (library) => {
      await write(ONE, `${++reads}`);
      return read(library);
    });
    for (const done of [1, 2, 3]) {
      await until(() => reads === done && clock.waiting().length === 1);
      clock.advance(100);
    }
    assert.equal((await impatient).text, "4");
  }));

Deno.test("a reading that fails leaves what was there before, and is told once until it works again", () =>
  withScene(async (scene) => {
    const { clock, write, description, breakReading } = scene;
    const { changes, off } = await listen(scene);
    const second = async () => {
      await until(() => clock.waiting().length === 1);
      clock.advance(1_000);
      await until(() => clock.waiting().length === 1);
    };
    await write(ONE, skill("second"));
    breakReading("the disk is on fire");
    for (let tries = 0; tries < 3; tries++) await second();
    assert.equal(await description(), "first");
    assert.deepEqual(changes.map(({ diagnostics }) => diagnostics.map(({ code }) => code)), [[
      "reload-failed",
    ]]);
    assert.match(changes[0]!.diagnostics[0]!.message, /before is served: the disk is on fire$/);
    assert.equal(changes[0]!.touched.size, 0);
    breakReading("there is water in it");
    await second();
    assert.equal(changes.length, 2);
    breakReading();
    await second();
    assert.equal(await description(), "second");
    assert.equal(changes.length, 3);
    off();
  }));

Deno.test("an opening that fails is tried again by the next request", () =>
  withScene(async ({ breakReading, description }) => {
    breakReading("not yet");
    await assert.rejects(description(), /not yet/);
    breakReading();
    assert.equal(await description(), "first");
  }));

Deno.test("files that lie behind the limit are looked at as the others are", () =>
  withScene(async (scene) => {
    const { clock, live, dir } = scene;
    const { changes, off } = await listen(scene);
    for (let i = 0; i < 600; i++) Deno.writeTextFileSync(`${dir}/_bmad/own/skills/bmad-one/${i}.md`, `${i}`);
    clock.advance(1_000);
    await until(() => changes.length > 0);
    assert.equal(await live.ask((library) => listFiles(library).length), 601);
    assert.equal(changes[0]!.touched.has("bmad://own/bmad-one/599.md"), true);
    off();
  }));

Deno.test(
  verifies(
    "rights:symlink-refused",
    "a folder that becomes a link out of the project is served no longer, and told",
  ),
  () =>
    withScene(async (scene) => {
      const { clock, dir, description } = scene;
      const { changes, off } = await listen(scene);
      const outside = await Deno.makeTempDir();
      await Deno.writeTextFile(`${outside}/SKILL.md`, skill("stolen"));
      await Deno.remove(`${dir}/_bmad/own/skills/bmad-one`, { recursive: true });
      await Deno.symlink(outside, `${dir}/_bmad/own/skills/bmad-one`, { type: "dir" });
      clock.advance(1_000);
      await until(() => changes.length > 0);
      assert.equal(await description(), undefined);
      assert.ok(
        changes[0]!.diagnostics.some(({ code, path }) =>
          code === "link-refused" && path?.endsWith("bmad-one")
        ),
      );
      off();
      await Deno.remove(outside, { recursive: true });
    }),
);

Deno.test("only the folders of roots and skills are watched, and the one in which others would appear", () =>
  withTree({
    [ONE]: skill("first"),
    ".claude/skills/bmad-two/steps/step-01.md": "Step.",
    ".claude/skills/bmad-two/SKILL.md": "---\nname: bmad-two\ndescription: Two\n---\n",
    ".claude/commands/own.md": "",
    ".git/refs/heads/main": "",
    "node_modules/bmad-method/agents/x.md": "",
    "src/agents/readme.txt": "",
    "docs/index.md": "",
  }, async (dir) => {
    const watched: string[] = [];
    const real = Object.getOwnPropertyDescriptor(Deno, "watchFs")!;
    const spy = (paths: string[], options: { recursive: boolean }) => {
      watched.push(...paths.map((path) => `${path.slice(dir.length)} ${options.recursive}`));
      return real.value(paths, options);
    };
    Object.defineProperty(Deno, "watchFs", { ...real, value: spy });
    try {
      const clock = handClock();
      const live = openLive(configOf(dir), clock);
      const off = live.onChange(() => {});
      clock.advance(500);
      await until(() => watched.length > 0);
      off();
    } finally {
      Object.defineProperty(Deno, "watchFs", real);
    }
    assert.deepEqual(watched.sort(), [
      " false",
      "/.claude/skills false",
      "/.claude/skills/bmad-two false",
      "/.claude/skills/bmad-two/steps false",
      "/_bmad false",
      "/_bmad/own false",
      "/_bmad/own/skills false",
      "/_bmad/own/skills/bmad-one false",
    ]);
  }));

Deno.test(verifies("resources:live", "a library that was replaced is forgotten"), async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await withTree({ [ONE]: skill("first") }, async (dir) => {
    let ahead = 60_000;
    const clock: Clock = {
      now: () => Date.now() + ahead,
      after: (_, call) => (queueMicrotask(call), () => {}),
    };
    const live = openLive(configOf(dir), clock);
    const seen: WeakRef<Library>[] = [];
    for (let round = 0; round < 6; round++) {
      await Deno.writeTextFile(`${dir}/${ONE}`, skill(`round ${round} ${"x".repeat(round)}`));
      await Deno.utime(`${dir}/${ONE}`, clock.now() / 1_000, clock.now() / 1_000);
      ahead += 10_000;
      await live.ask((library) => void seen.push(new WeakRef(library)));
    }
    assert.ok(new Set(seen.map((one) => one.deref())).size >= 5, "it was not read anew");
    for (let tries = 0; tries < 5; tries++) {
      await new Promise((resolve) => setTimeout(resolve));
      collect();
    }
    const kept = new Set(seen.map((one) => one.deref()).filter((one) => one !== undefined));
    assert.ok(kept.size <= 2, `${kept.size} of 6 libraries are still there`);
  });
});
