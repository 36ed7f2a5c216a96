/**
 * Does any regular expression in the sources take quadratic time?
 *
 * Each is attacked with what its own parts match, repeated. A linear one needs microseconds for these texts, a quadratic
 * one tens of milliseconds, and four times as much for twice the length: only who does both is named, so a busy machine
 * changes nothing. Whole readers are tried with larger texts in content/bounded_test.ts.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { findPatterns } from "./support/source.ts";
import { verifies } from "./support/requirements.ts";

/** Patterns that only ever see a short text, and why it is short. */
const SHORT: Readonly<Record<string, string>> = {
  [String.raw`/\/knowledge\/.+\.md$/i`]: "the URI of a file",
  [String.raw`/checklist[^/]*\.md$/i`]: "the URI of a file",
  [String.raw`/(?:\/templates?\/[^/]+|template[^/]*)\.(?:md|ya?ml|html|xml|csv|json)$/i`]:
    "the URI of a file",
  "/(?:\\s+`[^`\\s]+`)+$/": "the end of a note",
};

const LENGTH = 4_000;
const SLOW_MS = 2;

/** A character, an escape or a class; the second form is for the flag `v`, with which classes hold classes. */
const ATOM = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\.|[^\\[\](){}*+?|^$.]/gs;
const ATOM_V = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\]\\[])*\]|\.|[^\\[\](){}*+?|^$.]/gs;
const SAMPLES = [..."aZ7 \n\t-.:/@#*_=,;\"'`<>[](){}|\\!?&%$+~é"];

/** One character for each set of parts that characters can match, and the words that are spelled out. */
function unitsOf({ source, flags }: RegExp): readonly string[] {
  const atoms = [...new Set(source.match(flags.includes("v") ? ATOM_V : ATOM))].map((atom) =>
    new RegExp(`^(?:${atom})$`, flags.replace(/[gy]/, ""))
  );
  const bySignature = new Map(
    SAMPLES.map((char) => [atoms.map((atom) => Number(atom.test(char))).join(""), char]),
  );
  const words = source.replaceAll(/\\([^\w])/g, "$1").match(/[\w<>`:/"'#@. -]{2,}/g) ?? [];
  const chars = [...bySignature.values()];
  return [...chars, ...words, ...words.slice(0, 3).flatMap((word) => chars.slice(0, 6).map((c) => word + c))];
}

function timeOf(pattern: RegExp, text: string): number {
  const begun = performance.now();
  if (pattern.global) text.replace(pattern, "");
  else pattern.test(text);
  return performance.now() - begun;
}

/** The best of three: what is slow by chance is not slow three times. */
const bestOf = (pattern: RegExp, text: string) => Math.min(...[1, 2, 3].map(() => timeOf(pattern, text)));

/** What a pattern needs quadratic time for. */
function attack(pattern: RegExp): string | undefined {
  if (!/[*+]|,\}/.test(pattern.source)) return undefined;
  const units = unitsOf(pattern);
  const heads = ["", "a", ...units.filter((unit) => unit.length > 1).slice(0, 2)];
  for (const unit of units) {
    for (const head of heads) {
      const text = (times: number) =>
        `${head}${unit.repeat(times * Math.max(LENGTH / unit.length, 1_000))}\0`;
      if (timeOf(pattern, text(1)) < SLOW_MS) continue;
      const isQuadratic = () => {
        const [once, twice] = [bestOf(pattern, text(1)), bestOf(pattern, text(2))];
        return once >= SLOW_MS && twice > 2.8 * once;
      };
      // Other work on the machine may disturb one of three measurements, in either direction.
      if ([1, 2, 3].filter(isQuadratic).length >= 2) return JSON.stringify([head, unit]);
    }
  }
  return undefined;
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

Deno.test(verifies("content:bounded", "no regular expression takes quadratic time"), () => {
  const root = fileURLToPath(new URL("../src", import.meta.url));
  const found: string[] = [];
  let tried = 0;
  for (const file of sources(root)) {
    for (const { pattern, line } of findPatterns(Deno.readTextFileSync(file))) {
      const [, source, flags] = /^\/([^]+)\/([a-z]*)$/.exec(pattern)!;
      tried++;
      const text = attack(new RegExp(source!, flags));
      if (text !== undefined && SHORT[pattern] === undefined) {
        found.push(`${file.slice(root.length + 1)}:${line}: ${pattern} on ${text}`);
      }
    }
  }
  assert.ok(tried > 400, `${tried}`);
  assert.deepEqual(found, []);
});

Deno.test("the attack finds what is quadratic, and nothing else", () => {
  for (const bad of [/\s+$/, /<agent\b[^>]*>/, /:\/\/\S*@/g, /^a\s*:?\s*$/, /<a>[^]*?<\/a>/]) {
    assert.notEqual(attack(bad), undefined, `${bad}`);
  }
  for (const good of [/(?<!\s)\s+$/, /<agent\b[^<>]*>/, /(?<!\d)(\d+)\.(\d+)/, /^a+/, /\w+/g, /a{1,9}b/]) {
    assert.equal(attack(good), undefined, `${good}`);
  }
});
