/** Is a client notified of changes on disk, and served them, without a restart? */
import assert from "node:assert/strict";
import { ERAS, type Notice, type ProgramClient, startClient } from "../../support/client.ts";
import { installation } from "../../support/installs.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const skill = (id: string, description: string, body = "Do it.") =>
  `---\nname: ${id}\ndescription: ${description}\n---\n\n${body}\n`;

const SKILLS = "_bmad/own/skills";
const ONE = `${SKILLS}/bmad-one/SKILL.md`;
const ONE_URI = "bmad://own/bmad-one/SKILL.md";
const ONE_SPELLED = "bmad://_bmad/own/bmad-one/SKILL.md";
const ONE_SKILL = "skill://own/bmad-one/SKILL.md";

/** A skill that is edited after every change: once these edits are announced, so is everything before. */
const MARKER = ".claude/skills/bmad-marker/SKILL.md";
const MARKER_URI = "bmad://skills/bmad-marker/SKILL.md";
const MARKED = { [MARKER]: skill("bmad-marker", "Marker", "0") };

interface Watching {
  notified(words: readonly string[], act: () => Promise<unknown>): Promise<void>;
  /** The same; returns every notification that it led to. */
  expect(words: readonly string[], act: () => Promise<unknown>): Promise<readonly string[]>;
}

/** A notification in a word: `tools`, `prompts`, `resources`, or the URI of a resource. */
function wordOf({ method, params }: Notice): string {
  const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? [];
  return list ?? (method === "notifications/resources/updated" ? params.uri : method);
}

async function watch(client: ProgramClient, dir: string): Promise<Watching> {
  let marks = 0;
  const wordsFrom = (from: number) => client.notices.slice(from).map(wordOf);
  const notified: Watching["notified"] = async (words, act) => {
    const from = client.notices.length;
    await act();
    await until(
      `the client was notified of ${words}`,
      () => words.every((word) => wordsFrom(from).includes(word)),
      () => `instead of ${wordsFrom(from)}: ${client.stderr()}`,
    );
  };
  const mark = () => Deno.writeTextFile(`${dir}/${MARKER}`, skill("bmad-marker", "Marker", `${++marks}`));
  await client.listen([MARKER_URI]);
  // Reads everything: what comes now is a change.
  await client.listPrompts();
  return {
    notified,
    expect: async (words, act) => {
      const from = client.notices.length;
      await notified(words, act);
      // The first mark may be seen by a reading that began before the change.
      for (let n = 0; n < 2; n++) await notified([MARKER_URI], mark);
      return wordsFrom(from).filter((word) => word !== MARKER_URI);
    },
  };
}

async function promptNames(client: ProgramClient): Promise<readonly string[]> {
  return (await client.listPrompts()).map(({ name }) => name);
}

async function textOf(client: ProgramClient, uri: string): Promise<string> {
  return (await client.readResource(uri)).contents[0].text;
}

