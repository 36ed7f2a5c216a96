/** Is everything visible that nobody would see, and does what scripts and emoji need stay? */
import assert from "node:assert/strict";
import {
  detached,
  escapeControls,
  markHidden,
  markTexts,
  oneLine,
  safeText,
  splitKeepingEnds,
  splitLines,
} from "../../src/base/text.ts";
import { HIDDEN_TEXTS, PLAIN_TEXTS } from "../support/hidden_text.ts";
import { isSlow } from "../support/hostile_texts.ts";

Deno.test("what nobody sees is marked, and marked once [text:hidden]", () => {
  for (const [name, [text, shown]] of Object.entries(HIDDEN_TEXTS)) {
    assert.equal(markHidden(text), shown, name);
    assert.equal(markHidden(shown), shown, name);
    assert.equal(markHidden(oneLine(text)), oneLine(text), name);
    assert.deepEqual(JSON.parse(escapeControls(JSON.stringify({ text }))), { text }, name);
  }
  assert.deepEqual(markTexts({ a: ["b\u200B", 1, null], c: true }), { a: ["b\uFFFD", 1, null], c: true });
  assert.equal(safeText("\uFEFFa\r\nb"), "a\nb");
  assert.equal(markHidden("a\r\nb"), "a\r\nb");
});

Deno.test("ordinary scripts, emoji and the joiners that languages need stay [text:hidden]", () => {
  for (const text of PLAIN_TEXTS) {
    assert.equal(markHidden(text), text);
    assert.equal(escapeControls(text), text);
  }
});

Deno.test("no character that Unicode ignores or calls a format stays alone [text:hidden]", () => {
  const visible = /[\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}]/u;
  const hidden =
    /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}]/u;
  for (let code = 0; code <= 0x10FFFF; code++) {
    const character = String.fromCodePoint(code);
    const isMarked = markHidden(`a${character}b`) !== `a${character}b`;
    if (isMarked !== (hidden.test(character) && !visible.test(character))) assert.fail(code.toString(16));
  }
});

Deno.test("a long text is marked in time that grows with its length [text:hidden]", () => {
  for (const part of ["\u200B", "😀\uFE0F", "می‌", "a\u{E0041}", "\r", "x — ’"]) {
    assert.ok(!isSlow((size) => markHidden(part.repeat(size))), JSON.stringify(part));
  }
});

Deno.test("a line ends at LF, CR LF or CR, and at nothing else", () => {
  const text = "a\r\nb\rc\n\r\r\nd\u2028e\u2029f\x85g";
  assert.deepEqual(splitLines(text), ["a", "b", "c", "", "", "d\u2028e\u2029f\x85g"]);
  assert.deepEqual(splitKeepingEnds(text), ["a\r\n", "b\r", "c\n", "\r", "\r\n", "d\u2028e\u2029f\x85g"]);
});

Deno.test("a detached value is the same, and keeps nothing of the text that it was cut from", () => {
  const marks = new Map([["a", 1]]);
  const value = { a: "Grüße aus dem Tal 🏗️ \n", b: [undefined, { c: null, d: 7 }], e: marks, f: undefined };
  assert.deepEqual(detached(value), value);
  assert.equal(detached(value).e, marks);
  const before = Deno.memoryUsage().heapUsed;
  const kept = Array.from(
    { length: 1_000 },
    (_, at) => detached(`${at}`.padEnd(500_000, " text").slice(0, 50)),
  );
  assert.ok(Deno.memoryUsage().heapUsed - before < 250_000_000, "half of what the whole texts take");
  assert.equal(kept.at(-1)!.length, 50);
});
