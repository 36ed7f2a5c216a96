/**
 * Answers and failures as MCP wants them.
 *
 * A tool's answer is text, cut into parts that every client takes; its failure is text too, with `isError`. A
 * failure of a resource or a prompt is a protocol error with suggestions. Anything that is no failure is a bug:
 * the client gets a number, the log gets the rest.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { byteLength, type FileContent, fitsBytes, splitParts } from "../../app.ts";
import { BmadError, fail, type Failure } from "../../base/errors.ts";

/** Text that answers a tool call. */
export interface Answer {
  readonly text: string;
}

/** How a call is repeated to get another part of its answer. */
interface PartRequest {
  /** The tool's name and its arguments without `part`. */
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The part that is wanted, from 1. */
  readonly part: number;
  readonly maxBytes: number;
}

/** Which protocol error a failure is; tools answer every failure as text. */
const PROTOCOL_CODES = {
  "not-found": ProtocolErrorCode.InvalidParams,
  "ambiguous": ProtocolErrorCode.InvalidParams,
  "invalid-input": ProtocolErrorCode.InvalidParams,
  "outside-root": ProtocolErrorCode.InvalidParams,
  "not-allowed": ProtocolErrorCode.InvalidParams,
  "invalid-config": ProtocolErrorCode.InternalError,
  "invalid-file": ProtocolErrorCode.InternalError,
  "origin-unavailable": ProtocolErrorCode.InternalError,
  "memory-unavailable": ProtocolErrorCode.InternalError,
} satisfies Record<Failure["code"], ProtocolErrorCode>;

/** A tool result with one part of an answer; fails when there is no such part. */
export function toResult({ text }: Answer, request: PartRequest): CallToolResult {
  if (fitsBytes(text, request.maxBytes)) return textResult(text);
  const note = (part: number, parts: number) => {
    const next = JSON.stringify({ ...request.args, part: part + 1 });
    const call = next.length <= request.maxBytes / 4
      ? `${request.call} ${next}`
      : `the same call with "part":${part + 1}`;
    return `\n[part ${part} of ${parts}${part < parts ? `; next: ${call}` : ""}]`;
  };
  const parts = splitParts(text, request.maxBytes - byteLength(note(9_999, 10_000)));
  const part = parts[request.part - 1];
  if (part === undefined) {
    const problem = `there are ${parts.length} parts, so it must be from 1 to ${parts.length}`;
    return fail({ code: "invalid-input", field: "part", problem });
  }
  return textResult(part + note(request.part, parts.length));
}

/** What a failed tool call answers. */
export function toErrorResult(
  error: unknown,
  report: (bug: unknown) => string,
  maxBytes: number,
): CallToolResult {
  // A failure quotes what it was given, which may be long.
  if (error instanceof BmadError) return errorResult(splitParts(messageOf(error), maxBytes)[0]!);
  return errorResult(`Internal error, see log ${report(error)}`);
}

/** The variables that clients set settings with. */
const VARIABLES = { allowExec: "BMAD_ALLOW_EXEC", mode: "BMAD_MODE", project: "BMAD_PROJECT_ROOT" };

/** The message of a failure. Only the user can change a setting, so the model is told to ask. */
function messageOf({ failure, message }: BmadError): string {
  return failure.code === "not-allowed" && failure.setting !== undefined
    ? `${message}. Ask the user to set ${VARIABLES[failure.setting]} for this server`
    : message;
}

/** What a read resource answers, under the URI that was asked for. */
export function toContents(
  uri: string,
  { mimeType, text, bytes }: Omit<FileContent, "uri">,
): ReadResourceResult {
  return {
    contents: [text === undefined ? { uri, mimeType, blob: bytes!.toBase64() } : { uri, mimeType, text }],
  };
}

/** What a failed request for a prompt or a resource answers; `asked` is told again, as the protocol wants it. */
export function toProtocolError(
  error: unknown,
  report: (bug: unknown) => string,
  asked: { readonly uri?: string } = {},
): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (!(error instanceof BmadError)) {
    return new ProtocolError(ProtocolErrorCode.InternalError, `Internal error, see log ${report(error)}`);
  }
  const { failure } = error;
  return new ProtocolError(PROTOCOL_CODES[failure.code], error.message, {
    ...asked,
    code: failure.code,
    suggestions: suggestionsOf(failure),
  });
}

function suggestionsOf(failure: Failure): readonly string[] {
  if (failure.code === "not-found") return failure.suggestions ?? [];
  return failure.code === "ambiguous" ? failure.candidates.map((candidate) => candidate.name) : [];
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
