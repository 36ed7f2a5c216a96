/** Is the library kept in step with the disk: in time, and not more often than needed? */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../../src/base/work.ts";
import { openLive } from "../../../src/content/live/mod.ts";
import { resolveModuleConfig } from "../../../src/content/library/values/config.ts";
import { type Change, type Library, listFiles, readResource } from "../../../src/content/library/mod.ts";
import { configOf, handClock, listen, ONE, sceneTest, skill, withScene } from "../../support/live.ts";
import { treeTest, withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

Deno.test("a request checks the disk once the last check is a second old [resources:live]", () =>
  withScene(async ({ description, write, clock }) => {
    assert.equal(await description(), "first");
    await write(ONE, skill("second"));
    clock.advance(900);
    assert.equal(await description(), "first");
    clock.advance(100);
    assert.equal(await description(), "second");
    assert.deepEqual(clock.waiting(), []);
  }));

treeTest("a changed personal file counts at once [resources:live, config:personal]", {
  [`shop/${ONE}`]: skill("first"),
  "shop/_bmad/core/config.yaml": "language: French\n",
  "home/.bmad/": "",
}, async (dir) => {
  const clock = handClock();
  const live = openLive(configOf(`${dir}/shop`, `${dir}/home`), clock);
  const name = () => live.ask((library) => resolveModuleConfig(library, "core")["user_name"]);
  const file = `${dir}/home/.bmad/config.yaml`;
  const stamp = (path: string) => Deno.utime(path, clock.now() / 1_000, clock.now() / 1_000);
  assert.equal(await name(), undefined);
  for (const user of ["Ada", "Grace"]) {
    clock.advance(1_000);
    await Deno.writeTextFile(file, `user_name: ${user}\n`);
    await stamp(file);
    await stamp(`${dir}/home/.bmad`);
    clock.advance(1_000);
    assert.equal(await name(), user);
  }
  clock.advance(1_000);
  await Deno.remove(file);
  await stamp(`${dir}/home/.bmad`);
  clock.advance(1_000);
  assert.equal(await name(), undefined);
});

treeTest("a changed customization renames an agent [resources:live, names:customized]", {
  "shop/_bmad/bmm/skills/bmad-agent-scout/SKILL.md": "---\nname: bmad-agent-scout\n---\n# Scout\n",
  "shop/_bmad/bmm/skills/bmad-agent-scout/customize.toml": '[agent]\nname = "Rhea"\ntitle = "Scout"\n',
  "home/.bmad/config.yaml": "user_name: Ada\n",
}, async (dir) => {
  for (const folder of ["shop/_bmad", "home/.bmad"]) {
    const clock = handClock();
    const live = openLive(configOf(`${dir}/shop`, `${dir}/home`), clock);
    const name = () => live.ask(({ effective: [agent] }) => agent?.displayName);
    const stamp = (path: string) => Deno.utime(path, clock.now() / 1_000, clock.now() / 1_000);
    assert.equal(await name(), "Rhea");
    await Deno.mkdir(`${dir}/${folder}/custom`);
    const file = `${dir}/${folder}/custom/bmad-agent-scout.toml`;
    for (const other of ["Zoe", "Zora"]) {
      clock.advance(1_000);
      await Deno.writeTextFile(file, `[agent]\nname = "${other}"\n`);
      for (const path of [file, `${dir}/${folder}/custom`, `${dir}/${folder}`]) await stamp(path);
      clock.advance(1_000);
      assert.equal(await name(), other, folder);
    }
    clock.advance(1_000);
    await Deno.remove(file);
    await stamp(`${dir}/${folder}/custom`);
    clock.advance(1_000);
    assert.equal(await name(), "Rhea", folder);
  }
});

sceneTest("a request finishes on the library it began with", async ({ live, description, write, clock }) => {
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
});

sceneTest("no timer runs before somebody listens or after the last listener has left", async (scene) => {
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
});

Deno.test("a listener that leaves during a check leaves no timer behind", () =>
  withScene(async ({ live, clock, description }) => {
    await description();
    const off = live.onChange(() => {});
    clock.advance(500);
    off();
    await description();
    assert.deepEqual(clock.waiting(), []);
  }));

sceneTest("the disk is checked about once a second, and each change is reported once", async (scene) => {
  const { clock, dir, write } = scene;
  const { changes, off } = await listen(scene);
  const [next] = clock.waiting();
  assert.ok(next! > 900 && next! <= 1_000, `${next}`);
  await Deno.mkdir(`${dir}/_bmad/own/agents`);
  await write("_bmad/own/agents/nina.md", "---\nname: nina\ndescription: Nina\n---\nYou are Nina.\n");
  // Long enough for the files to be finished.
  clock.advance(1_000);
  await until("a change is reported", () => changes.length > 0);
  assert.deepEqual([changes[0]!.overview, changes[0]!.entries, changes[0]!.resources], [true, true, true]);
  assert.ok(changes[0]!.touched.has("bmad://own/agents/nina.md"));
  for (let second = 0; second < 3; second++) {
    await until("one timer waits", () => clock.waiting().length === 1);
    clock.advance(1_000);
  }
  await until("one timer waits", () => clock.waiting().length === 1);
  assert.equal(changes.length, 1);
  off();
});

Deno.test("a change after the machine slept during a check is served within minutes", () =>
  withScene(async ({ clock, write, description }) => {
    await description();
    // A check may read the time at any of these.
    for (let asked = 1; asked <= 6; asked++) {
      clock.advance(1_000);
      clock.sleep(8 * 3_600_000, asked);
      await description();
      await write(ONE, skill(`edit ${asked}`));
      clock.advance(5 * 60_000);
      assert.equal(await description(), `edit ${asked}`);
    }
  }));

Deno.test("an edit touches its resource and the generated ones; lists change only if they show it", () =>
  withScene(async (scene) => {
    const { clock, write } = scene;
    const { changes, off } = await listen(scene);
    const edit = async (text: string) => {
      changes.length = 0;
      await until("one timer waits", () => clock.waiting().length === 1);
      await write(ONE, text);
      clock.advance(1_000);
      await until("a change is reported", () => changes.length > 0);
      const { overview, entries, resources, touched } = changes[0]!;
      assert.ok(touched.has("bmad://own/bmad-one/SKILL.md"));
      assert.ok(touched.has("bmad://manifest"));
      return [overview, entries, resources];
    };
    assert.deepEqual(await edit(`${skill("first")}More.\n`), [false, false, false]);
    assert.deepEqual(await edit(skill("other")), [false, true, false]);
    off();
  }));

Deno.test("a change before the first check is reported like any other", () =>
  withScene(async ({ live, clock, description, dir, write }) => {
    await description();
    const changes: Change[] = [];
    const off = live.onChange((change) => changes.push(change));
    await Deno.mkdir(`${dir}/_bmad/own/skills/bmad-two`);
    clock.advance(100);
    await write("_bmad/own/skills/bmad-two/SKILL.md", skill("two"));
    clock.advance(400);
    await until("a change is reported", () => changes.length > 0);
    const { overview, entries, resources, touched } = changes[0]!;
    assert.deepEqual([overview, entries, resources], [true, true, true]);
    assert.deepEqual([...touched].filter((uri) => uri.includes("SKILL")), ["bmad://own/bmad-two/SKILL.md"]);
    off();
  }));

Deno.test("no request waits while thousands of files are listed [resources:live]", () =>
  withScene(async ({ clock, live, dir, description }) => {
    for (let i = 0; i < 2_000; i++) {
      Deno.writeTextFileSync(`${dir}/_bmad/own/skills/bmad-one/${i}.md`, `${i}`);
    }
    await description();
    const off = live.onChange(() => {});
    clock.advance(500);
    // Old enough for a check of its own.
    clock.advance(1_000);
    await live.ask(({ project }) => project);
    // The timer is set again when all files are listed.
    assert.deepEqual(clock.waiting(), []);
    await until("the files are listed", () => clock.waiting().length > 0);
    off();
  }));

sceneTest("more files than one stride of a check are all checked", async (scene) => {
  const { clock, live, dir } = scene;
  const { changes, off } = await listen(scene);
  for (let i = 0; i < 600; i++) Deno.writeTextFileSync(`${dir}/_bmad/own/skills/bmad-one/${i}.md`, `${i}`);
  clock.advance(1_000);
  await until("a change is reported", () => changes.length > 0);
  assert.equal(await live.ask((library) => listFiles(library).length), 601);
  assert.equal(changes[0]!.touched.has("bmad://own/bmad-one/599.md"), true);
  off();
});

sceneTest("a folder that becomes a link out is reported [rights:symlink-refused]", async (scene) => {
  const { clock, dir, description } = scene;
  const { changes, off } = await listen(scene);
  const outside = await Deno.makeTempDir();
  await Deno.writeTextFile(`${outside}/SKILL.md`, skill("stolen"));
  await Deno.remove(`${dir}/_bmad/own/skills/bmad-one`, { recursive: true });
  await Deno.symlink(outside, `${dir}/_bmad/own/skills/bmad-one`, { type: "dir" });
  clock.advance(1_000);
  await until("a change is reported", () => changes.length > 0);
  assert.equal(await description(), undefined);
  assert.ok(
    changes[0]!.diagnostics.some(({ code, path }) => code === "link-refused" && path?.endsWith("bmad-one")),
  );
  off();
  await Deno.remove(outside, { recursive: true });
});

treeTest("only the folders of roots and skills are watched, and the one where new ones would appear", {
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
    await until("a folder is watched", () => watched.length > 0);
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
});

Deno.test("a replaced library is garbage collected [resources:live]", async () => {
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
      await live.ask((library) => seen.push(new WeakRef(library)));
    }
    assert.ok(new Set(seen.map((one) => one.deref())).size >= 5, "it was not read again");
    for (let tries = 0; tries < 5; tries++) {
      await new Promise((resolve) => setTimeout(resolve));
      collect();
    }
    const kept = new Set(seen.map((one) => one.deref()).filter((one) => one !== undefined));
    assert.ok(kept.size <= 2, `${kept.size} of 6 libraries are still there`);
  });
});

