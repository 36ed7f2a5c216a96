/**
 * Are the files that people and installers really write understood, and the broken ones survived? A parser returns
 * what it understood and half a sentence about the problem. Messages of the YAML and TOML libraries are theirs: only
 * our own words in front of them are compared.
 */
import assert from "node:assert/strict";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  normalizeText,
  parseCsv,
  type Parsed,
  parseDocumentFront,
  parseFrontMatter,
  parseTable,
  parseToml,
  parseYaml,
} from "../../src/content/parse.ts";
import { chanceFrom } from "../support/chance.ts";
import { parseJson } from "../../src/base/values.ts";

function plain<T>({ value, problem }: Parsed<T>): readonly [unknown, string | undefined] {
  return [structuredClone(value), problem?.replace(/cannot be parsed: .+/s, "cannot be parsed")];
}

type Table = readonly (readonly [text: string, value: unknown, problem?: string])[];

function check(parse: (text: string) => Parsed<unknown>, table: Table): void {
  for (const [text, value, problem] of table) {
    assert.deepEqual(plain(parse(text)), [value, problem], JSON.stringify(text));
  }
}

Deno.test("front matter lies between the first line and the next one that is exactly three dashes", () =>
  check(parseFrontMatter, [
    ["---\nname: a\ndescription: b\n---\nbody", { name: "a", description: "b" }],
    ["---\nname: a\n---", { name: "a" }],
    ["---\nname: a\n---\n---\nname: b\n---\n", { name: "a" }],
    ["---\nname: a\nrule: a --- b\nnext: ----\n---\n", { name: "a", rule: "a --- b", next: "----" }],
    ["\uFEFF---\r\nname: a\r\ntags: [x, y]\r\n---\r\nbody\r\n", { name: "a", tags: ["x", "y"] }],
  ]));

Deno.test("a text without front matter is not a problem", () =>
  check(parseFrontMatter, [
    ["", {}],
    ["# Title\n\n---\nname: a\n---\n", {}],
    ["\n---\nname: a\n---\n", {}],
    [" ---\nname: a\n---\n", {}],
    ["----\nname: a\n----\n", {}],
    ["## <!-- Made by hand -->\n\n---\nname: a\n---\n", {}],
  ]));

Deno.test("empty front matter does not swallow the text up to the next line of dashes", () =>
  check(parseFrontMatter, [
    ["---\n---\nname: a\n---\n", {}],
    ["---\n\n---\nbody\n---\n", {}],
    ["---\r\n---\r\nname: a\r\n---\r\n", {}],
  ]));

Deno.test("unclosed front matter yields nothing and is reported", () =>
  check(parseFrontMatter, [
    ["---", {}, "the front matter is not closed"],
    ["---\nname: a\n", {}, "the front matter is not closed"],
    ["---\nname: a\n ---\n", {}, "the front matter is not closed"],
  ]));

Deno.test("front matter that is not YAML keeps name, description and title", () =>
  check(parseFrontMatter, [
    [
      "---\nname: a\ndescription: Use when: \"x\" or 'y': z\nother: kept: not\n---\n",
      { name: "a", description: "Use when: \"x\" or 'y': z" },
      "the front matter cannot be parsed",
    ],
    [
      "---\nname: 'a'\ntitle: \"T\"\ndescription: it's: b\n---\n",
      { name: "a", title: "T", description: "it's: b" },
      "the front matter cannot be parsed",
    ],
    ["---\nname: a\nname: b\n---\n", { name: "b" }, "the front matter cannot be parsed"],
    ["---\nname: {{x}}\n---\n", { name: "{{x}}" }, "the front matter cannot be parsed"],
    ["---\r\nname: a\r\nx: [\r\n---\r\n", { name: "a" }, "the front matter cannot be parsed"],
    ["---\n  name: a\n description: b\n---\n", {}, "the front matter cannot be parsed"],
  ]));

Deno.test("in the front matter of a document, what YAML takes for something else is the text it is", () =>
  check(parseDocumentFront, [
    ["---\ntitle: Pay: by card\nafter: [1, 2]\nrefined: true\n---\nx: y: z\n", {
      title: "Pay: by card",
      after: [1, 2],
      refined: true,
    }],
    ["\uFEFF---\r\ntitle: A: b   # draft\r\nassignee: @ann\r\n---\r\n", { title: "A: b", assignee: "@ann" }],
    ['---\na: [WIP] x\nb: "x" or y\nc: *bold* x\nd: \'tis: x\ne: x:\nf: - x\ng: {x} y\n---\n', {
      a: "[WIP] x",
      b: '"x" or y',
      c: "*bold* x",
      d: "'tis: x",
      e: "x:",
      f: "- x",
      g: "{x} y",
    }],
    ["---\ntitle: A: b\nd: 'it''s: x' # y\ne: \"a: \\\"b\\\"\" # z\nf: |\n  x: y: z\ng:\n  - a\n---\n", {
      title: "A: b",
      d: "it's: x",
      e: 'a: "b"',
      f: "x: y: z\n",
      g: ["a"],
    }],
    ["---\nstatus: [\ntitle: A: b\n---\n", { title: "A: b" }, "the front matter cannot be parsed"],
    ["---\nstatus: a\nstatus: b: c\n---\n", {}, "the front matter cannot be parsed"],
    ["---\ntitle: A: b\n", {}, "the front matter is not closed"],
    ["# Title\n", {}],
  ]));

