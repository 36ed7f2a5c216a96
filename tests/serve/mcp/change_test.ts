/**
 * Does a client hear of what changes on disk, and is it served, without a restart?
 *
 * The real program, with the official client of each era. On an idle machine a notice comes 150 to 250 ms after the
 * change; a single one may take long where others keep the machine busy, but not half of them.
 */
import assert from "node:assert/strict";
import { ERAS, type Notice, type ProgramClient, startClient } from "../../support/client.ts";
import { installation } from "../../support/installs.ts";
import { verifies } from "../../support/requirements.ts";
import { copyTree, withTree } from "../../support/trees.ts";

/** How long a single notice may take, and how long half of them. */
const PATIENCE_MS = 10_000;
const PROMISED_MS = 1_000;

const skill = (id: string, description: string, body = "Do it.") =>
  `---\nname: ${id}\ndescription: ${description}\n---\n\n${body}\n`;

const SKILLS = "_bmad/own/skills";
const ONE = `${SKILLS}/bmad-one/SKILL.md`;
const ONE_URI = "bmad://own/bmad-one/SKILL.md";
/** The same file, as content spells it and as the skills extension does. */
const ONE_SPELLED = "bmad://_bmad/own/bmad-one/SKILL.md";
const ONE_SKILL = "skill://own/bmad-one/SKILL.md";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Everything has been looked at once, and what comes now is a change. */
const SETTLED_MS = 1_200;

interface Watching {
  /** Does something and waits until the client was told all of this; returns what it was told since. */
  expect(told: readonly string[], act: () => Promise<unknown>): Promise<readonly string[]>;
  /** How long each of these took. */
  readonly times: readonly number[];
}

/** A notice in a word: `tools`, `prompts`, `resources`, or the URI of a resource. */
function wordOf({ method, params }: Notice): string {
  const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
  return list ?? (method === "notifications/resources/updated" ? params.uri : method);
}

function watching(client: ProgramClient): Watching {
  const times: number[] = [];
  return {
    times,
    expect: async (told, act) => {
      // Right after a change the program looks again: what is measured comes out of the blue.
      await pause(400);
      const from = client.notices.length;
      await act();
      const begun = performance.now();
      const since = () => client.notices.slice(from);
      while (!told.every((word) => since().some((notice) => wordOf(notice) === word))) {
        const seen = since().map(wordOf);
        assert.ok(
          performance.now() - begun < PATIENCE_MS,
          `wanted ${told}, was told ${seen}: ${client.stderr()}`,
        );
        await pause(5);
      }
      const last = told.map((word) => since().find((notice) => wordOf(notice) === word)!.at);
      times.push(Math.max(0, ...last.map((at) => at - begun)));
      return since().map(wordOf);
    },
  };
}

function assertInTime(times: readonly number[]): void {
  const median = times.toSorted((a, b) => a - b)[times.length >> 1]!;
  assert.ok(median < PROMISED_MS, `${times.map(Math.round)}`);
}

async function promptNames(client: ProgramClient): Promise<readonly string[]> {
  return (await client.listPrompts()).map(({ name }) => name);
}

async function textOf(client: ProgramClient, uri: string): Promise<string> {
  return (await client.readResource(uri)).contents[0].text;
}

