/** Is every promise of requirements.json proved by a test, and does every test name promises that exist? */
import assert from "node:assert/strict";
import { checkPromises, PROMISES } from "./support/requirements.ts";

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
