/**
 * One message a line, over streams.
 *
 * Ours, because the SDK's own transport is quadratic in the size of a message on Deno, ends the process over a
 * long line, and loads Node's stream layer. A line that is no message is answered with a parse error; one that
 * is too long is answered and skipped. At the end of input, requests under way get a moment to be answered.
 */
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { createLineSplitter, encodeLine, joinBytes } from "../../base/lines.ts";
import { complaintAbout } from "./requests.ts";

const MAX_LINE = 10 << 20;
const HIGH_WATER = 8 << 20;
/** How long an answer is waited for once the input has ended, and how long while the client itself owes us one. */
const GRACE_MS = 800;
const OWED_MS = 200;

/** A transport over a readable and a writable stream of bytes. */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Told of every message that the server sends, with its size in bytes. */
  onsent?: (message: JSONRPCMessage, bytes: number) => void;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #underWay = new Set<RequestId>();
  /** What we have asked the client and it has not answered. */
  readonly #owed = new Set<RequestId>();
  #answered: (() => void) | undefined;
  #queue: Promise<void> = Promise.resolve();
  /** What the next write takes along, and its end. */
  #waiting: Uint8Array[] = [];
  #next: Promise<void> | undefined;
  #queued = 0;
  #closed = false;

  constructor(input: ReadableStream<Uint8Array>, output: WritableStream<Uint8Array>) {
    this.#reader = input.getReader();
    this.#writer = output.getWriter();
  }

  start(): Promise<void> {
    this.#pump().catch((error) => this.onerror?.(error)).finally(() => this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("the connection is closed"));
    const bytes = encodeLine(message);
    const sent = this.#write(bytes);
    if ("method" in message) {
      if ("id" in message) this.#owed.add(message.id);
    } else if (message.id !== undefined) {
      this.#underWay.delete(message.id);
      this.#answered?.();
    }
    this.onsent?.(message, bytes.length);
    return sent;
  }

  /** Whether everything that was asked so far is answered. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#reader.cancel().catch(() => {});
    this.onclose?.();
    return Promise.resolve();
  }

  async #pump(): Promise<void> {
    const splitter = createLineSplitter(MAX_LINE);
    for (;;) {
      // While nobody reads our answers we read no further requests.
      if (this.#queued > HIGH_WATER) await this.#queue;
      const { value, done } = await this.#reader.read();
      if (done || this.#closed) break;
      for (const line of splitter.push(value)) {
        if (line === undefined) this.#refuse(-32600, `The message is longer than ${MAX_LINE} bytes`);
        else this.#receive(line);
      }
    }
    await this.#settle();
  }

  /** Waits for answers to requests that are under way: for each as long as it comes within a moment. */
  async #settle(): Promise<void> {
    for (let isComing = true; isComing && this.#underWay.size > 0;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      isComing = await new Promise<boolean>((resolve) => {
        this.#answered = () => resolve(true);
        timer = setTimeout(() => resolve(false), this.#owed.size > 0 ? OWED_MS : GRACE_MS);
      });
      clearTimeout(timer);
    }
    await this.#queue;
  }

  #receive(bytes: Uint8Array): void {
    const line = new TextDecoder().decode(bytes).trim();
    if (line === "") return;
    let parsed: unknown;
    let message: JSONRPCMessage;
    try {
      parsed = JSON.parse(line);
      message = parseJSONRPCMessage(parsed);
    } catch (error) {
      const text = "The line is not a JSON-RPC message";
      const id = idOf(parsed);
      // A broken answer ends the wait for it; to answer it under its id would look like an answer to the client's own.
      if (id !== null && this.#owed.delete(id) && !isRequest(parsed)) {
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32600, message: text } });
      }
      this.#refuse(error instanceof SyntaxError ? -32700 : -32600, text, isRequest(parsed) ? id : null);
      return;
    }
    const complaint = complaintAbout(message);
    if (complaint !== undefined) {
      return this.#refuse(-32602, complaint, (message as { readonly id: RequestId }).id);
    }
    if (!("method" in message) && message.id !== undefined) this.#owed.delete(message.id);
    if ("method" in message && "id" in message) {
      // A subscription stays open as long as the connection: it is not waited for.
      if (message.method !== "subscriptions/listen") this.#underWay.add(message.id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#underWay.delete((message.params as { requestId: RequestId } | undefined)?.requestId as RequestId);
    }
    this.onmessage?.(message);
  }

  /** Answers a line that has no id we could know. */
  #refuse(code: number, text: string, id: RequestId | null = null): void {
    this.onerror?.(new Error(text));
    this.#write(encodeLine({ jsonrpc: "2.0", id, error: { code, message: text } })).catch(() => {});
  }

  /** Settles when these bytes are written. What comes while others are being written goes out in one piece. */
  #write(bytes: Uint8Array): Promise<void> {
    this.#queued += bytes.length;
    this.#waiting.push(bytes);
    if (this.#next === undefined) {
      this.#next = this.#queue.then(() => this.#flush());
      this.#queue = this.#next.catch((error) => {
        this.onerror?.(error);
        return this.close();
      });
    }
    return this.#next;
  }

  async #flush(): Promise<void> {
    const bytes = joinBytes(this.#waiting);
    this.#waiting = [];
    this.#next = undefined;
    try {
      await this.#writer.write(bytes);
    } finally {
      this.#queued -= bytes.length;
    }
  }
}

function isRequest(value: unknown): boolean {
  return typeof value === "object" && value !== null && "method" in value;
}

/** The id of something that is no request, if it has one. */
function idOf(value: unknown): RequestId | null {
  const { id } = (typeof value === "object" && value !== null ? value : {}) as { id?: unknown };
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}
