/** Of a bug, the client gets an id and the log the rest. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { byteLength, type Config, type FileContent, fitsBytes, splitParts } from "../../app.ts";
import {
  adviceOf,
  BmadError,
  failField,
  type Failure,
  failureIn,
  type Fix,
  sentences,
} from "../../base/errors.ts";
import { cacheRecent } from "../../base/cache.ts";
import { markHidden, markTexts } from "../../base/text.ts";

export interface Answer {
  readonly text: string;
  readonly isError?: true;
  /** Whether its first part may be longer, to end with a section. */
  readonly isActivation?: true;
  /** Whether what it found need not be what was meant. */
  readonly isList?: true;
}

type ResultLimits = ReturnType<typeof resultLimits>;

/** Below the smallest client limit, 20,480 bytes, whether a client counts a text or its JSON. */
const MAX_FIRST = 20_400;

export function resultLimits({ settings, provenance }: Pick<Config, "settings" | "provenance">) {
  const { maxResult: maxBytes } = settings;
  return { maxBytes, maxFirst: provenance.maxResult.startsWith("default") ? MAX_FIRST : maxBytes };
}

interface PartRequest extends ResultLimits {
  readonly call: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly part: number;
}

const [ASKED, OURS] = [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.InternalError];

/** In the protocol, and in HTTP alone; tools answer every failure as text. */
const CODES = {
  "not-found": [ASKED, 404],
  "ambiguous": [ASKED, 409],
  "invalid-input": [ASKED, 400],
  "outside-root": [ASKED, 403],
  "not-allowed": [ASKED, 409],
  "invalid-config": [OURS, 500],
  "invalid-file": [OURS, 500],
  "origin-unavailable": [OURS, 503],
  "memory-unavailable": [OURS, 503],
  "not-writable": [OURS, 507],
} satisfies Record<Failure["code"], readonly [ProtocolErrorCode, status: number]>;

export function toResult({ text, isError, isActivation }: Answer, request: PartRequest): CallToolResult {
  const maxFirst = isActivation ? request.maxFirst : request.maxBytes;
  return { ...toPart(markAnswer(text), { ...request, maxFirst }), ...(isError && { isError }) };
}

/** Answers repeat, and finding a known one takes a tenth of the time of looking through it. */
function markAnswer(text: string): string {
  return text.length > MAX_RECENT_LENGTH ? markHidden(text) : recentAnswers(text, () => markHidden(text));
}

const recentAnswers = cacheRecent<string>(64);
/** All of them together take at most 4 MB. */
const MAX_RECENT_LENGTH = 32_000;

function toPart(text: string, request: PartRequest): CallToolResult {
  const { maxBytes, maxFirst } = request;
  if (fitsBytes(text, maxBytes)) return textResult(text);
  const note = (part: number, parts: number) => {
    const next = JSON.stringify({ ...request.args, part: part + 1 });
    const call = next.length <= maxBytes / 4
      ? `${request.call} ${next}`
      : `the same call with "part":${part + 1}`;
    return `\n[part ${part} of ${parts}${part < parts ? `; next: ${call}` : ""}]`;
  };
  const longest = note(9_999, 10_000);
  const first = maxFirst > maxBytes ? sectionsIn(text, request, longest) : "";
  if (first === text) return textResult(text);
  const rest = splitParts(text.slice(first.length), maxBytes - byteLength(longest));
  const parts = first === "" ? rest : [first, ...rest];
  const part = parts[request.part - 1];
  if (part === undefined) {
    return failField("part", `the answer has ${parts.length} parts, got ${request.part}`);
  }
  return textResult(part + note(request.part, parts.length));
}

/** Empty if no section ends within the limit. What must be loaded first is not torn apart. */
function sectionsIn(text: string, { maxBytes, maxFirst }: ResultLimits, note: string): string {
  const ends = Array.from(text.slice(0, maxFirst).matchAll(SECTION), ({ index }) => index);
  if (text.length <= maxFirst) ends.push(text.length);
  let [size, from, last] = [byteLength(JSON.stringify(note)), 0, 0];
  for (const end of ends) {
    size += byteLength(JSON.stringify(text.slice(from, end)));
    if (size <= maxFirst) last = end;
    from = end;
  }
  const first = text.slice(0, last);
  return fitsBytes(first, maxBytes - byteLength(note)) ? "" : first;
}

/** A file among several in one answer, on a line of its own. */
const SECTION = /(?<=\n)=== [\w ]{1,40}: /g;

