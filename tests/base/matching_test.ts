/** Does a search by words find what has them, whatever is searched for? */
import assert from "node:assert/strict";
import { openMatcher } from "../../src/base/matching.ts";

const score = (words: string, title: string, text = "") =>
  openMatcher(words)?.score([{ text: title, weight: 4 }, { text, weight: 1, isLong: true }]) ?? 0;

Deno.test("every word counts, in any form, case and accent, and in any place [search:project]", () => {
  for (
    const [words, title] of [
      ["book", "Booking a walk"],
      ["bookings", "Book a walk"],
      ["STORY", "All stories"],
      ["cafe", "Le café"],
      ["walk booking", "Book a walk"],
      ["who has the walk", "Book a walk"],
      ["予約", "散歩の予約"],
      ["прогулка", "Прогулка"],
      ["ui", "The UI"],
    ] as const
  ) assert.ok(score(words, title) > 0, words);
  for (
    const [words, title] of [
      ["walk cat", "Book a walk"],
      ["ook", "Book a walk"],
      ["ui", "A uint"],
      ["", "Book a walk"],
      ["?!", "Book a walk?!"],
    ] as const
  ) assert.equal(score(words, title), 0, words);
  assert.ok(score("book a walk", "Book a walk") > score("walk book", "Book a walk"), "a phrase is better");
  assert.ok(score("walk", "Walk") > score("walk", "Title", "A walk"), "so is a title");
  assert.equal(score("1-2", "Title", "1. One\n2. Two"), 0, "small numbers of a long text say nothing");
  assert.ok(score("1-2", "1-2-login") > 0);
});

Deno.test("whatever is searched for is compared as words [search:project]", () => {
  for (
    const words of ["(((a+)+)+)+$", "[", "\\", "<b>x</b>", "a".repeat(100_000), "x ".repeat(50_000), "\0"]
  ) {
    assert.equal(score(words, "Book walks", "b ".repeat(1_000)), 0, words.slice(0, 20));
  }
});

Deno.test("an excerpt is the line with the most of the words, as plain text [search:project]", () => {
  const { excerpt } = openMatcher("walk phone")!;
  assert.equal(excerpt("# A walk\n\n- [ ] **Walk** without a `phone`\n"), "Walk without a phone");
  assert.equal(excerpt("Nothing"), undefined);
  const long = excerpt(`${"word ".repeat(100)}phone ${"more ".repeat(100)}`)!;
  assert.match(long, /^….*phone.*…$/);
  assert.ok(long.length <= 122);
});
