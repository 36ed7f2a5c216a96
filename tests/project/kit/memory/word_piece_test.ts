/** Are texts split into the tokens that the model was trained with? */
import assert from "node:assert/strict";
import { readPack } from "../../../../src/project/kit/memory/embed/pack.ts";
import { createTokenizer } from "../../../../src/project/kit/memory/embed/word_piece.ts";
import { CONTENT } from "../../../support/recall.ts";

const SMALL = ["[UNK]", "[CLS]", "[SEP]", "token", "##s", "##ize", "cafe", "!", "-", "to", "東", "a"];
const small = createTokenizer(SMALL.join("\n"));

function tokensOf(text: string): string {
  const tokens = small(text, 64);
  assert.deepEqual([tokens[0], tokens.at(-1)], [1, 2]);
  return tokens.slice(1, -1).map((number) => SMALL[number]).join(" ");
}

Deno.test("a word is split into the longest pieces that the vocabulary has", () => {
  assert.equal(tokensOf("token tokens tokenizes"), "token token ##s token ##ize ##s");
  assert.equal(tokensOf("tokenx"), "[UNK]");
});

Deno.test("case and accents do not count, symbols and Chinese characters are words, invisible characters vanish", () => {
  assert.equal(tokensOf("TOKEN  Café"), "token cafe");
  assert.equal(tokensOf("to-token!"), "to - token !");
  assert.equal(tokensOf("東東a"), "東 東 a");
  assert.equal(tokensOf("to\u200bken\0s\ufffd\n\ta"), "token ##s a");
});

Deno.test("an overlong word is unknown, and a text is cut at the limit of the model", () => {
  assert.equal(tokensOf("a".repeat(101)), "[UNK]");
  assert.deepEqual(small("token ".repeat(50), 8), [1, 3, 3, 3, 3, 3, 3, 2]);
  assert.deepEqual(small("", 8), [1, 2]);
});

Deno.test("with the vocabulary of the model, tokens have BERT's numbers", () => {
  const pack = readPack(Deno.readFileSync(`${CONTENT}/memory/minilm.pack`));
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  assert.deepEqual(tokenize("Hello, world!", 256), [101, 7592, 1010, 2088, 999, 102]);
  assert.deepEqual(tokenize("unaffable", 256), [101, 14477, 20961, 3468, 102]);
});
