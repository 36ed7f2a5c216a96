/** What clients say when they run a hook, and how they want its answer: by the event, not by the file it was in. */
import { asText, asTexts, asValues, parseJson, type Values } from "../base/values.ts";
import { isTooWide, userFolders } from "../base/paths.ts";
import { pause, type Seat, seatId } from "../base/work.ts";
import { LIMITS } from "./limits.ts";
import type { Host } from "../process/host.ts";
import { findSession, type NotedSession, noteSession } from "../process/session_note.ts";

interface Form {
  fits(event: Values): boolean;
  answer(text: string): Values;
}

const FORMS: readonly Form[] = [
  {
    // The end of a turn, in all clients: the model goes on, with the text as the reason
    fits: isEnd,
    answer: (text) => ({ decision: "block", reason: text }),
  },
  {
    // Claude Code, Codex, Gemini CLI, Qwen Code, Auggie
    fits: (event) => event["hook_event_name"] === "SessionStart",
    answer: (text) => ({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } }),
  },
  {
    // Cursor
    fits: (event) => event["hook_event_name"] === "sessionStart",
    answer: (text) => ({ additional_context: text }),
  },
  {
    // Copilot CLI
    fits: (event) => event["sessionId"] !== undefined,
    answer: (text) => ({ additionalContext: text }),
  },
];

/** Whether a turn ends. Every client says in this word whether a hook has made the model go on already. */
function isEnd(event: Values): boolean {
  return event["stop_hook_active"] !== undefined;
}

export interface Greeting {
  /** Whether the session was not told before: it may have several hooks, go on later, or be compacted. */
  readonly isDue: boolean;
  /** At the end of a turn: the session, which may be reminded of what it leaves. */
  readonly ends?: NotedSession;
  /** Where the session is, as the client says: some run hooks in a folder of their own. */
  readonly folder?: string;
  /** Its shells and its server are the same seat, where their variables name it. */
  readonly seat?: Seat;
  answer(text: string): string;
}

const CONTINUED = ["resume", "compact"];

export async function planGreeting(host: Host): Promise<Greeting> {
  const event = asValues(parseJson(await readEvent(host)));
  const form = FORMS.find(({ fits }) => fits(event));
  const session = asText(event["session_id"] ?? event["sessionId"] ?? event["conversation_id"]);
  const { state } = userFolders(host);
  const folder = folderOf(event, host);
  const id = seatId(session ?? "");
  const place = { folder, ...(id !== "" && { seat: { id, client: "client" } }) };
  const answer = (text: string) => form === undefined ? `${text}\n` : JSON.stringify(form.answer(text));
  if (!isEnd(event)) {
    const isContinued = CONTINUED.includes(asText(event["source"]) ?? "");
    const isDue = !isContinued &&
      (session === undefined || await noteSession(state, session, host.now()));
    return { isDue, ...place, answer };
  }
  const isFirst = event["stop_hook_active"] === false && session !== undefined;
  const ends = isFirst ? await findSession(state, session) : undefined;
  return { isDue: ends !== undefined, ends, ...place, answer };
}

/** `cwd` in most clients; Cursor and Auggie name the folders of their window. */
function folderOf(event: Values, host: Host): string | undefined {
  const given = asText(event["cwd"]) ?? asTexts(event["workspace_roots"])[0];
  const folder = given === undefined ? undefined : host.findFolder(given);
  return folder === undefined || isTooWide(folder, host) ? undefined : folder;
}

async function readEvent(host: Host): Promise<string> {
  if (host.terminal.stdin) return "";
  const source = host.stdin();
  const decoder = new TextDecoder();
  const done = new AbortController();
  const limit = pause(LIMITS.hooks.eventMs, done.signal, host).then(() => null);
  let [text, size] = ["", 0];
  try {
    while (size < LIMITS.hooks.eventBytes) {
      const bytes = await Promise.race([source.read(), limit]);
      if (bytes === null) break;
      text += decoder.decode(bytes, { stream: true });
      size += bytes.length;
    }
  } finally {
    done.abort();
    source.cancel();
  }
  return text;
}
