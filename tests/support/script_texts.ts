/**
 * Texts that scripts may meet: pieces of a document in random order, with the odd characters among them.
 */
import type { Chance } from "../soak/chance.ts";

/** Characters that Python and JavaScript treat differently, or that end a line in only one of them. */
const ODD = [
  ..."\ufeff\u00a0\u2028\u2029\u0085\f\v\x1c\x1f\u3000\u200b\u00ad\x7f\t\r",
  ...[
    "\r\n",
    "é",
    "e\u0301",
    "ß",
    "ſ",
    "İ",
    "ı",
    "٣",
    "२",
    "²",
    "😀",
    "語",
    "ﬁ",
    "'",
    '"',
    "\\",
    "<b>&",
    "\x01",
  ],
];

/** Joins random pieces; every tenth is an odd character. */
export function textOf(chance: Chance, pieces: readonly string[], count: number): string {
  const length = chance.below(count);
  return Array.from(
    { length },
    () => chance.below(10) === 0 ? chance.pick(ODD) : chance.pick(pieces),
  ).join("");
}

/** A text that may be cut into bytes that are not UTF-8. */
export function bytesOf(chance: Chance, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (chance.below(8) !== 0) return bytes;
  const wrong = chance.pick([[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xf4, 0x90], [
    0xc0,
  ]]);
  const at = chance.below(bytes.length + 1);
  return new Uint8Array([...bytes.slice(0, at), ...wrong, ...bytes.slice(at)]);
}
