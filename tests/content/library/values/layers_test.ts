/**
 * Are documents merged by BMAD's structural rules?
 *
 * tests/real/upstream_resolver_test.ts compares the same with BMAD's own scripts.
 */
import assert from "node:assert/strict";
import { mergeStructural } from "../../../../src/content/library/values/merge.ts";
import { parseToml } from "../../../../src/content/parse.ts";

Deno.test("documents are merged by BMAD's structural rules", () => {
  const item = (code: string, label: string) => ({ code, label });
  const table: readonly (readonly [
    what: string,
    base: Record<string, unknown>,
    over: Record<string, unknown>,
    merged: Record<string, unknown>,
  ])[] = [
    ["a scalar replaces", { a: 1, b: "x" }, { a: 2 }, { a: 2, b: "x" }],
    ["an empty text replaces too", { a: "x" }, { a: "" }, { a: "" }],
    ["false replaces true", { a: true }, { a: false }, { a: false }],
    ["a new key is added", { a: 1 }, { b: { c: 2 } }, { a: 1, b: { c: 2 } }],
    ["tables merge at every depth", { t: { a: 1, u: { b: 1 } } }, { t: { u: { c: 2 } } }, {
      t: { a: 1, u: { b: 1, c: 2 } },
    }],
    ["a plain list appends", { l: ["a", "b"] }, { l: ["b", "c"] }, { l: ["a", "b", "b", "c"] }],
    ["an empty list takes nothing away", { l: ["a"] }, { l: [] }, { l: ["a"] }],
    [
      "a list by code replaces in place and appends",
      { l: [item("A", "1"), item("B", "1")] },
      { l: [item("C", "2"), item("A", "2")] },
      { l: [item("A", "2"), item("B", "1"), item("C", "2")] },
    ],
    [
      "a replaced item loses what the new one does not say",
      { l: [{ code: "A", skill: "x" }] },
      { l: [{ code: "A", prompt: "y" }] },
      { l: [{ code: "A", prompt: "y" }] },
    ],
    ["a list by id does the same", { l: [{ id: "a", n: 1 }] }, { l: [{ id: "a", n: 2 }, { id: "b" }] }, {
      l: [{ id: "a", n: 2 }, { id: "b" }],
    }],
    [
      "a list of which one item has no key appends",
      { l: [{ code: "A" }, { name: "x" }] },
      { l: [{ code: "A" }] },
      { l: [{ code: "A" }, { name: "x" }, { code: "A" }] },
    ],
    [
      "codes and ids that are mixed append",
      { l: [{ code: "A" }] },
      { l: [{ id: "A" }] },
      { l: [{ code: "A" }, { id: "A" }] },
    ],
    [
      "twins in the base stay, and the last of them is replaced",
      { l: [item("A", "1"), item("A", "2")] },
      { l: [item("A", "3")] },
      { l: [item("A", "1"), item("A", "3")] },
    ],
    [
      "twins above the base become one",
      { l: [item("B", "1")] },
      { l: [item("A", "2"), item("A", "3")] },
      { l: [item("B", "1"), item("A", "3")] },
    ],
    ["a list replaces a scalar", { a: "x" }, { a: ["y"] }, { a: ["y"] }],
    ["a scalar replaces a table", { a: { b: 1 } }, { a: 1 }, { a: 1 }],
    ["a table that is a name of the language merges", { constructor: { a: 1 } }, { constructor: { b: 2 } }, {
      constructor: { a: 1, b: 2 },
    }],
  ];
  for (const [what, base, over, merged] of table) assert.deepEqual(mergeStructural(base, over), merged, what);
});

Deno.test("an invalid key in a list of tables is refused", () => {
  const table: readonly (readonly [base: unknown[], over: unknown[], refused: string | undefined])[] = [
    [[{ code: 7 }], [{ code: "A" }], "expected text as `code` of a list item, got 7"],
    [[{ code: "A" }], [{ code: "" }], 'expected text as `code` of a list item, got ""'],
    [[{ id: "a" }], [{ id: true }], "expected text as `id` of a list item, got true"],
    [[{ code: "A", id: 1 }], [{ code: "B", id: 2 }], undefined],
    [[{ code: 7 }], [{ name: "no key" }], undefined],
    [[{ code: 7 }], ["text"], undefined],
    [[], [], undefined],
  ];
  for (const [base, over, refused] of table) {
    const reasons: string[] = [];
    mergeStructural({ t: { l: base } }, { t: { l: over } }, (reason) => reasons.push(reason));
    assert.deepEqual(reasons, refused === undefined ? [] : [refused]);
  }
});

Deno.test("a key like __proto__ is a key like any other", () => {
  const base = parseToml('__proto__ = "x"\n[t.__proto__]\na = 1\n').value;
  const merged = mergeStructural(base, parseToml("[t.__proto__]\nb = 2\n").value);
  assert.equal(JSON.stringify(merged), '{"__proto__":"x","t":{"__proto__":{"a":1,"b":2}}}');
  assert.equal(({} as Record<string, unknown>)["b"], undefined);
});