Deno.test("a YAML file that is not a map of keys and values is reported", () =>
  check(parseYaml, [
    ["a: 1\nb: [x, y]\nc: {d: true}\n", { a: 1, b: ["x", "y"], c: { d: true } }],
    ["\uFEFFa: 1\r\nb: |\r\n  x\r\n  y\r\n", { a: 1, b: "x\ny\n" }],
    ["---\na: 1\n", { a: 1 }],
    ["a: yes\nb: 2024-01-02\nc: ~\n", { a: "yes", b: "2024-01-02", c: null }],
    ["", {}, "the file is empty"],
    [" \r\n\t\n", {}, "the file is empty"],
    ["# nothing yet\n", {}, "the file is empty"],
    ["- a\n- b\n", {}, "the file is not a map of keys and values"],
    ["just words", {}, "the file is not a map of keys and values"],
    ["a: 1\na: 2\n", {}, "the YAML cannot be parsed"],
    ["a: [1, 2\n", {}, "the YAML cannot be parsed"],
    ["a: b: c\n", {}, "the YAML cannot be parsed"],
    ["a: 1\n---\nb: 2\n", {}, "the YAML cannot be parsed"],
    ["a: !!js/function 'x'\n", {}, "the YAML cannot be parsed"],
    ["a: *nobody\n", {}, "the YAML cannot be parsed"],
  ]));

Deno.test("a TOML file is its tables, or nothing", () =>
  check(parseToml, [
    // One number that is too large must not cost the whole file.
    ["id = 123456789012345678\nlist = [1, 0xffffffffffffff]\n[a]\nb = -9007199254740993\n", {
      id: "123456789012345678",
      list: [1, "72057594037927935"],
      a: { b: "-9007199254740993" },
    }],
    ["", {}],
    ["# nothing\n", {}],
    ['\uFEFF[agent]\r\nname = "A"\r\n', { agent: { name: "A" } }],
    ['[[agent.menu]]\ncode = "X"\n[[agent.menu]]\ncode = "Y"\n', {
      agent: { menu: [{ code: "X" }, { code: "Y" }] },
    }],
    ["a = 1\na = 2\n", {}, "the TOML cannot be parsed"],
    ["[a]\n[a]\n", {}, "the TOML cannot be parsed"],
    ["[agent\n", {}, "the TOML cannot be parsed"],
    ["a = b\n", {}, "the TOML cannot be parsed"],
  ]));

Deno.test("a problem is one line", () => {
  for (
    const { problem } of [parseYaml("a: [1\nb"), parseToml("[a\nb"), parseFrontMatter("---\na: [\n---\n")]
  ) {
    assert.match(problem ?? "", /^the .+ cannot be parsed: [^\n]+$/);
  }
});

