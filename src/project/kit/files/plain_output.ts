/**
 * A script's output as plain text: without colours, cursor movements and lines that were overwritten.
 *
 * `stripVTControlCharacters` of node:util would leave half of a window title that has spaces or no end.
 */
import { replaceHidden } from "../../../base/text.ts";

/** Colours and movements; titles and links; all other escape sequences. */
const SEQUENCES: readonly RegExp[] = [
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g,
  // deno-lint-ignore no-control-regex
  /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g,
  // deno-lint-ignore no-control-regex
  /\x1b[ -/]*[0-~]/g,
];

/** What a terminal would show in the end. */
export function plainOutput(output: string): string {
  const text = SEQUENCES.reduce((text, sequence) => text.replaceAll(sequence, ""), output);
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const plain = lines.map((line) =>
    replaceHidden(line.slice(line.lastIndexOf("\r") + 1), () => "").trimEnd()
  );
  return plain.join("\n").replace(/^\n+/, "").trimEnd();
}