for (const era of ERAS) {
  Deno.test(`a ${era} client hears of every kind of change`, async (t) => {
    await withTree({
      [ONE]: skill("bmad-one", "First"),
      [`${SKILLS}/bmad-one/steps/step-01.md`]: "Step.\n",
      "shared/linked/SKILL.md": skill("bmad-linked", "Linked"),
      [`${SKILLS}/bmad-linked`]: { link: "../../../shared/linked" },
    }, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const { expect, times } = watching(client);
      const stopListening = await client.listen([
        ONE_URI,
        ONE_SPELLED,
        ONE_SKILL,
        "bmad://own/bmad-linked/SKILL.md",
      ]);
      const write = (path: string, text: string) => Deno.writeTextFile(`${dir}/${path}`, text);

      await t.step(verifies("resources:live", "a change right after the start is told"), async () => {
        await expect([ONE_URI, ONE_SPELLED], () => write(ONE, skill("bmad-one", "First", "Do it now.")));
        assert.match(await textOf(client, ONE_URI), /Do it now/);
      });
      await pause(SETTLED_MS);

      await t.step(
        verifies("resources:live", "a new thing is told, listed, counted and served"),
        async () => {
          assert.match((await client.listTools())[0].description, /0 agents and 2 workflows/);
          const told = await expect(["tools", "prompts", "resources"], async () => {
            await Deno.mkdir(`${dir}/${SKILLS}/bmad-two`);
            await write(`${SKILLS}/bmad-two/SKILL.md`, skill("bmad-two", "Second"));
          });
          assert.ok(!told.includes(ONE_URI), `${told}`);
          assert.match((await client.listTools())[0].description, /0 agents and 3 workflows/);
          assert.ok((await promptNames(client)).includes("bmad-two"));
          assert.match(await textOf(client, "bmad://own/bmad-two/SKILL.md"), /Second/);
        },
      );

      await t.step(
        verifies("resources:live", "an edit is told to whoever subscribed, by any spelling"),
        async () => {
          const told = await expect(
            [ONE_URI, ONE_SPELLED, ONE_SKILL],
            () => write(ONE, skill("bmad-one", "First", "Do more.")),
          );
          assert.deepEqual([...told].sort(), [ONE_SPELLED, ONE_URI, ONE_SKILL]);
          assert.match(await textOf(client, ONE_SPELLED), /Do more/);
        },
      );

      await t.step("a file that takes the place of another is an edit", async () => {
        await expect([ONE_URI], async () => {
          await write(`${SKILLS}/bmad-one/.tmp`, skill("bmad-one", "First", "Do all."));
          await Deno.rename(`${dir}/${SKILLS}/bmad-one/.tmp`, `${dir}/${ONE}`);
        });
        assert.match(await textOf(client, ONE_URI), /Do all/);
      });

      await t.step("an edit of what lists show is told of these lists", async () => {
        const told = await expect(["prompts", ONE_URI], () => write(ONE, skill("bmad-one", "Other")));
        assert.ok(!told.includes("tools") && !told.includes("resources"), `${told}`);
        const prompt = (await client.listPrompts()).find(({ name }) => name === "bmad-one");
        assert.equal(prompt.description, "Other");
      });

      await t.step("a new name is told", async () => {
        await expect(
          ["prompts", "resources"],
          () => Deno.rename(`${dir}/${SKILLS}/bmad-two`, `${dir}/${SKILLS}/bmad-three`),
        );
        const names = await promptNames(client);
        assert.deepEqual([names.includes("bmad-two"), names.includes("bmad-three")], [false, true]);
      });

      await t.step("a customization is a resource that comes and changes", async () => {
        const path = "_bmad/custom/bmad-one.toml";
        await expect(["resources"], async () => {
          await Deno.mkdir(`${dir}/_bmad/custom`);
          await write(path, '[workflow]\ngreeting = "one"\n');
        });
        const stop = await client.listen(["bmad://custom/bmad-one.toml", "bmad://config/current"]);
        await expect(
          ["bmad://custom/bmad-one.toml", "bmad://config/current"],
          () => write(path, '[workflow]\ngreeting = "another"\n'),
        );
        assert.match(await textOf(client, "bmad://custom/bmad-one.toml"), /another/);
        await stop();
      });

      await t.step("an edit behind a link is told", async () => {
        const uri = "bmad://own/bmad-linked/SKILL.md";
        await expect(
          [uri],
          () => write("shared/linked/SKILL.md", skill("bmad-linked", "Linked", "Elsewhere.")),
        );
        assert.match(await textOf(client, uri), /Elsewhere/);
      });

      await t.step("what is gone is told and no longer served", async () => {
        await expect(
          ["tools", "prompts", "resources"],
          () => Deno.remove(`${dir}/${SKILLS}/bmad-three`, { recursive: true }),
        );
        assert.equal((await promptNames(client)).includes("bmad-three"), false);
        await assert.rejects(client.readResource("bmad://own/bmad-three/SKILL.md"));
      });

      await t.step("a root that is deleted and made again is told both times", async () => {
        await expect(
          ["tools", "prompts", "resources", ONE_URI],
          () => Deno.remove(`${dir}/_bmad`, { recursive: true }),
        );
        assert.deepEqual(await promptNames(client), []);
        await expect(["tools", "prompts", "resources", ONE_URI], async () => {
          await Deno.mkdir(`${dir}/${SKILLS}/bmad-one/steps`, { recursive: true });
          await write(ONE, skill("bmad-one", "Reborn"));
          await write(`${SKILLS}/bmad-one/steps/step-01.md`, "Step.\n");
        });
        assert.deepEqual(await promptNames(client), ["bmad-one"]);
        await expect([ONE_URI], () => write(ONE, skill("bmad-one", "Reborn", "Once more.")));
      });

      await t.step("who no longer wants to hear of a resource does not", async () => {
        await stopListening();
        const stop = await client.listen(["bmad://own/bmad-one/steps/step-01.md"]);
        const told = await expect(["bmad://own/bmad-one/steps/step-01.md"], async () => {
          await write(ONE, skill("bmad-one", "Reborn", "For nobody."));
          await write(`${SKILLS}/bmad-one/steps/step-01.md`, "Another step.\n");
        });
        assert.ok(!told.includes(ONE_URI), `${told}`);
        await stop();
      });

      await t.step(
        verifies("resources:live", "all of this is told within a second"),
        () => assertInTime(times),
      );
      assert.equal(client.stderr(), "");
    });
  });

  Deno.test(
    verifies("resources:live", `a ${era} client hears of an installation that appears`),
    async () => {
      const installed = await installation({ version: "6.12.0", tools: "claude-code" });
      await withTree({ "notes.md": "mine" }, async (dir) => {
        await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
        const { expect } = watching(client);
        await client.listen([]);
        await pause(SETTLED_MS);
        assert.match((await client.listTools())[0].description, /0 agents and 0 workflows/);
        await expect(["tools", "prompts", "resources"], () => copyTree(installed, dir));
        // It may have been told while the last files were still coming.
        await pause(2 * SETTLED_MS);
        await using fresh = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
        assert.deepEqual(await client.listTools(), await fresh.listTools());
        assert.deepEqual(await client.listPrompts(), await fresh.listPrompts());
        assert.ok((await promptNames(client)).includes("bmad-analyst"));
      });
    },
  );

  Deno.test(`a ${era} client is offered the tools of the agents that there are now`, () =>
    withTree({ "_bmad/own/agents/nina.md": skill("nina", "Nina") }, async (dir) => {
      const args = ["--mode", "local", "--toolsets", "agents"];
      await using client = await startClient({ era, cwd: dir, args });
      const { expect } = watching(client);
      await client.listen([]);
      await pause(SETTLED_MS);
      const toolNames = async () => (await client.listTools()).map(({ name }) => name);
      assert.deepEqual(await toolNames(), ["bmad-workflow", "bmad-resources", "own-nina"]);
      const told = await expect(["tools"], async () => {
        await Deno.writeTextFile(`${dir}/_bmad/own/agents/anna.md`, skill("anna", "Anna"));
        await Deno.writeTextFile(`${dir}/_bmad/own/agents/zoe.md`, skill("zoe", "Zoe"));
        await Deno.remove(`${dir}/_bmad/own/agents/nina.md`);
      });
      assert.equal(told.filter((word) => word === "tools").length, 1);
      assert.deepEqual(await toolNames(), ["bmad-workflow", "bmad-resources", "own-anna", "own-zoe"]);
      const answer = await client.callTool("own-anna", { message: "Hello" });
      assert.match(answer.content[0]!.text, /Anna/);
      await assert.rejects(client.callTool("own-nina", { message: "Hello" }));
    }));

  Deno.test(`a ${era} client is told of a burst in a few words`, () =>
    withTree({ [ONE]: skill("bmad-one", "First") }, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const { expect } = watching(client);
      await client.listen([ONE_URI]);
      await pause(SETTLED_MS);
      const from = client.notices.length;
      const begun = performance.now();
      await expect(["tools", "prompts", "resources", ONE_URI], async () => {
        for (let i = 0; i < 500; i++) {
          await Deno.mkdir(`${dir}/${SKILLS}/bmad-${i}`);
          await Deno.writeTextFile(`${dir}/${SKILLS}/bmad-${i}/SKILL.md`, skill(`bmad-${i}`, `Number ${i}`));
          if (i % 10 === 0) await Deno.writeTextFile(`${dir}/${ONE}`, skill("bmad-one", "First", `${i}`));
          await pause(1);
        }
      });
      await pause(2 * SETTLED_MS);
      const seconds = (performance.now() - begun) / 1_000;
      const words = client.notices.slice(from).map(wordOf);
      for (const word of ["tools", "prompts", "resources", ONE_URI]) {
        const count = words.filter((other) => other === word).length;
        assert.ok(count <= 3 * seconds, `${word}: ${count} in ${seconds} s`);
      }
      assert.equal((await client.listPrompts()).length, 501);
      assert.match(await textOf(client, ONE_URI), /490/);
    }));

  Deno.test(`a ${era} client is never served half a file`, () =>
    withTree({ [ONE]: skill("bmad-one", "Text 0", "x".repeat(2_000)) }, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      await pause(SETTLED_MS);
      const whole = (round: number) => skill("bmad-one", `Text ${round}`, "x".repeat(2_000));
      let counted = 0;
      for (let round = 1; counted < 4; round++) {
        assert.ok(round < 40, "the machine is too busy to write a file in two halves");
        const text = whole(round);
        const begun = performance.now();
        // Cut in the front matter, or in the text below; the rest follows while we ask.
        await Deno.writeTextFile(`${dir}/${ONE}`, text.slice(0, round % 2 === 0 ? 20 : 900));
        const asked = [
          client.readResource(ONE_URI),
          client.readResource(ONE_URI),
          client.listPrompts(),
        ] as const;
        await pause(50);
        await Deno.writeTextFile(`${dir}/${ONE}`, text);
        const isQuick = performance.now() - begun < 150;
        const [one, other, prompts] = await Promise.all(asked);
        if (isQuick) {
          counted++;
          const known = [whole(round - 1), text];
          for (const { contents } of [one, other]) {
            assert.ok(known.includes(contents[0].text), contents[0].text);
          }
          assert.ok([`Text ${round - 1}`, `Text ${round}`].includes(prompts[0].description));
        }
        for (let tries = 0; (await client.listPrompts())[0].description !== `Text ${round}`; tries++) {
          assert.ok(tries < 200, "the new text is never listed");
          await pause(20);
        }
      }
      assert.equal(client.stderr(), "");
    }));
}