Deno.test("a CSV file yields its rows, unquoted, with fields of any length", () =>
  check(parseCsv, [
    ["a,b\n1,2\n", [["a", "b"], ["1", "2"]]],
    ["a,b\n1,2", [["a", "b"], ["1", "2"]]],
    ["\uFEFFa,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]],
    ['"a","b"\n"x, y","say ""hi"""\n', [["a", "b"], ["x, y", 'say "hi"']]],
    ['a\n"two\nlines"\n', [["a"], ["two\nlines"]]],
    ["a,b\n,\n1,\n", [["a", "b"], ["", ""], ["1", ""]]],
    ["a,b,c\n1\n1,2,3,4\n", [["a", "b", "c"], ["1"], ["1", "2", "3", "4"]]],
    ["a\n\n\n1\n\n", [["a"], ["1"]]],
    ['a,b\nit"s,5" wide\n', [["a", "b"], ['it"s', '5" wide']]],
    ['a,b\n"",x\n', [["a", "b"], ["", "x"]]],
    ['""""\n', [['"']]],
    ["grüß,🎉", [["grüß", "🎉"]]],
    ["", [], "the file is empty"],
    ["\n\r\n", [], "the file is empty"],
  ]));

Deno.test("a CSV file with an unclosed quote keeps every row and character and is reported", () =>
  check(parseCsv, [
    [
      'a,b\n1,2\n"x y\nz,w\n',
      [["a", "b"], ["1", "2"], ["x y"], ["z", "w"]],
      "the CSV has an unclosed quote",
    ],
  ]));

Deno.test("a table has a record for each row, with an empty string for a missing field", () =>
  check(parseTable, [
    ["a,b\n1,2\n3\n4,5,6\n", [{ a: "1", b: "2" }, { a: "3", b: "" }, { a: "4", b: "5" }]],
    ["a,b\n", []],
    ["", [], "the file is empty"],
    ["a,a\n1,2\n", [{ a: "2" }]],
  ]));

Deno.test("a table accepts any column name", () => {
  const [row] = parseTable("__proto__,constructor\nx,y\n").value;
  assert.deepEqual(Object.entries(row!), [["__proto__", "x"], ["constructor", "y"]]);
});

Deno.test("a value counts as text, list or map only if it is one", () => {
  assert.deepEqual([" a ", 5, true].map(asText), ["a", "5", "true"]);
  for (const none of ["", "  ", null, undefined, ["a"], {}]) assert.equal(asText(none), undefined);
  assert.deepEqual(asTexts(["a", 1, "", null, ["b"], " c "]), ["a", "1", "c"]);
  assert.deepEqual([asTexts("a"), asTexts(undefined), asTexts({ a: 1 })], [["a"], [], []]);
  assert.deepEqual([{ a: 1 }, ["a"], null, "a"].map(asValues), [{ a: 1 }, {}, {}, {}]);
  assert.equal(isValues({}), true);
  for (const other of [[], null, new Date(0), "a", undefined]) assert.equal(isValues(other), false);
  assert.equal(normalizeText("\uFEFFa\r\nb\rc\uFEFF"), "a\nb\nc\uFEFF");
});

Deno.test("a parser never throws, however random its input", () => {
  const { below, pick } = chanceFrom(6);
  const signs = [..."---\n\n:\"'[]{}#,=|>&*!%@`\\\t\r ?-.~\0a1é\uFEFF"];
  for (let i = 0; i < 200; i++) {
    const length = below(300);
    const text = i % 2 === 0
      ? new TextDecoder().decode(Uint8Array.from({ length }, () => below(256)))
      : Array.from({ length }, () => pick(signs)).join("");
    for (const parse of [parseYaml, parseToml, parseFrontMatter]) {
      for (const given of [text, `---\n${text}\n---\n`]) {
        assert.equal(isValues(parse(given).value), true, JSON.stringify(given));
      }
    }
    assert.equal(Array.isArray(parseCsv(text).value), true);
    assert.equal(Array.isArray(parseTable(text).value), true);
  }
});

Deno.test("a parser survives very deep and very long input", () => {
  const deep = "[".repeat(100_000);
  assert.match(parseYaml(`a: ${deep}`).problem ?? "", /^the YAML cannot be parsed/);
  assert.match(parseToml(`a = ${deep}`).problem ?? "", /^the TOML cannot be parsed/);
  // A small text of this kind has more levels than any function that calls itself for each of them.
  assert.match(parseToml(`${"a.".repeat(101)}a = 1`).problem ?? "", /nested more than 100 levels deep/);
  assert.equal(parseToml(`${"a.".repeat(99)}a = 1`).problem, undefined);
  assert.equal(parseJson(`${"[".repeat(50_000)}${"]".repeat(50_000)}`), undefined);
  assert.notEqual(parseJson(`${"[".repeat(100)}${"]".repeat(100)}`), undefined);
  const frontMatter = (value: string) => parseFrontMatter(`---\na: ${value}\n---\n`).problem ?? "";
  assert.match(frontMatter(deep.slice(0, 60_000)), /^the front matter cannot be parsed/);
  assert.equal(frontMatter(deep), "the front matter is longer than 65536 characters");
  const long = "x".repeat(1_000_000);
  assert.equal(parseCsv(`a\n"${long}"`).value[1]?.[0]?.length, 1_000_000);
  assert.equal(parseYaml(`a: ${long}`).value["a"], long);
});

Deno.test("a YAML file with aliases is understood unless it expands without end", () => {
  assert.deepEqual(plain(parseYaml("a: &a {x: 1}\nb: [*a, *a]\n")), [
    { a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] },
    undefined,
  ]);
  const rows = Array.from(
    { length: 10 },
    (_, at) => `a${at}: &a${at} [${Array(9).fill(at === 0 ? "x" : `*a${at - 1}`).join(", ")}]\n`,
  );
  for (const endless of [rows.join(""), "a: &a [*a]\n"]) {
    assert.deepEqual(plain(parseYaml(endless)), [{}, "its aliases expand far beyond the size of the file"]);
  }
});
