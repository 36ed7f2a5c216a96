/** Does `deno task near` find the tests of a change? */
import assert from "node:assert/strict";
import { testsNear } from "./near.ts";

const TESTS = {
  "tests/serve/page_test.ts": 'import { draw } from "../../src/serve/board/draw.ts";',
  "tests/serve/http/gate_test.ts": 'import { trees } from "../../support/trees.ts";',
  "tests/base/text_test.ts": "",
};

Deno.test("a change has the tests of its folder, those that import it, and itself", () => {
  const near = (...changed: readonly string[]) => testsNear(changed, TESTS);
  assert.deepEqual(near("src/serve/board/draw.ts"), ["tests/serve/page_test.ts"]);
  assert.deepEqual(near("src/serve/http/gate.ts"), ["tests/serve/http/gate_test.ts"]);
  assert.deepEqual(near("tests/support/trees.ts"), ["tests/serve/http/gate_test.ts"]);
  assert.deepEqual(near("tests/base/text_test.ts"), ["tests/base/text_test.ts"]);
  assert.deepEqual(near("README.md"), []);
});

Deno.test("what many tests share has the shortest of each folder", () => {
  const tests = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `tests/${at % 2 === 0 ? "base" : "serve"}/case${at}_test.ts`,
      `import { trees } from "../support/trees.ts";${" ".repeat(40 - at)}`,
    ]),
  );
  assert.deepEqual(testsNear(["tests/support/trees.ts"], tests), [
    "tests/base/case38_test.ts",
    "tests/serve/case39_test.ts",
  ]);
});
