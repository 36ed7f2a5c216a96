/** Which of two versions is newer, however people write them? */
import assert from "node:assert/strict";
import { compareVersions } from "../../src/base/versions.ts";

Deno.test("versions have the order of semantic versioning, and capitals do not count", () => {
  const sorted =
    ("no version, 1.0.0-1, 1.0.0-2, 1.0.0-10, 1.0.0-a, 1.0.0-a.1, 1.0.0-b, 1.0.0, v1.0.1, 1.10, 2, 4.44.3, " +
      "6.0.0-alpha.7, 6.0.0-alpha.22, 6.0.0-Beta.4, 6.0.0-Beta.10, 6.0.0-next.1, 6.0.0-rc.1, 6.0.0, " +
      "6.11.1-next.24, 6.11.1").split(", ");
  for (const [one, a] of sorted.entries()) {
    for (const [other, b] of sorted.entries()) {
      assert.equal(Math.sign(compareVersions(a, b)), Math.sign(one - other), `${a} ${b}`);
    }
  }
});

Deno.test("what is not a version is older than any version", () => {
  for (const text of [undefined, "", "latest", "1.0.0-", "1.2.3.4", "3d-models", "9".repeat(400)]) {
    assert.equal(compareVersions(text, "no version"), 0, text);
    assert.ok(compareVersions(text, "0.0.0-0") < 0, text);
  }
  assert.equal(compareVersions("1.0.0+a", "v1+b"), 0);
});
