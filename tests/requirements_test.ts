/**
 * Is every promise proved by a test, or openly listed as not proved yet?
 *
 * The first test reads the sources of all tests and compares the ids in them with requirements.ts; it prints
 * nothing when both agree. The others show on small sources that each disagreement is noticed.
 */
import assert from "node:assert/strict";
import { OPEN, REQUIREMENTS } from "./requirements.ts";
import { checkPromises, verifies } from "./support/requirements.ts";

Deno.test("every promise is proved by a test or listed as open", () => {
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
  assert.deepEqual(checkPromises(Object.keys(REQUIREMENTS), OPEN, tests), []);
});

Deno.test("every promise is one sentence under an id of its area", () => {
  for (const [id, { says }] of Object.entries(REQUIREMENTS)) {
    assert.match(id, /^[a-z]+:[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.match(says, /^\S.*\.$/, id);
  }
});

Deno.test("the name of a test ends with the ids of what it proves", () => {
  assert.equal(verifies("names:persona", "a name"), "a name [names:persona]");
  assert.equal(verifies(["names:plain", "names:persona"], "a name"), "a name [names:plain, names:persona]");
});

Deno.test("the promise check accepts what is proved and what is open", () => {
  const source =
    'Deno.test(verifies("a:one", "a sentence"), run);\nverifies([\n  "a:two",\n  "a:three",\n], "s");\n';
  assert.deepEqual(
    checkPromises(["a:one", "a:two", "a:three", "a:four"], ["a:four"], { "x_test.ts": source }),
    [],
  );
});

Deno.test("the promise check notices an id that nothing promises", () => {
  const source = '\nDeno.test(verifies("a:nine", "a sentence"), run);\n';
  assert.deepEqual(checkPromises([], [], { "x_test.ts": source }), [
    'x_test.ts:2: nothing is promised as "a:nine"',
  ]);
});

Deno.test("the promise check notices an id that it cannot read", () => {
  const source = "Deno.test(verifies(id, sentence), run);\n";
  assert.deepEqual(checkPromises([], [], { "x_test.ts": source }), [
    "x_test.ts:1: verifies() needs its ids as plain strings",
  ]);
});

Deno.test("the promise check notices a promise that is neither proved nor open", () => {
  const source = '// verifies("a:one", "only in a comment")\n';
  assert.deepEqual(checkPromises(["a:one"], [], { "x_test.ts": source }), [
    '"a:one" is promised, but no test proves it',
  ]);
});

Deno.test("the promise check notices a list of open promises that is out of date", () => {
  const source = 'Deno.test(verifies("a:one", "a sentence"), run);\n';
  assert.deepEqual(
    checkPromises(["a:one", "a:two"], ["a:one", "a:two", "a:two", "a:gone"], { "x_test.ts": source }),
    [
      '"a:one" is proved and must leave the list of open promises',
      '"a:two" is listed as open twice',
      '"a:gone" is listed as open, but nothing is promised as that',
    ],
  );
});
