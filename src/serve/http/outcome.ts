/**
 * How a response ended, seen from outside: when it was complete, how large it was, and whether it reports a failure.
 *
 * Most responses are one piece of JSON. Others are streams that begin at once and are filled much later, with status 200
 * even for a failure: their bytes are inspected as they pass, and never changed.
 */
import { onAbort } from "../../base/work.ts";

/** The end of a response. */
export interface Outcome {
  readonly ending: Ending;
  /** How many bytes were sent. */
  readonly bytes: number;
}

/** `refused` is the client's fault, `failed` is ours; `left` means that the client disconnected first. */
export type Ending = "ok" | "refused" | "failed" | "left";

/** Keys of JSON follow a brace or a comma; inside a JSON string their quotes would be escaped. */
const FAILED = /[{,]"(?:error":\{|isError":true)/;
const INTERNAL = /[{,]"error":\{"code":-32603\b/;
/** As long as any match, which may be split between two pieces. */
const SEAM = 32;

/** The same response; `done` is called once, when it is complete, was sent, or the client has disconnected. */
export async function trackOutcome(
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
  const inspect = (text: string) => {
    if (INTERNAL.test(text)) ending = "failed";
    else if (FAILED.test(text)) ending = "refused";
  };
  // A stream that nobody reads to its end is never flushed.
  onAbort(ended, () => finish("left"));
  if (body === null) {
    finish(ending);
    return response;
  }
  // Piping through a second stream would cost more than the answer itself.
  if (/\bjson\b/.test(type)) {
    const whole = await response.bytes();
    bytes = whole.length;
    if (ending === "ok") inspect(new TextDecoder().decode(whole));
    finish(ending);
    return new Response(whole, { status, headers });
  }
  const isProtocol = type.includes("event-stream");
  const decoder = new TextDecoder();
  let seam = "";
  const tracked = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (part, controller) => {
        bytes += part.length;
        // A refusal may turn out to be a failure in the next piece.
        if (isProtocol && ending !== "failed") {
          const text = seam + decoder.decode(part, { stream: true });
          inspect(text);
          seam = text.slice(-SEAM);
        }
        controller.enqueue(part);
      },
      flush: () => finish(ending),
    }),
  );
  return new Response(tracked, { status, headers });
}

function endingOf(status: number): Ending {
  return status < 400 ? "ok" : status < 500 ? "refused" : "failed";
}