for (const era of ERAS) {
  Deno.test(`a ${era} client is notified of every kind of change`, async (t) => {
    await withTree({
      ...MARKED,
      [ONE]: skill("bmad-one", "First"),
      [`${SKILLS}/bmad-one/steps/step-01.md`]: "Step.\n",
      "shared/linked/SKILL.md": skill("bmad-linked", "Linked"),
      [`${SKILLS}/bmad-linked`]: { link: "../../../shared/linked" },
    }, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const { expect } = await watch(client, dir);
      const stopListening = await client.listen([
        ONE_URI,
        ONE_SPELLED,
        ONE_SKILL,
        "bmad://own/bmad-linked/SKILL.md",
      ]);
      const write = (path: string, text: string) => Deno.writeTextFile(`${dir}/${path}`, text);

      await t.step("a change right after the start is announced [resources:live]", async () => {
        await expect([ONE_URI, ONE_SPELLED], () => write(ONE, skill("bmad-one", "First", "Do it now.")));
        assert.match(await textOf(client, ONE_URI), /Do it now/);
      });

      await t.step("a new skill is announced, listed, counted and served [resources:live]", async () => {
        assert.match((await client.listTools())[0].description, /0 agents and 3 workflows/);
        const told = await expect(["tools", "prompts", "resources"], async () => {
          await Deno.mkdir(`${dir}/${SKILLS}/bmad-two`);
          await write(`${SKILLS}/bmad-two/SKILL.md`, skill("bmad-two", "Second"));
        });
        assert.ok(!told.includes(ONE_URI), `${told}`);
        assert.match((await client.listTools())[0].description, /0 agents and 4 workflows/);
        assert.ok((await promptNames(client)).includes("bmad-two"));
        assert.match(await textOf(client, "bmad://own/bmad-two/SKILL.md"), /Second/);
      });

      await t.step("an edit is announced under every spelling [resources:live]", async () => {
        const told = await expect(
          [ONE_URI, ONE_SPELLED, ONE_SKILL],
          () => write(ONE, skill("bmad-one", "First", "Do more.")),
        );
        assert.deepEqual([...told].sort(), [ONE_SPELLED, ONE_URI, ONE_SKILL]);
        assert.match(await textOf(client, ONE_SPELLED), /Do more/);
      });

      await t.step("a file that replaces another is an edit", async () => {
        await expect([ONE_URI], async () => {
          await write(`${SKILLS}/bmad-one/.tmp`, skill("bmad-one", "First", "Do all."));
          await Deno.rename(`${dir}/${SKILLS}/bmad-one/.tmp`, `${dir}/${ONE}`);
        });
        assert.match(await textOf(client, ONE_URI), /Do all/);
      });

      await t.step("an edit of what a list shows is announced for that list", async () => {
        const told = await expect(["prompts", ONE_URI], () => write(ONE, skill("bmad-one", "Other")));
        assert.ok(!told.includes("tools") && !told.includes("resources"), `${told}`);
        const prompt = (await client.listPrompts()).find(({ name }) => name === "bmad-one");
        assert.equal(prompt.description, "Other");
      });

      await t.step("a new name is announced", async () => {
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

      await t.step("an edit behind a link is announced", async () => {
        const uri = "bmad://own/bmad-linked/SKILL.md";
        await expect(
          [uri],
          () => write("shared/linked/SKILL.md", skill("bmad-linked", "Linked", "Elsewhere.")),
        );
        assert.match(await textOf(client, uri), /Elsewhere/);
      });

      await t.step("a deletion is announced, and no longer served", async () => {
        await expect(
          ["tools", "prompts", "resources"],
          () => Deno.remove(`${dir}/${SKILLS}/bmad-three`, { recursive: true }),
        );
        assert.equal((await promptNames(client)).includes("bmad-three"), false);
        await assert.rejects(client.readResource("bmad://own/bmad-three/SKILL.md"));
      });

      await t.step("a root that is deleted and created again is announced both times", async () => {
        await expect(
          ["tools", "prompts", "resources", ONE_URI],
          () => Deno.remove(`${dir}/_bmad`, { recursive: true }),
        );
        assert.deepEqual(await promptNames(client), ["bmad-marker"]);
        await expect(["tools", "prompts", "resources", ONE_URI], async () => {
          await Deno.mkdir(`${dir}/${SKILLS}/bmad-one/steps`, { recursive: true });
          await write(ONE, skill("bmad-one", "Reborn"));
          await write(`${SKILLS}/bmad-one/steps/step-01.md`, "Step.\n");
        });
        assert.deepEqual((await promptNames(client)).toSorted(), ["bmad-marker", "bmad-one"]);
        await expect([ONE_URI], () => write(ONE, skill("bmad-one", "Reborn", "Once more.")));
      });

      await t.step("a client that unsubscribed from a resource is not notified of it", async () => {
        await stopListening();
        const stop = await client.listen(["bmad://own/bmad-one/steps/step-01.md"]);
        const told = await expect(["bmad://own/bmad-one/steps/step-01.md"], async () => {
          await write(ONE, skill("bmad-one", "Reborn", "For nobody."));
          await write(`${SKILLS}/bmad-one/steps/step-01.md`, "Another step.\n");
        });
        assert.ok(!told.includes(ONE_URI), `${told}`);
        await stop();
      });

      // What is half written may be reported: the whole project is examined once the client is silent, at any step.
      assert.doesNotMatch(client.stderr(), /^bmad-mcp error/m);
    });
  });

  Deno.test(`a ${era} client is notified of an installation that appears [resources:live]`, async () => {
    const installed = await installation({ version: "6.12.0", tools: "claude-code" });
    await withTree(MARKED, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const { notified } = await watch(client, dir);
      assert.match((await client.listTools())[0].description, /0 agents and 1 workflow in/);
      await notified(["tools", "prompts", "resources"], () => copyTree(installed, dir));
      await using fresh = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      // It may have been notified while the last files were still being copied.
      // Whether a folder is a project that may be written to, and so has bmad_work, a start decides once.
      const readers = async (of: ProgramClient) =>
        (await of.listTools()).filter(({ name }) => name !== "bmad_work");
      const all = (of: ProgramClient) => Promise.all([readers(of), of.listPrompts()]);
      const expected = JSON.stringify(await all(fresh));
      await until("it has all of it", async () => JSON.stringify(await all(client)) === expected);
      assert.ok((await promptNames(client)).includes("bmad-analyst"));
    });
  });

  treeTest(`a ${era} client is offered the tools of the current agents`, {
    ...MARKED,
    "_bmad/own/agents/nina.md": skill("nina", "Nina"),
    "prepared/agents/anna.md": skill("anna", "Anna"),
    "prepared/agents/zoe.md": skill("zoe", "Zoe"),
  }, async (dir) => {
    const args = ["--mode", "local", "--toolsets", "agents"];
    await using client = await startClient({ era, cwd: dir, args });
    const { expect } = await watch(client, dir);
    const toolNames = async () => (await client.listTools()).map(({ name }) => name);
    assert.deepEqual(await toolNames(), ["bmad-workflow", "bmad-resources", "own-nina"]);
    // Two at once, as nobody can see one of them alone.
    const added = await expect(["tools"], () => Deno.rename(`${dir}/prepared`, `${dir}/_bmad/new`));
    assert.equal(added.filter((word) => word === "tools").length, 1);
    const removed = await expect(["tools"], () => Deno.remove(`${dir}/_bmad/own/agents/nina.md`));
    assert.equal(removed.filter((word) => word === "tools").length, 1);
    assert.deepEqual(await toolNames(), ["bmad-workflow", "bmad-resources", "new-anna", "new-zoe"]);
    const answer = await client.callTool("new-anna", { message: "Hello" });
    assert.match(answer.content[0]!.text, /Anna/);
    await assert.rejects(client.callTool("own-nina", { message: "Hello" }));
  });

  Deno.test(`a ${era} client is notified of a burst only a few times`, () =>
    withTree({ ...MARKED, [ONE]: skill("bmad-one", "First") }, async (dir) => {
      await using client = await startClient({ era, cwd: dir, args: ["--mode", "local"] });
      const { expect } = await watch(client, dir);
      await client.listen([ONE_URI]);
      const begun = performance.now();
      const wanted = ["tools", "prompts", "resources", ONE_URI];
      const words = await expect(wanted, async () => {
        for (let i = 0; i < 500; i++) {
          await Deno.mkdir(`${dir}/${SKILLS}/bmad-${i}`);
          await Deno.writeTextFile(`${dir}/${SKILLS}/bmad-${i}/SKILL.md`, skill(`bmad-${i}`, `Number ${i}`));
          if (i % 10 === 0) await Deno.writeTextFile(`${dir}/${ONE}`, skill("bmad-one", "First", `${i}`));
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      });
      // A busy machine takes longer to write, and reads more often meanwhile.
      const limit = 5 + 3 * (performance.now() - begun) / 1_000;
      for (const word of wanted) {
        const count = words.filter((other) => other === word).length;
        assert.ok(count <= limit, `${word}: ${count} of ${limit}`);
      }
      assert.equal((await client.listPrompts()).length, 502);
      assert.match(await textOf(client, ONE_URI), /490/);
    }));
}
