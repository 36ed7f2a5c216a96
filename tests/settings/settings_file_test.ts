/**
 * Is a settings file understood as TOML would understand it, and is everything else refused with its line?
 *
 * The parser is written by hand and takes a small part of TOML. What it takes is compared with a real TOML
 * parser; what TOML refuses must be refused here too.
 */
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { parseSettingsFile } from "../../src/settings/settings_file.ts";

/** Texts that are taken, and what they say. */
const TAKEN: readonly (readonly [text: string, settings: Readonly<Record<string, readonly string[]>>])[] = [
  ["", {}],
  ["# nothing\n\n   \t\n  # here\n", {}],
  ['mode = "auto"', { mode: ["auto"] }],
  ["mode='auto'\n", { mode: ["auto"] }],
  ['  mode\t=  "auto"   # why\n', { mode: ["auto"] }],
  ['a-b_c9 = ""', { "a-b_c9": [""] }],
  ['a = "x # no comment" # a comment', { a: ["x # no comment"] }],
  ["a = 'C:\\new\\table'", { a: ["C:\\new\\table"] }],
  ['a = "tab\\t quote\\" slash\\\\ line\\n \\u00e9"', { a: ['tab\t quote" slash\\ line\n é'] }],
  ["a = 42\nb = -7\nc = 0", { a: ["42"], b: ["-7"], c: ["0"] }],
  ["a = true\nb = false # no", { a: ["true"], b: ["false"] }],
  ['a = []\nb = [ "x" ]\nc = ["x","y",]', { a: [], b: ["x"], c: ["x", "y"] }],
  ['a = [ # open\n  "x", # "z"\n\n  \'y]\'\n]\nb = 1', { a: ["x", "y]"], b: ["1"] }],
  ['\uFEFFa = "x"\r\nb = [\r\n  "y",\r\n]\r\n', { a: ["x"], b: ["y"] }],
  ['a = "grüß 🎉"', { a: ["grüß 🎉"] }],
];

function settingsOf(text: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(parseSettingsFile(text, "f").map(({ key, texts }) => [key, texts]));
}

Deno.test("a settings file may hold strings, whole numbers, booleans and arrays of strings", () => {
  for (const [text, settings] of TAKEN) assert.deepEqual(settingsOf(text), settings, text);
});

Deno.test("a settings file that is taken means the same to a TOML parser", () => {
  for (const [text] of TAKEN) {
    const values = Object.entries(parse(text.replace(/^\uFEFF/, "")));
    const texts = values.map(([key, value]) => [key, [value].flat().map(String)]);
    assert.deepEqual(settingsOf(text), Object.fromEntries(texts), text);
  }
});

Deno.test("a settings file tells the line on which a setting begins", () => {
  const rows = parseSettingsFile('\n# one\na = "x"\r\nb = [\n "y",\n]\n\nc = 1', "f");
  assert.deepEqual(rows, [
    { key: "a", texts: ["x"], line: 3, end: 3 },
    { key: "b", texts: ["y"], line: 4, end: 6 },
    { key: "c", texts: ["1"], line: 8, end: 8 },
  ]);
});

Deno.test("a settings file that is wrong is refused with the line, the column and what is wanted", () => {
  const KEY = 'expected key = "value"';
  const VALUE = "expected a quoted string, a whole number, true, false or an array of strings";
  const table: readonly (readonly [text: string, line: number, column: number, problem: string])[] = [
    ["mode", 1, 1, KEY],
    ['a = "x"\n[table]', 2, 1, KEY],
    ["  a.b = 1", 1, 3, KEY],
    ['"a" = 1', 1, 1, KEY],
    ["\n\n= 1", 3, 1, KEY],
    ["a = ", 1, 5, VALUE],
    ["a = auto", 1, 5, VALUE],
    ["a=1.5", 1, 3, VALUE],
    ["a = 1979-05-27", 1, 5, VALUE],
    ["a = = 1", 1, 5, VALUE],
    ['a = "x', 1, 5, VALUE],
    ["a = 'it's'", 1, 5, VALUE],
    ['a = "bad \\q escape"', 1, 5, VALUE],
    ['a = """x"""', 1, 5, VALUE],
    ["a = { b = 1 }", 1, 5, VALUE],
    ["a = [1, 2]", 1, 5, VALUE],
    ['a = ["x" "y"]', 1, 5, VALUE],
    ['a = ["x",, "y"]', 1, 5, VALUE],
    ['a = [["x"]]', 1, 5, VALUE],
    ['a = "x" b = "y"', 1, 5, VALUE],
    ['a = 1\nb = [\n "x",\n', 2, 5, VALUE],
    ["a = 1\nb = 2\n a = 3", 3, 2, "duplicate key a"],
    ["a = 1\r\nb = [\r\n 'x\u0001'\r\n]", 3, 4, "unexpected control character"],
  ];
  for (const [text, line, column, problem] of table) {
    assert.throws(() => parseSettingsFile(text, "dir/f.toml"), {
      failure: { code: "invalid-file", path: "dir/f.toml", line, column, problem },
      message: `Cannot read dir/f.toml:${line}:${column}: ${problem}`,
    }, text);
  }
});

Deno.test("what a broken line of a settings file says is not repeated: it may hold a password", () => {
  for (const text of ["token = s3cret", 'paths = ["git+https://ann:s3cret@example.org/r.git]']) {
    assert.throws(() => parseSettingsFile(text, "f"), (error: Error) => !error.message.includes("s3cret"));
  }
});

const REFUSED: Readonly<Record<string, string>> = {
  "a number with leading zeros": "a = 007",
  "an escape that only JSON knows": 'a = "x\\/y"',
  "an escape of half a character": 'a = "\\ud83d\\ude00"',
  "a quote that stands alone behind the value": 'a = "x" "',
  "an apostrophe behind a boolean": "a = true'",
  "an array with a string that goes over its line": 'a = ["x\n"y"]',
  "a control character in a literal string": "a = 'x\u0001'",
  "a control character in a comment": "a = 1 # \u0001",
  "a space that is no plain one": "a\u00a0= 1",
};

for (const [what, text] of Object.entries(REFUSED)) {
  Deno.test(`a settings file is refused for ${what}, as TOML refuses it`, () => {
    assert.throws(() => parse(text));
    assert.throws(() => parseSettingsFile(text, "f"), { name: "BmadError" });
  });
}
