/** Is an answer never older than its request? */
import assert from "node:assert/strict";
import { type App, openApp } from "../../../src/app.ts";
import type { Clock } from "../../../src/base/work.ts";
import { refusal, say } from "../../support/answers.ts";
import { ERAS, startClient } from "../../support/client.ts";
import { configOf } from "../../support/live.ts";
import { withTree } from "../../support/trees.ts";

/** Where files are new, every turn reads the library again. */
const TURNS = { new: 20, old: 60 } as const;

const skillFile = (id: string) => `_bmad/own/skills/${id}/SKILL.md`;
const uriOf = (id: string) => `bmad://own/${id}/SKILL.md`;
const skill = (id: string, description: string, text = description) =>
  `---\nname: ${id}\ndescription: ${description}\n---\n\n${text}\n`;

const FILES = {
  [skillFile("bmad-scout")]: skill("bmad-scout", "first"),
  "_bmad/bmm/config.yaml": "user_name: Ann\n",
  "_bmad/bmm/agents/keeper.md": "---\nname: keeper\ndescription: first\n---\nfirst\n",
};

/** Pauses take no time here. In the second clock every file was written long ago, so whatever can be cached is. */
const soon: Clock["after"] = (_, call) => {
  const timer = setTimeout(call, 0);
  return () => clearTimeout(timer);
};
const CLOCKS: Readonly<Record<keyof typeof TURNS, Clock>> = {
  new: { now: Date.now, after: soon },
  old: { now: () => Date.now() + 60_000, after: soon },
};

function withApp(clock: Clock, test: (app: App, dir: string) => Promise<void>): Promise<void> {
  return withTree(FILES, async (dir) => {
    const app = openApp(configOf(dir), clock);
    await test(app, dir);
    await app.close();
  });
}

const WAYS: Readonly<Record<string, (app: App, name: string, uri: string) => Promise<string>>> = {
  execute: async (app, name) => await app.execute(await app.resolve({ name }), { message: "Go" }),
  read: async (app, name) => (await app.read(await app.resolve({ name }))).text,
  "read as data": async (app, name) => JSON.stringify((await app.read(await app.resolve({ name }))).data),
  raw: async (app, name) => await app.raw(await app.resolve({ name })),
  resource: async (app, _, uri) => (await app.open(uri)).text!,
};

const ITEMS = [
  ["bmad-scout", skillFile("bmad-scout"), uriOf("bmad-scout")],
  ["keeper", "_bmad/bmm/agents/keeper.md", "bmad://bmm/agents/keeper.md"],
] as const;

for (const age of ["new", "old"] as const) {
  const clock = CLOCKS[age];
  for (const [way, textOf] of Object.entries(WAYS)) {
    Deno.test(`${way}, ${age} files: the answer has what was written right before [resources:kept]`, () =>
      withApp(clock, async (app, dir) => {
        for (const [name, file, uri] of ITEMS) {
          for (let turn = 0; turn < TURNS[age]; turn++) {
            // Where a clock lies about the age of files, another length has to tell them apart.
            const text = `edit ${1_000 + turn}${age === "new" ? "" : "!".repeat(turn)}`;
            await Deno.writeTextFile(`${dir}/${file}`, skill(name, text));
            const answer = await textOf(app, name, uri);
            assert.ok(answer.includes(text), `${text}: ${answer}`);
            assert.ok(!/first|edit/.test(answer.replaceAll(text, "")), answer);
            // From the cache, where it is allowed to answer.
            assert.equal(await textOf(app, name, uri), answer);
          }
        }
      }));
  }

  Deno.test(`${age} files: no read from before a write is shared [resources:kept]`, () =>
    withApp(clock, async (app, dir) => {
      const [name, file, uri] = ITEMS[0];
      for (const textOf of Object.values(WAYS)) {
        await textOf(app, name, uri);
        for (let ticks = 0; ticks < 30; ticks++) {
          const earlier = textOf(app, name, uri);
          for (let tick = 0; tick < ticks; tick++) await undefined;
          const text = `edit ${"!".repeat(ticks)}.`;
          Deno.writeTextFileSync(`${dir}/${file}`, skill(name, text));
          assert.ok((await textOf(app, name, uri)).includes(text));
          await earlier;
        }
      }
    }));
}

Deno.test("an item is found right after it was added, and not once it was removed [resources:kept]", () =>
  withApp(CLOCKS.new, async (app, dir) => {
    for (let turn = 0; turn < 5; turn++) {
      const id = `bmad-new-${turn}`;
      for (const [way, textOf] of Object.entries(WAYS)) {
        await assert.rejects(textOf(app, id, uriOf(id)), way);
        await Deno.mkdir(`${dir}/_bmad/own/skills/${id}`);
        await Deno.writeTextFile(`${dir}/${skillFile(id)}`, skill(id, `text ${turn}`));
        assert.match(await textOf(app, id, uriOf(id)), new RegExp(`text ${turn}`), way);
        await Deno.remove(`${dir}/_bmad/own/skills/${id}`, { recursive: true });
      }
    }
  }));

Deno.test("an answer has the configuration of the moment [resources:kept]", () =>
  withApp(CLOCKS.old, async (app, dir) => {
    const execute = async () => await WAYS["execute"]!(app, "keeper", "");
    for (let turn = 0; turn < 20; turn++) {
      const mark = "x".repeat(turn + 1);
      await Deno.writeTextFile(`${dir}/_bmad/bmm/config.yaml`, `user_name: Ann ${mark}.\n`);
      assert.ok((await execute()).includes(`Ann ${mark}.`));
    }
  }));

for (const era of ERAS) {
  Deno.test(`a ${era} client gets what it has just written, every time [resources:kept]`, () =>
    withTree(FILES, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const ask: readonly ((name: string, uri: string) => Promise<string>)[] = [
        (name) => say(client, { operation: "execute", workflow: name, message: "Go" }),
        (name) => say(client, { operation: "read", workflow: name }),
        async (_, uri) => (await client.readResource(uri)).contents[0].text,
      ];
      const [name, file, uri] = ITEMS[0];
      for (let turn = 0; turn < 30; turn++) {
        const textOf = ask[turn % ask.length]!;
        await textOf(name, uri);
        await Deno.writeTextFile(`${dir}/${file}`, skill(name, `edit ${1_000 + turn}`));
        assert.match(await textOf(name, uri), new RegExp(`edit ${1_000 + turn}`));
      }
      const added = "bmad-added";
      await Deno.mkdir(`${dir}/_bmad/own/skills/${added}`);
      await Deno.writeTextFile(`${dir}/${skillFile(added)}`, skill(added, "brand new"));
      assert.match(await ask[0]!(added, ""), /brand new/);
      await Deno.remove(`${dir}/_bmad/own/skills/${added}`, { recursive: true });
      await refusal(client, { operation: "execute", workflow: added });
    }));
}