export function toErrorResult(
  error: unknown,
  report: (bug: unknown) => string,
  maxBytes: number,
): CallToolResult {
  const known = failureIn(error);
  const text = known !== undefined
    // A failure quotes its input, which may be long.
    ? splitParts(markHidden(messageOf(known)), maxBytes)[0]!
    : `Internal error, see log ${report(error)}`;
  return { ...textResult(text), isError: true };
}

const VARIABLES = {
  allowExec: "BMAD_ALLOW_EXEC",
  allowGit: "BMAD_ALLOW_GIT",
  mode: "BMAD_MODE",
  project: "BMAD_PROJECT_ROOT",
};

/** Only the user can change a setting, so the model is told to ask. */
function messageOf(error: BmadError, ways?: Ways): string {
  const { failure, message } = withWays(error, ways);
  if (failure.code !== "not-allowed" || failure.setting === undefined) return message;
  return `${message}. Ask the user to set ${VARIABLES[failure.setting]} for this server`;
}

interface Ways {
  readonly board: string;
  readonly fixes: Readonly<Record<Fix, string>>;
}

export function withWays(error: BmadError, ways: Ways = WAYS): BmadError {
  const { failure } = error;
  if (failure.code === "not-found") {
    const way = wayOn(failure, ways);
    if (way === undefined) return error;
    const hint = failure.hint === undefined ? way : sentences(failure.hint, way);
    return new BmadError({ ...failure, hint }, { cause: error });
  }
  if (failure.code !== "not-allowed" || failure.setting !== undefined) return error;
  const { fixes = [], ...rest } = failure;
  if (fixes.length === 0) return error;
  const advice = `${adviceOf(failure)} (${fixes.map((fix) => ways.fixes[fix]).join(", ")})`;
  return new BmadError({ ...rest, advice }, { cause: error });
}

const PARAMETERS: Readonly<Record<string, string>> = {
  source: "origin",
  "knowledge domain": "domain",
  fragment: "topic",
};

function wayOn({ what, hint, origin, suggestions, known }: Failure & { code: "not-found" }, { board }: Ways) {
  if (what === "story" && hint === undefined) return `${board} lists all stories`;
  if (origin !== undefined) return `Give "origin":${JSON.stringify(origin)}`;
  const kind = what.split(" on ")[0]!;
  const hasOther = (suggestions ?? known ?? []).length > 0;
  return hasOther && Object.hasOwn(PARAMETERS, kind) ? `Give one as "${PARAMETERS[kind]}"` : undefined;
}

export const FIXES: Readonly<Record<Fix, string>> = {
  plan: '{"operation":"plan"}',
  next: '{"operation":"next"}',
  owner: '"by":"NAME"',
  self: '"by":"NAME"',
  reason: '"reason":"WHY"',
  force: '"force":true',
  overrule: '"force":true',
};

const WAYS: Ways = { board: 'bmad {"operation":"board"}', fixes: FIXES };

export function toContents(
  uri: string,
  { mimeType, text, bytes }: Omit<FileContent, "uri">,
): ReadResourceResult {
  return {
    contents: [text === undefined ? { uri, mimeType, blob: bytes!.toBase64() } : { uri, mimeType, text }],
  };
}

/** `asked` is repeated in it, as the protocol demands. */
export function toProtocolError(
  error: unknown,
  report: (bug: unknown) => string,
  asked: { readonly uri?: string } = {},
): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const known = failureIn(error);
  if (known === undefined) {
    return new ProtocolError(OURS, `Internal error, see log ${report(error)}`);
  }
  const { failure, message } = known;
  return new ProtocolError(CODES[failure.code][0], markHidden(message), {
    ...asked,
    code: failure.code,
    suggestions: markTexts(suggestionsOf(failure)),
  });
}

/** Of a bug, the caller makes its own. */
export function refuseFailure(error: unknown, ways: Ways): Response {
  const known = failureIn(error);
  if (known === undefined) throw error;
  const { failure } = known;
  const { code, data } = toProtocolError(known, String);
  const { objections = [], setting, isRight } = failure.code === "not-allowed" ? failure : {};
  const status = isRight || setting !== undefined ? 403 : CODES[failure.code][1];
  const more = objections.length === 0
    ? {}
    : { objections: markTexts(objections.map(({ problem, fix }) => ({ problem, fix }))) };
  return refuse(status, markHidden(messageOf(known, ways)), undefined, {
    code,
    data: { ...data as object, ...more },
  });
}

export function refuse(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
  { code = -32000, id = null, data }: {
    readonly code?: number;
    readonly id?: string | number | null;
    readonly data?: object;
  } = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status, headers });
}

function suggestionsOf(failure: Failure): readonly string[] {
  if (failure.code === "not-found") return failure.suggestions ?? [];
  return failure.code === "ambiguous" ? failure.candidates.map((candidate) => candidate.name) : [];
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
