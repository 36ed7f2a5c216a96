/** To make one takes a tenth of a start, and most texts do without. */
let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[ -~]*$/;

// deno-lint-ignore no-control-regex
const CODES = /(\x1b\[[\d;]*[A-Za-z])/;

/** A code for the terminal counts as one character, too. */
export function charactersOf(text: string): readonly string[] {
  return text.split(CODES).flatMap((part) => part.startsWith("\x1b") ? [part] : segmentsOf(part));
}

function segmentsOf(text: string): readonly string[] {
  if (ASCII.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** An address is of no use in two parts: it is opened where it is shown. */
const ADDRESS = /^\W*https?:\/\//;

/** A word longer than a line is broken, a path after one of its slashes. */
export function wrap(
  text: string,
  columns: number,
  widthOf: (text: string) => number = (text) => text.length,
): readonly string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && widthOf(line) + 1 + widthOf(word) <= columns) {
      lines[lines.length - 1] = `${line} ${word}`;
      continue;
    }
    const parts = ADDRESS.test(word) ? [word] : breakWord(word, columns, widthOf);
    if (line === "") lines.pop();
    lines.push(...parts);
  }
  return lines;
}

const AFTER_SLASH = /(?<=[/\\])/;
const AFTER_SIGN = /(?<=[-_.])/;

function breakWord(word: string, columns: number, widthOf: (text: string) => number): readonly string[] {
  if (widthOf(word) <= columns) return [word];
  const fits = (piece: string) => widthOf(piece) <= columns;
  const pieces = word.split(AFTER_SLASH)
    .flatMap((piece) => fits(piece) ? [piece] : piece.split(AFTER_SIGN))
    .flatMap((piece) => fits(piece) ? [piece] : charactersOf(piece));
  const parts: string[] = [""];
  for (const piece of pieces) {
    const joined = parts.at(-1)! + piece;
    if (fits(joined)) parts[parts.length - 1] = joined;
    else parts.push(piece);
  }
  return parts.filter((part) => part !== "");
}
