import { failField, failInput } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";

export function tooLong(what: string, most: number): string {
  const length = most < 1 << 20 ? `${most}` : `${most >> 20} million`;
  return `The ${what} is too large: at most ${length} characters are read`;
}

export async function readInput(host: Host, maxLength: number, what = "input"): Promise<string> {
  const source = host.stdin();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes; (bytes = await source.read()) !== null;) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > maxLength) {
      failInput(tooLong(what, maxLength));
    }
  }
  return text + decoder.decode();
}

export function parseLimit(text: string | undefined): number | undefined {
  return parseCount("--limit", text);
}

export function parseCount(
  flag: string,
  text: string | undefined,
  [min, max]: readonly [number, number] = [1, Infinity],
): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  const range = max === Infinity ? "above 0" : `from ${min} to ${max}`;
  return failField(flag, `expected a whole number ${range}, not "${text}"`);
}
