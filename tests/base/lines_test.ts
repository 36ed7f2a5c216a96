/** Where does a line end? */
import assert from "node:assert/strict";
import { splitKeepingEnds, splitLines } from "../../src/base/text.ts";

Deno.test("a line ends at LF, CR LF or CR, and at nothing else", () => {
  const text = "a\r\nb\rc\n\r\r\nd\u2028e\u2029f\x85g";
  assert.deepEqual(splitLines(text), ["a", "b", "c", "", "", "d\u2028e\u2029f\x85g"]);
  assert.deepEqual(splitKeepingEnds(text), ["a\r\n", "b\r", "c\n", "\r", "\r\n", "d\u2028e\u2029f\x85g"]);
});
