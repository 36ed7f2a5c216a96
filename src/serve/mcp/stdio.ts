/** The SDK's transport is quadratic in the size of a message, and a long line ends its process. */
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { createLineSplitter, encodeLine, fieldsOf, joinBytes } from "../../process/lines.ts";
import type { ByteSink, ByteSource } from "../../process/pipes.ts";
import { noteArrival } from "../../base/work.ts";
import { isPlainRequest, problemWith } from "./request_checks.ts";
import { LISTEN } from "./subscriptions.ts";

const MAX_LINE = 10 << 20;
/** With more bytes than this unwritten, no more requests are read. */
const HIGH_WATER = 8 << 20;
/** After the input has ended; less if the next answer may depend on a reply from the client. */
const GRACE_MS = 800;
const GRACE_FOR_REPLY_MS = 200;

const DECODER = new TextDecoder();

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  onsent?: (message: JSONRPCMessage, bytes: number) => void;
  readonly #input: ByteSource;
  readonly #output: ByteSink;
  readonly #underWay = new Set<RequestId>();
  /** Our own requests that the client has not answered yet. */
  readonly #asked = new Set<RequestId>();
  #onAnswer: (() => void) | undefined;
  /** To be called when what came last is answered. */
  #answered: (() => void) | undefined;
  #queue: Promise<void> = Promise.resolve();
  /** What the next write takes along, and its end. */
  #waiting: Uint8Array[] = [];
  #next: Promise<void> | undefined;
  #queued = 0;
  #closed = false;

  constructor(input: ByteSource, output: ByteSink) {
    this.#input = input;
    this.#output = output;
  }

  start(): Promise<void> {
    this.#pump().catch((error) => this.onerror?.(error)).finally(() => this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("The connection is closed"));
    const bytes = encodeLine(message);
    const sent = this.#write(bytes);
    if ("method" in message) {
      if ("id" in message) this.#asked.add(message.id);
    } else if (message.id !== undefined) {
      this.#underWay.delete(message.id);
      this.#onAnswer?.();
      this.#answered?.();
    }
    this.onsent?.(message, bytes.length);
    return sent;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#input.cancel();
    this.onclose?.();
    return Promise.resolve();
  }

  async #pump(): Promise<void> {
    const splitter = createLineSplitter(MAX_LINE);
    for (;;) {
      if (this.#queued > HIGH_WATER) await this.#queue;
      const bytes = await this.#input.read();
      if (bytes === null || this.#closed) break;
      this.#answered?.();
      this.#answered = noteArrival().answered;
      for (const line of splitter.push(bytes)) {
        if (line === undefined) this.#refuse(-32600, `The message is longer than ${MAX_LINE} bytes`);
        else this.#receive(line);
      }
    }
    await this.#drain();
  }

  async #drain(): Promise<void> {
    for (let isComing = true; isComing && !this.isIdle;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      isComing = await new Promise<boolean>((resolve) => {
        this.#onAnswer = () => resolve(true);
        timer = setTimeout(() => resolve(false), this.#asked.size > 0 ? GRACE_FOR_REPLY_MS : GRACE_MS);
      });
      clearTimeout(timer);
    }
    await this.#queue;
  }

  #receive(bytes: Uint8Array): void {
    const line = DECODER.decode(bytes).trim();
    if (line === "") return;
    let parsed: unknown;
    let message: JSONRPCMessage;
    try {
      parsed = JSON.parse(line);
      message = isPlainRequest(parsed) ? parsed : parseJSONRPCMessage(parsed);
    } catch (error) {
      this.#refuseInvalid(parsed, error instanceof SyntaxError);
      return;
    }
    const problem = problemWith(message);
    if (problem !== undefined) {
      return this.#refuse(-32602, problem, (message as { readonly id: RequestId }).id);
    }
    if (!("method" in message)) {
      if (message.id !== undefined) this.#asked.delete(message.id);
    } else if ("id" in message) {
      // A subscription stays open as long as the connection, so its answer is not waited for.
      if (message.method !== LISTEN) this.#underWay.add(message.id);
    } else if (message.method === "notifications/cancelled") {
      this.#underWay.delete((message.params as { requestId: RequestId } | undefined)?.requestId as RequestId);
    }
    this.onmessage?.(message);
  }

  #refuseInvalid(parsed: unknown, isSyntaxError: boolean): void {
    const text = "The line is not a JSON-RPC message";
    const fields = fieldsOf(parsed);
    const id = idOf(fields);
    const isRequest = "method" in fields;
    // Refusing a broken answer under its id would look like an answer to the client's own request.
    if (id !== null && this.#asked.delete(id) && !isRequest) {
      this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32600, message: text } });
    }
    this.#refuse(isSyntaxError ? -32700 : -32600, text, isRequest ? id : null);
  }

  #refuse(code: number, text: string, id: RequestId | null = null): void {
    this.onerror?.(new Error(text));
    this.#write(encodeLine({ jsonrpc: "2.0", id, error: { code, message: text } })).catch(() => {});
  }

  /** What comes during a write is written together in the next one. */
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
      await this.#output(bytes);
    } finally {
      this.#queued -= bytes.length;
    }
  }
}

function idOf({ id }: { readonly id?: unknown }): RequestId | null {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}
