/**
 * What comes on stdin, as one text.
 */
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";

/** Everything up to the end of stdin; fails when there is more than is wanted. */
export async function readInput(host: Host, most: number): Promise<string> {
  let text = "";
  for await (const part of host.stdin().pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > most) {
      fail({ code: "invalid-input", field: "stdin", problem: `it has more than ${most} characters` });
    }
  }
  return text;
}
