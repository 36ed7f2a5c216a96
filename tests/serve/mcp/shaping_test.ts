/** Does a list contain what a model needs for a choice, and no more? */
import assert from "node:assert/strict";
import { rowsAnswer } from "../../../src/serve/mcp/answers.ts";
import { allItems, headLine, say } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const module = i % 2 === 0 ? "red" : "blue";
    return {
      name: `${module}/bmad-thing-${i}`,
      about: `Thing ${i}: does it. Use when the user says "do it".`,
      data: { name: `thing-${i}`, module },
    };
  });

const LISTING = { what: "things", isNamed: true, then: 'bmad {"skill":NAME}' };
const answer = rowsAnswer.bind(undefined, { config: { settings: { maxResult: 16_384 } } });
const linesOf = (...args: Parameters<typeof answer>) => answer(...args).text.split("\n");

Deno.test("a short list says in one sentence what each thing is, and how to go on [tool:list-shape]", () => {
  assert.deepEqual(linesOf(rows(3), {}, LISTING), [
    "3 things",
    "- red/bmad-thing-0: Thing 0: does it",
    "- blue/bmad-thing-1: Thing 1: does it",
    "- red/bmad-thing-2: Thing 2: does it",
    '→ bmad {"skill":NAME}',
  ]);
  assert.deepEqual(linesOf([], {}, LISTING), ["No things."]);
  assert.equal(linesOf(rows(12), {}, LISTING).length, 14);
});

Deno.test("a reason is told in full, with what to do about it [tool:list-next]", () => {
  const why = `${"x".repeat(80)}, line 3: the YAML cannot be parsed. Fix that line, or have it written again`;
  const verdict = { name: "next step unknown", about: why, data: { standing: "unknown", why } };
  assert.deepEqual(linesOf([verdict, ...rows(1)], {}, LISTING).slice(1, 3), [
    `- next step unknown: ${why}`,
    "- red/bmad-thing-0: Thing 0: does it",
  ]);
});

Deno.test("a long list describes what it leads with and names the rest by module [tool:list-shape]", () => {
  const lines = linesOf(rows(14), {}, LISTING);
  assert.deepEqual(lines.slice(0, 2), ["14 things", "- red/bmad-thing-0: Thing 0: does it"]);
  assert.deepEqual(lines.slice(8), [
    "- blue/bmad-thing-7: Thing 7: does it",
    "red: thing-8, thing-10, thing-12",
    "blue: thing-9, thing-11, thing-13",
    '→ bmad {"skill":NAME}',
  ]);
  // Who asks for so many gets a line about each, and so does who is told more than names.
  assert.equal(linesOf(rows(14), { limit: 20 }, LISTING).length, 16);
  assert.equal(linesOf(rows(14), {}, { ...LISTING, isNamed: false }).length, 16);
  // Nothing is lost to programs.
  const { items } = JSON.parse(answer(rows(14), { format: "json" }, LISTING).text);
  assert.deepEqual(items, rows(14).map(({ data }) => data));
});

Deno.test("an embedded list leads with required steps [tool:list-shape]", async () => {
  await using client = await clientHere({ era: "2026" });
  const text = await say(client, { operation: "list", query: "workflows" });
  const items = await allItems(client, { query: "workflows" });
  const described = [...text.matchAll(/^- (\S+): /gm)].map(([, name]) => name);
  assert.deepEqual(
    described,
    items.slice(0, 8).map((item: Record<string, string>) => `${item["module"]}/${item["id"]}`),
  );
  for (const name of ["bmm/bmad-prd", "bmm/bmad-architecture", "bmm/bmad-create-epics-and-stories"]) {
    assert.ok(described.includes(name), name);
  }
  // Every name that only is named leads to its thing, by the call of the last line.
  const named = [...text.matchAll(/^(\w+): (.+)$/gm)].flatMap(([, module, names]) =>
    names!.split(", ").map((name) => ({ module, name }))
  );
  assert.equal(described.length + named.length, items.length);
  const [, call] = /\n→ bmad (\{.*\})$/.exec(text)!;
  for (const { module, name } of [named[0]!, named.at(-1)!]) {
    const args = JSON.parse(call!.replace("NAME", JSON.stringify(name)));
    const item = items.find((one: Record<string, string>) =>
      one["name"] === name && one["module"] === module
    );
    assert.equal(headLine(await say(client, args)), `workflow: ${module}/${item.id}`);
  }
});
