/** Texts that scripts may meet: pieces of a document in random order, with the odd characters among them. */
import type { Chance } from "../support/chance.ts";

const ODD = [
  ..."\u00a0\u3000\u00ad\t\r",
  ...["\r\n", "é", "e\u0301", "ß", "😀", "語", "ﬁ", "'", '"', "\\", "<b>&"],
];

/** Joins random pieces; every tenth is an odd character. */
export function textOf(chance: Chance, pieces: readonly string[], count: number): string {
  const length = chance.below(count);
  return Array.from(
    { length },
    () => chance.below(10) === 0 ? chance.pick(ODD) : chance.pick(pieces),
  ).join("");
}

/** A table with this header: rows of any length, empty lines, and quotes where a cell needs them and elsewhere. */
export function tableOf(chance: Chance, header: string, cells: readonly string[], count: number): string {
  const end = chance.pick(["\n", "\n", "\r\n"]);
  const cell = (text: string) =>
    /[",\n]/.test(text) || text !== "" && chance.below(6) === 0 ? `"${text.replaceAll('"', '""')}"` : text;
  const row = () => Array.from({ length: 1 + chance.below(6) }, () => cell(chance.pick(cells))).join();
  const rows = Array.from({ length: chance.below(count) }, () => chance.below(8) === 0 ? "" : row());
  return [header, ...rows].map((line) => `${line}${end}`).join("");
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
