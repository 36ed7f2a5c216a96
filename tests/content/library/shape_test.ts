/** Is a long text split without loss, a long list into pages, and does a glob match correctly? */
import assert from "node:assert/strict";
import { globMatcher } from "../../../src/content/library/lists/listing.ts";
import { byteLength, fitsBytes, splitParts, takePage } from "../../../src/content/library/shape.ts";
import { chanceFrom } from "../../support/chance.ts";

const itself = (text: string) => text;

/** Texts that are awkward to cut, and limits that make them be cut. */
const TEXTS: Readonly<Record<string, string>> = {
  "short lines": "one\ntwo\nthree\n",
  "no end of line at the end": "one\ntwo\nthree",
  "empty lines": "\n\n\n\n\n\n",
  "CRLF": "one\r\ntwo\r\nthree\r\n",
  "one long line": "x".repeat(1_000),
  "a long line between short ones": `a\n${"x".repeat(100)}\nb\n${"y".repeat(90)}c`,
  "two bytes each": "é".repeat(200),
  "three bytes each": "漢字\n".repeat(50) + "漢".repeat(99),
  "four bytes each": "🎉".repeat(60),
  "half a character": "a\ud83d".repeat(30),
  "a byte order mark": `\uFEFF${"text\n".repeat(20)}`,
};

Deno.test("a text fits if its bytes in UTF-8 are no more than the limit", () => {
  for (const [what, text] of Object.entries(TEXTS)) {
    const { length } = new TextEncoder().encode(text);
    assert.equal(byteLength(text), length, what);
    assert.deepEqual([-1, 0, 1].map((more) => fitsBytes(text, length + more)), [false, true, true], what);
  }
});

Deno.test("the parts of a text are the text, within the limit [tool:parts]", () => {
  for (const [what, text] of Object.entries(TEXTS)) {
    for (const limit of [4, 5, 7, 16, 33, 64, 1_000_000]) {
      const parts = splitParts(text, limit);
      assert.equal(parts.join(""), text, `${what} in ${limit}`);
      const largest = Math.max(...parts.map(byteLength));
      assert.equal(largest <= limit, true, `${what} in ${limit}: a part has ${largest} bytes`);
      assert.equal(parts.includes(""), false, `${what} in ${limit}: an empty part`);
    }
  }
});

Deno.test("a part ends at the end of a line where possible, and never within a character", () => {
  const table: readonly (readonly [string, number, readonly string[]])[] = [
    ["one\ntwo\nthree\n", 8, ["one\ntwo\n", "three\n"]],
    ["one\ntwo\nthree\n", 7, ["one\n", "two\n", "three\n"]],
    ["one\ntwo\nthree\n", 14, ["one\ntwo\nthree\n"]],
    ["a\r\nb\r\nc", 6, ["a\r\nb\r\n", "c"]],
    ["ab\nabcdefgh\ncd\n", 4, ["ab\n", "abcd", "efgh", "\ncd\n"]],
    ["éé\nx", 4, ["éé", "\nx"]],
    ["\n\n\n", 2, ["\n\n", "\n"]],
    ["", 10, [""]],
    ["a", 1, ["a"]],
    ["🎉🎉", 2, ["🎉", "🎉"]],
    ["a🎉b", 4, ["a", "🎉", "b"]],
  ];
  for (const [text, limit, parts] of table) assert.deepEqual(splitParts(text, limit), parts);
});

Deno.test("a very long line is cut without measuring each of its characters", () => {
  const { encode } = TextEncoder.prototype;
  let measured = 0;
  TextEncoder.prototype.encode = function (text) {
    if (++measured > 10_000) throw new Error("measured more than 10000 pieces of text");
    return encode.call(this, text);
  };
  try {
    const parts = splitParts("x".repeat(10_000_000), 16_000);
    assert.equal(parts.length, 625);
    assert.equal(parts.every((part) => part.length === 16_000), true);
  } finally {
    TextEncoder.prototype.encode = encode;
  }
});

Deno.test("pages of a list have each item once, and the total [tool:list-paged]", () => {
  const items = ["a", "b", "c", "d", "e"];
  const seen: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = takePage(items, 2, cursor, itself);
    assert.equal(page.total, 5);
    seen.push([...page.items]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, [["a", "b"], ["c", "d"], ["e"]]);
  assert.deepEqual(takePage([], 10, undefined, itself), { items: [], total: 0, nextCursor: undefined });
});

Deno.test("a changed list continues after the last item shown [tool:list-paged]", () => {
  const { nextCursor } = takePage([..."abcdefgh"], 4, undefined, itself);
  const rest = (left: string) => takePage([...left], 4, nextCursor, itself).items.join("");
  const table = {
    "abcdefgh": "efgh",
    "abcdfgh": "fgh",
    "defgh": "efgh",
    "cdgh": "gh",
    "dh": "h",
    "abcd": "",
    "xyabcdefgh": "efgh",
    "abcdzefgh": "zefg",
    // The last item shown has gone: the next one takes its place.
    "abcefgh": "efgh",
    "efgh": "efgh",
    "aeh": "eh",
    // One of them was used, and leads the list now.
    "dabcefgh": "efgh",
    "eabcdfgh": "fgh",
    "": "",
  };
  for (const [left, expected] of Object.entries(table)) assert.equal(rest(left), expected, left);
  // Both have gone: an item may come twice.
  assert.equal(rest("abcfgh"), "cfgh");
  assert.equal(
    takePage(["a", "a", "a", "a", "b"], 2, undefined, itself).nextCursor?.startsWith("at-2-5-"),
    true,
  );
});

