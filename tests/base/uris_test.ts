/** Is a text with a scheme either a well-formed URI, or told what is wrong with it? */
import assert from "node:assert/strict";
import { Invalid } from "../../src/base/invalid.ts";
import { isUri, pathOfUri } from "../../src/base/uris.ts";

const SCHEME = "bmad://";

Deno.test("a path and a name are no URIs, whatever stands in them", () => {
  for (
    const text of ["bmm/a.md", "./a:b.md", "{project-root}/a.md", "C:\\a", "c:/a", "file:a.md", "Mary", ""]
  ) {
    assert.ok(!isUri(text), text);
  }
  for (const text of ["bmad:/x", "BMAD://x", " bmad://x", "http://x", "file:///x", "git+ssh://x", "data:,"]) {
    assert.ok(isUri(text), text);
  }
});

Deno.test("the path of a URI is decoded, and a wrong URI is told what was expected", () => {
  assert.equal(pathOfUri("bmad://bmm/a%20b.md", SCHEME), "bmm/a b.md");
  const begin = "expected it to begin with bmad://";
  const escape = "expected every % to begin an encoded character, such as %20";
  for (
    const [uri, expected] of [
      ["bmad:/x", begin],
      [" bmad://x", begin],
      ["BMAD://x", begin],
      ["https://x", begin],
      ["bmad://", "expected a path after bmad://"],
      ["bmad://%zz", escape],
      ["bmad://x/100%", escape],
      ["bmad://%ff", escape],
    ] as const
  ) {
    assert.deepEqual(pathOfUri(uri, SCHEME), new Invalid(expected), uri);
  }
});
