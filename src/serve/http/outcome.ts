/**
 * How a response ended, seen from outside: when it was complete, how large it was, and whether it reports a failure.
 *
 * Most responses are one piece of JSON. Others are streams that begin at once and are filled much later, with status 200
 * even for a failure: their bytes are inspected as they pass, and never changed.
 */
import { Buffer } from "node:buffer";
import { onAbort } from "../../base/work.ts";
import type { Reply } from "../listener/mod.ts";

export interface Outcome {
  readonly ending: Ending;
  readonly bytes: number;
}

/** `refused` is the client's fault, `failed` is ours; `left` means that the client disconnected first. */
export type Ending = "ok" | "refused" | "failed" | "left";

/** Keys of JSON follow a brace or a comma; inside a JSON string their quotes would be escaped. */
const FAILED = /[{,]"(?:error":\{|isError":true)/;
const INTERNAL = /[{,]"error":\{"code":-32603\b/;
/** As long as any match, which may be split between two pieces. */
const SEAM = 32;

/** Watches a response as it is sent. `done` is called once, when it is complete or the client has disconnected. */
export function watchOutcome(
  { status, headers }: Response,
  ended: AbortSignal,
  done: (outcome: Outcome) => void,
): NonNullable<Reply["watch"]> {
  let ending = endingOf(status);
  const mayFail = ending === "ok" && /\bjson\b|\bevent-stream\b/.test(headers.get("content-type") ?? "");
  let [bytes, seam, isOpen] = [0, "", true];
  const finish = (last: Ending) => {
    if (!isOpen) return;
    isOpen = false;
    done({ ending: last, bytes });
  };
  const inspect = (text: string) => {
    // A pattern takes ten times as long as a search for what nearly no answer has.
    if (!text.includes('"error":{') && !text.includes('"isError":true')) return;
    if (INTERNAL.test(text)) ending = "failed";
    else if (FAILED.test(text)) ending = "refused";
  };
  // A stream is never complete if its client leaves before the end.
  onAbort(ended, () => finish("left"));
  return (part) => {
    if (part === null) return finish(ending);
    bytes += part.length;
    // A refusal may turn out to be a failure in the next piece.
    if (!mayFail || ending === "failed") return;
    // What is looked for is ASCII, so that each byte may stand for a character, and a piece may end anywhere.
    const text = seam + Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1");
    inspect(text);
    seam = text.slice(-SEAM);
  };
}

function endingOf(status: number): Ending {
  return status < 400 ? "ok" : status < 500 ? "refused" : "failed";
}
