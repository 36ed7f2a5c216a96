/**
 * Actions that a person takes on the board, one per request: `POST /board/act`.
 *
 * The token check has let the request in. Here it must also come from our own page (signatures.ts), so that no other page in
 * the same browser can act in the name of its user.
 */
import { BmadError } from "../../base/errors.ts";
import { act, canAct, refusalOf, type Refused } from "../board/mod.ts";
import { LIMITS } from "../limits.ts";
import type { RequestHead } from "../listener/mod.ts";
import { boardDeed, type Sender } from "../mcp/mod.ts";
import type { Project } from "../pages/mod.ts";
import { isSameOrigin } from "./gate.ts";
import type { openProofs } from "./signatures.ts";

/** A request, and its body as JSON. */
interface Asked {
  readonly request: RequestHead;
  readonly url: URL;
  readonly message: unknown;
  /** As it was sent. */
  readonly body?: Uint8Array;
}

export async function answerAct(
  { request, url, message, body }: Asked,
  project: Project | undefined,
  proofs: ReturnType<typeof openProofs>,
  { person, record }: Sender,
): Promise<Response> {
  if (!isSameOrigin(request)) return refused(403, { message: "Only a page of this server can act" });
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get("content-type") ?? "")) {
    return refused(415, { message: "Expected application/json" });
  }
  if (!await proofs.isValid({ request, url, person })) {
    return refused(403, { message: "The page is out of date: reload it", isOutdated: true });
  }
  if (project === undefined) return refused(404, { message: "Unknown project" });
  if (!canAct(project.app)) return refused(403, { message: "This server is read-only" });
  const { actBytes } = LIMITS.board;
  if ((body?.length ?? 0) > actBytes) return refused(413, { message: `Expected at most ${actBytes} bytes` });
  if (message === undefined) return refused(400, { message: "Expected JSON" });
  try {
    const app = await project.app.recording(boardDeed(message), record);
    const done = await act(app, message, person?.name);
    return Response.json(done, { headers: NOT_KEPT });
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    // What the project refuses, the page shows. A browser would also complain about the status of an error.
    return refused(error.failure.code === "invalid-input" ? 400 : 200, refusalOf(error, person?.role));
  }
}

const NOT_KEPT = { "cache-control": "no-store" };

function refused(
  status: number,
  refused: Partial<Refused> & { readonly message: string; readonly isOutdated?: true },
): Response {
  return Response.json({ refused }, { status, headers: NOT_KEPT });
}