Deno.test("configuration that appears, changes and goes away is in force within a second", () =>
  withScene(async ({ live, clock, write, dir }) => {
    await Deno.writeTextFile(
      `${dir}/_bmad/own/module.yaml`,
      "code: own\nuser_name:\n  prompt: Who?\n  default: Nobody\n",
    );
    await Deno.mkdir(`${dir}/_bmad/custom`);
    const seen = async () => {
      // The folders change at the time of the clock, too: two changes in a moment of real time have one time.
      const time = new Date(clock.now());
      for (const folder of ["own", "custom"]) await Deno.utime(`${dir}/_bmad/${folder}`, time, time);
      clock.advance(1_000);
      const { text } = await live.ask((library) => readResource(library, "bmad://own/config.yaml"));
      return /user_name: (.+)/.exec(text ?? "")?.[1];
    };
    assert.equal(await seen(), "Nobody");
    for (const path of ["_bmad/own/config.yaml", "_bmad/custom/config.toml"]) {
      const isToml = path.endsWith(".toml");
      const text = (name: string) =>
        isToml ? `[modules.own]\nuser_name = "${name}"\n` : `user_name: ${name}\n`;
      await write(path, text("Ada"));
      assert.equal(await seen(), "Ada", path);
      await write(path, text("Zed"));
      assert.equal(await seen(), "Zed", path);
      await Deno.remove(`${dir}/${path}`);
      assert.equal(await seen(), "Nobody", path);
    }
  }));
