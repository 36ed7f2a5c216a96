/** Does a name that passes mean one file, inside its folder, on every system? */
import assert from "node:assert/strict";
import { isPortableName, openNames } from "../../src/base/paths.ts";
import { SAFE_PATHS, UNSAFE_PAIRS, UNSAFE_PATHS } from "../support/unsafe_names.ts";

Deno.test("a name that is unsafe on any system is refused with its reason", () => {
  for (const path of UNSAFE_PATHS) {
    assert.match(
      openNames()(path) ?? "safe",
      /^(it|a name in it) (leads|has|ends|is) /,
      JSON.stringify(path),
    );
    if (!path.includes("/") && path !== "") assert.ok(!isPortableName(path), JSON.stringify(path));
  }
  const whyUnsafe = openNames();
  for (const path of SAFE_PATHS) assert.equal(whyUnsafe(path), undefined, path);
});

Deno.test("names that some system takes for one are refused side by side, in any order", () => {
  for (const pair of UNSAFE_PAIRS.flatMap(([one, other]) => [[one, other], [other, one]] as const)) {
    const whyUnsafe = openNames();
    const [first, second] = pair.map(whyUnsafe);
    assert.equal(first, undefined);
    assert.match(second ?? "safe", /differs from it only in case or accents$/, pair.join(" "));
  }
  // A folder is named again by every file in it.
  const whyUnsafe = openNames();
  assert.deepEqual(["a", "a/b", "a/b/c", "a/d"].map(whyUnsafe), Array(4).fill(undefined));
});