Deno.test("no item is left out when others vanish between pages [tool:list-paged]", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const chance = chanceFrom(seed);
  for (let round = 0; round < 500; round++) {
    let items = Array.from({ length: 1 + chance.below(40) }, (_, at) => `item ${chance.below(3)} ${at}`);
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = takePage(items, 1 + chance.below(7), cursor, itself);
      page.items.forEach((item) => seen.add(item));
      cursor = page.nextCursor;
      if (cursor !== undefined) items = items.filter(() => chance.below(4) > 0);
    } while (cursor !== undefined);
    const missed = items.filter((item) => !seen.has(item));
    assert.deepEqual(missed, [], `seed ${seed}, round ${round}`);
  }
});

Deno.test("a cursor from anywhere costs no more than a look at each item", () => {
  const items = [..."abcdefgh"];
  let looks = 0;
  const counting = (item: string) => (looks++, item);
  assert.deepEqual(takePage(items, 2, "at-999999999999-999999999999-zzzzzzz-zzzzzzz", counting).items, []);
  assert.equal(looks <= 4 * items.length, true, `${looks} looks`);
});

Deno.test("an unknown cursor is refused", () => {
  for (
    const cursor of ["", "2", "at-", "at--1", "at-1e0", "at-2 ", "AT-2", "at-99999999999999999999"]
  ) {
    assert.throws(() => takePage(["a", "b", "c", "d", "e"], 2, cursor, itself), {
      failure: {
        code: "invalid-input",
        field: "cursor",
        problem: `"${cursor}" is not a cursor of this list`,
      },
    });
  }
});

Deno.test("a glob matches whole paths, a star in its folder [tool:list-filters]", () => {
  const table: readonly (readonly [pattern: string, fits: readonly string[], not: readonly string[]])[] = [
    ["a/b.md", ["a/b.md"], ["a/b.mdx", "x/a/b.md", "a/b", "A/b.md", ""]],
    ["bmad://a/b.md", ["a/b.md"], ["bmad://a/b.md"]],
    ["*", ["a", "a.md", ""], ["a/b", "/"]],
    ["*.md", ["a.md", ".md"], ["a/b.md", "a.mdx"]],
    ["a/*", ["a/b", "a/"], ["a", "a/b/c", "b/a/x"]],
    ["a/*/c", ["a/b/c", "a//c"], ["a/c", "a/b/b/c"]],
    ["?.md", ["a.md", "é.md"], [".md", "ab.md", "/.md"]],
    ["a?b", ["axb"], ["a/b", "ab"]],
    ["**", ["", "a", "a/b/c.md"], []],
    ["**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.txt", "x/a.txt"]],
    ["a/**", ["a/", "a/b", "a/b/c"], ["a", "b/a/c"]],
    ["a/**/c.md", ["a/c.md", "a/b/c.md", "a/b/b/c.md"], ["a/xc.md", "ac.md", "b/c.md"]],
    ["**/b/**", ["b/x", "a/b/x/y"], ["ab/x", "b"]],
    ["*/*-template.md", ["prd/big-template.md"], ["big-template.md", "a/b/big-template.md"]],
    ["a.b+c(d)[e]{f}^$|\\", ["a.b+c(d)[e]{f}^$|\\"], ["axb+c(d)[e]{f}^$|\\", "a.bbc(d)[e]{f}^$|\\"]],
    ["", [""], ["a"]],
  ];
  for (const [pattern, fits, not] of table) {
    const matches = globMatcher(pattern);
    for (const path of fits) assert.equal(matches(path), true, `${pattern} should fit ${path}`);
    for (const path of not) assert.equal(matches(path), false, `${pattern} should not fit ${path}`);
  }
});

/** A path that counts how often it is looked at and gives up at a limit. */
function countedPath(text: string, limit: number): string {
  let looks = 0;
  const counted = new Proxy(new String(text), {
    get: (target, key) => {
      if (++looks > limit) throw new Error(`looked at the path more than ${limit} times`);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return counted as unknown as string;
}

Deno.test("a hostile glob costs no more than its length times the length of the path", () => {
  for (const star of ["*a", "**a", "?*a"]) {
    const pattern = star.repeat(13);
    const path = "a".repeat(1_999) + "b";
    const limit = 4 * pattern.length * path.length;
    assert.equal(globMatcher(pattern)(countedPath(path, limit)), false);
    assert.throws(() => globMatcher(star.repeat(30)), /it has more than 40 parts/);
  }
});
