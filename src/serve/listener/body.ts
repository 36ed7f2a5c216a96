/**
 * Reading the body of a request, within limits: its size, its pace, and the memory of all bodies together.
 *
 * While that memory is used up, a body larger than a few pages waits for its turn and is not read on.
 */
import type { IncomingMessage } from "node:http";
import { joinBytes } from "../../process/lines.ts";
import { LIMITS } from "../limits.ts";
import type { Deadlines } from "./deadlines.ts";

interface BodyLimits {
  readonly maxBody: number;
  readonly stallMs: number;
}

/** A body uses the common memory until it was answered. */
export type Body =
  | ({ readonly bytes: Uint8Array<ArrayBuffer> } & Disposable)
  | { readonly status: 400 | 408 | 413 | 503; readonly problem: string };

const SMALL = 16_384;
/** What each part of a body costs besides its bytes. */
const PART = 128;
/** What a chunked body may have besides its content: enough for chunks of a few bytes. */
const FRAMING = 65_536;

export function openBodies({ maxBody, stallMs }: BodyLimits, deadlines: Deadlines) {
  let used = 0;
  let favoured: IncomingMessage | undefined;
  const waiting = new Map<IncomingMessage, () => void>();
  const wake = () => {
    for (const proceed of [...waiting.values()]) {
      if (used > LIMITS.listener.allBodiesBytes && favoured !== undefined) return;
      proceed();
    }
  };

  /** `bytesBefore` is how much had come over its connection when its request began. */
  return (incoming: IncomingMessage, bytesBefore: number): Promise<Body> => {
    const { promise, resolve } = Promise.withResolvers<Body>();
    const { socket } = incoming;
    const parts: Uint8Array[] = [];
    let size = 0;
    let held = 0;
    const release = () => {
      used -= held;
      held = 0;
      waiting.delete(incoming);
      if (favoured === incoming) favoured = undefined;
      wake();
    };
    const stop = (status: 400 | 408 | 413 | 503, problem: string) => {
      finish();
      parts.length = 0;
      release();
      resolve({ status, problem });
    };
    const late = () => {
      const stalled = `Request body stalled: no data for ${stallMs / 1_000} s (--http-stall)\n`;
      if (!waiting.has(incoming)) return stop(408, stalled);
      const size = `${LIMITS.listener.allBodiesBytes >> 20} MB`;
      stop(503, `Limit of ${size} of request bodies at a time reached: try again\n`);
    };
    const proceed = () => {
      waiting.delete(incoming);
      if (used > LIMITS.listener.allBodiesBytes) favoured = incoming;
      stall.restart();
      incoming.resume();
    };
    const gone = () => stop(400, "Incomplete request\n");
    const onData = (part: Uint8Array) => {
      stall.restart();
      size += part.length;
      if (size > maxBody) return stop(413, tooLarge(maxBody));
      if (socket.bytesRead - bytesBefore > 8 * size + FRAMING) {
        return stop(400, "Chunk extensions too large\n");
      }
      held += part.length + PART;
      used += part.length + PART;
      // A few bytes must not keep the buffer in memory that they arrived in.
      parts.push(part.buffer.byteLength > 2 * part.length ? new Uint8Array(part) : part);
      if (held <= SMALL || used <= LIMITS.listener.allBodiesBytes || favoured === incoming) return;
      incoming.pause();
      waiting.set(incoming, proceed);
      wake();
    };
    const onEnd = () => {
      finish();
      resolve({ bytes: joinBytes(parts) as Uint8Array<ArrayBuffer>, [Symbol.dispose]: release });
    };
    const finish = () => {
      stall[Symbol.dispose]();
      incoming.off("data", onData).off("end", onEnd).off("close", gone).off("error", gone);
      incoming.pause();
    };
    const stall = deadlines.begin(late);
    if (Number(incoming.headers["content-length"] ?? 0) > maxBody) stop(413, tooLarge(maxBody));
    else incoming.on("data", onData).on("end", onEnd).on("close", gone).on("error", gone);
    return promise;
  };
}

function tooLarge(maxBody: number): string {
  return `Request body larger than ${maxBody} bytes (--http-body)\n`;
}
