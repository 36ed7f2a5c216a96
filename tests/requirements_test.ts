/** Is every promise of requirements.json proved by a test, and does every test name promises that exist? */
import assert from "node:assert/strict";
import promises from "./requirements.json" with { type: "json" };
import { blankText, lineAt } from "./support/source.ts";

type Promises = typeof promises;
type RequirementId = { [Part in keyof Promises]: keyof Promises[Part] }[keyof Promises];

const PROMISES: Readonly<Record<RequirementId, string>> = Object.assign(
  {},
  ...Object.values(promises),
);

/** The ids at the end of a test's name, and the quote that ends it. */
const IDS = / \[([a-z]+:[a-z0-9-]+(?:, [a-z]+:[a-z0-9-]+)*)\](["`])/g;

/** What is wrong between the promises and the sources of the tests, whose names must have the ids as plain text. */
function checkPromises(ids: readonly string[], tests: Readonly<Record<string, string>>): string[] {
  const complaints: string[] = [];
  const proved = new Set<string>();
  for (const [file, source] of Object.entries(tests)) {
    const code = blankText(source);
    for (const { 0: { length }, 1: named, 2: quote, index } of source.matchAll(IDS)) {
      // In a comment there is no quote.
      if (code[index + length - 1] !== quote) continue;
      for (const id of named!.split(", ")) {
        if (ids.includes(id)) proved.add(id);
        else complaints.push(`${file}:${lineAt(source, index)}: nothing is promised as "${id}"`);
      }
    }
  }
  const missing = ids.filter((id) => !proved.has(id));
  return [...complaints, ...missing.map((id) => `"${id}" is promised, but no test proves it`)];
}

Deno.test("every promise is proved by a test", () => {
  const tests: Record<string, string> = {};
  const gather = (dir: string) => {
    for (const { name, isDirectory, isFile } of Deno.readDirSync(new URL(dir, import.meta.url))) {
      const path = `${dir}${name}`;
      if (isDirectory) gather(`${path}/`);
      // This file names ids only to show how they are read.
      else if (isFile && name.endsWith("_test.ts") && path !== "./requirements_test.ts") {
        tests[path] = Deno.readTextFileSync(new URL(path, import.meta.url));
      }
    }
  };
  gather("./");
  assert.deepEqual(checkPromises(Object.keys(PROMISES), tests), []);
});

Deno.test("every promise is one sentence under an id of its area", () => {
  for (const [id, sentence] of Object.entries(PROMISES)) {
    assert.match(id, /^[a-z]+:[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.match(sentence, /^\S.*\.$/, id);
  }
});

Deno.test("the check of promises notices each disagreement", () => {
  const cases: readonly (readonly [ids: readonly string[], source: string, complaints: readonly string[]])[] =
    [
      [["a:one", "a:two", "a:three"], 'Deno.test("s [a:one]", run);\nstep(`s ${x} [a:two, a:three]`);\n', []],
      [[], '\nDeno.test("a sentence [a:nine]", run);\n', ['x_test.ts:2: nothing is promised as "a:nine"']],
      [["a:one"], '// Deno.test("s [a:one]")\n', ['"a:one" is promised, but no test proves it']],
    ];
  for (const [ids, source, complaints] of cases) {
    assert.deepEqual(checkPromises(ids, { "x_test.ts": source }), complaints);
  }
});
