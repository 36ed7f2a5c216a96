/**
 * What became of a request, seen from outside: when its answer was whole, how long it was, and what it says.
 *
 * Most answers are one piece of JSON. Some come as a stream that is begun at once and filled much later, with status 200
 * also for what failed: there the bytes are looked at as they pass. Nothing of them is changed.
 */
import { onAbort } from "../../base/work.ts";

/** What there is to know of an answer that has been given. */
export interface Outcome {
  /** Answered; refused, or told to have failed, for what was asked; or failed for what we are. */
  readonly ending: Ending;
  /** How much was sent. */
  readonly bytes: number;
}

/** How a request ended. */
export type Ending = "ok" | "refused" | "failed" | "left";

/** As keys these stand behind a brace or a comma; in a text of JSON, their quotes would have a backslash. */
const FAILED = /[{,]"(?:error":\{|isError":true)/;
const INTERNAL = /[{,]"error":\{"code":-32603\b/;
/** As long as what is looked for, which may come in two pieces. */
const SEAM = 32;

/** The same response; `done` is told once, when all of it is there or was taken, or nobody wants it any more. */
export async function followAnswer(
  response: Response,
  ended: AbortSignal,
  done: (outcome: Outcome) => void,
): Promise<Response> {
  const { status, headers, body } = response;
  const type = headers.get("content-type") ?? "";
  let ending = endingOf(status);
  let bytes = 0;
  let isOpen = true;
  const finish = (last: Ending) => {
    if (!isOpen) return;
    isOpen = false;
    done({ ending: last, bytes });
  };
  const look = (text: string) => {
    if (INTERNAL.test(text)) ending = "failed";
    else if (FAILED.test(text)) ending = "refused";
  };
  // A stream that nobody reads to its end is not flushed; who has gone already has got nothing.
  onAbort(ended, () => finish("left"));
  if (body === null) {
    finish(ending);
    return response;
  }
  // A stream through a stream costs more than to make the answer.
  if (/\bjson\b/.test(type)) {
    const whole = await response.bytes();
    bytes = whole.length;
    if (ending === "ok") look(new TextDecoder().decode(whole));
    finish(ending);
    return new Response(whole, { status, headers });
  }
  const isProtocol = type.includes("event-stream");
  const decoder = new TextDecoder();
  let seam = "";
  const followed = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (part, controller) => {
        bytes += part.length;
        // What kind of failure it is may come in the next piece.
        if (isProtocol && ending !== "failed") {
          const text = seam + decoder.decode(part, { stream: true });
          look(text);
          seam = text.slice(-SEAM);
        }
        controller.enqueue(part);
      },
      flush: () => finish(ending),
    }),
  );
  return new Response(followed, { status, headers });
}

function endingOf(status: number): Ending {
  return status < 400 ? "ok" : status < 500 ? "refused" : "failed";
}
