/**
 * Wraps long text into short lines.
 */

/** Breaks a text at spaces, into lines of at most `columns`; a longer word stays whole. */
export function wrap(
  text: string,
  columns: number,
  widthOf: (text: string) => number = (text) => text.length,
): readonly string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (widthOf(line) + 1 + widthOf(word) <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
