/** What happens if several results of a search fit about equally well? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer";
import { facts, say } from "../../support/answers.ts";
import { type ClientFeatures, clientHere, ERAS, type ProgramClient } from "../../support/client.ts";
import { withTree } from "../../support/trees.ts";

const PLACES = ["attic", "barn", "cellar", "den"];

/** Four skills that say the same of themselves but for a place, and one that says something else. */
const PROJECT = Object.fromEntries(
  [...PLACES.map((place) => [place, `Sweeps the ${place} with a broom`]), ["oven", "Heats the oven"]].map((
    [name, about],
  ) => [
    `bmad/home/skills/bmad-${name}/SKILL.md`,
    `---\nname: bmad-${name}\ndescription: ${about}\n---\nDo it.\n`,
  ]),
);

const UNCLEAR = { operation: "search", query: "sweep with a broom" };
const found = async (client: ProgramClient, args: Readonly<Record<string, unknown>> = UNCLEAR) =>
  (await facts(client, args)).items.map(({ name }: { name: string }) => name).join(" ");
const PLAIN = PLACES.join(" ");

const text = (text: string) => ({ role: "assistant", model: "test", content: { type: "text", text } });

for (const era of ERAS) {
  const ask = (
    sampling: NonNullable<ClientFeatures["sampling"]> | undefined,
    test: (client: ProgramClient, asked: readonly unknown[]) => Promise<void>,
    args: readonly string[] = [],
  ) =>
    withTree(PROJECT, async (cwd) => {
      const asked: unknown[] = [];
      const features: ClientFeatures = sampling === undefined ? {} : {
        sampling: (params) => {
          asked.push(params);
          return sampling(params);
        },
      };
      await using client = await clientHere({ era, cwd, args: ["--pack", "none", ...args], features });
      await test(client, asked);
    });

  Deno.test(`a sampling ${era} client orders equal hits [client:sampling-ranks]`, () =>
    ask(() => text("3, 1, 4, 2"), async (client, asked) => {
      assert.equal(await found(client), "cellar attic den barn");
      // deno-lint-ignore no-explicit-any
      const [{ messages, maxTokens }] = asked as any;
      const prompt = messages[0].content.text;
      assert.equal(
        prompt,
        "Rank these by how well they fit the request. Reply with their numbers only, best first, like 2,1,3.\n" +
          "Request: sweep with a broom\n" +
          PLACES.map((place, i) => `${i + 1}. home/bmad-${place}: Sweeps the ${place} with a broom`).join(
            "\n",
          ),
      );
      assert.ok(countTokens(prompt) <= 200 && maxTokens <= 200);
      // A clear hit is no question, and neither is a page that does not show all that may be meant.
      assert.equal(await found(client, { operation: "search", query: "heat the oven" }), "oven");
      assert.equal(await found(client, { ...UNCLEAR, limit: 2 }), "attic barn");
      assert.equal(await found(client, { ...UNCLEAR, limit: 2, cursor: "at-2" }), "cellar den");
      assert.equal(asked.length, 1);
    }));

  Deno.test(`a ${era} client that cannot sample gets first what it used [client:sampling-fallback]`, () =>
    ask(undefined, async (client) => {
      assert.equal(await found(client), PLAIN);
      await say(client, { operation: "execute", skill: "cellar" });
      assert.equal(await found(client), "cellar attic barn den");
      assert.equal(await found(client, { operation: "search", query: "sweep the attic" }), "attic");
    }));

  Deno.test(`a ${era} client is never asked for an order with --no-sampling [client:sampling-off]`, () =>
    ask(
      () => text("4,3,2,1"),
      async (client, asked) => {
        assert.equal(await found(client), PLAIN);
        await say(client, { operation: "execute", skill: "den" });
        assert.equal(await found(client), "den attic barn cellar");
        assert.deepEqual(asked, []);
      },
      ["--no-sampling"],
    ));
}
