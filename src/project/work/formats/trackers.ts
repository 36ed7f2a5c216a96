/**
 * Trackers that keep tickets' statuses. A tracker changes first, then the ticket's file: nothing here asks a tracker.
 * Words and calls are those of BMAD's own recipes (`bmad-ticket`), which a project may replace.
 */
import { textLines } from "../../../base/report.ts";
import { command, oneLine, shorten } from "../../../base/text.ts";
import { asText, asValues, type Values } from "../../../base/values.ts";
import { parseToml } from "../../../content/parse.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { type State, stateOf, STATES } from "./model.ts";

/** tickets.py knows fewer states. */
const CALLED: Readonly<Partial<Record<State, string>>> = { ready: "backlog", blocked: "in-progress" };
export const TRACKER_STATUSES: readonly string[] = STATES.filter((state) => CALLED[state] === undefined);

export function stateCalled(status: string): string {
  const state = status === "" ? "backlog" : stateOf(status)!;
  return CALLED[state] ?? state;
}

/** With a line for each status that it can get there. */
export interface Tracked extends Readonly<Record<string, string | undefined>> {
  readonly store: string;
  /** Missing until it is published there. */
  readonly id?: string;
  readonly url?: string;
}

export interface TicketStore {
  readonly store: string;
  readonly root: string | undefined;
  readonly tickets: Values;
  readonly write: string | undefined;
}

const CONFIG = "_bmad/custom/ticketing-store-config.toml";

/** `repo` or a tracker keeps statuses; `root`: where the first releases kept tickets. */
export function readTicketStore(find: (path: string) => string | undefined, root = ""): TicketStore {
  const { value } = parseToml(find(joinPath(root, CONFIG)) ?? "");
  const tickets = asValues(value["tickets"]);
  const write = asText(asValues(value["verbs"])["write"]);
  return { store: asText(tickets["store"]) ?? "repo", root: asText(tickets["root"]), tickets, write };
}

interface Move {
  readonly id: string;
  readonly url: string;
  readonly repo: string | undefined;
  readonly status: string;
  readonly wasClosed: boolean;
  readonly others: readonly string[];
}

interface Tracker {
  readonly tool: string;
  readonly words: readonly string[];
  move(move: Move): string | undefined;
}

const CLOSED = /^closed(?::(.*))?$/;

const GITHUB: Tracker = {
  tool: "gh",
  words: ["backlog", "in-progress", "review", "closed", "closed: not planned"],
  move: ({ id, repo, status, others, wasClosed }) => {
    const issue = /^#?(\d+)$/.exec(id)?.[1];
    if (issue === undefined) return undefined;
    const gh = (verb: string, ...args: readonly string[]) =>
      command`gh issue ${{ args: [verb, issue, ...(repo === undefined ? [] : ["-R", repo]), ...args] }}`;
    const closed = CLOSED.exec(status);
    const reason = closed?.[1]?.trim() ?? "";
    const labels = others.filter((one) => !CLOSED.test(one)).join(",");
    const swap = [
      ...(closed === null ? ["--add-label", status] : []),
      ...(labels === "" ? [] : ["--remove-label", labels]),
    ];
    const lines = [
      ...(wasClosed && closed === null ? [gh("reopen")] : []),
      ...(swap.length === 0 ? [] : [gh("edit", ...swap)]),
      ...(closed === null ? [] : [gh("close", ...(reason === "" ? [] : ["--reason", reason]))]),
    ];
    return lines.includes(undefined) ? undefined : lines.join(" && ");
  },
};

/** For a model, on the tracker's own MCP server. */
const called = (tool: string, field: string, words: readonly string[]): Tracker => ({
  tool,
  words,
  move: ({ id, url, status }) => `call ${tool} for ${url || id}: ${field} "${status}"`,
});

const TRACKERS: Readonly<Record<string, Tracker>> = {
  github: GITHUB,
  gh: GITHUB,
  jira: {
    tool: "acli",
    words: ["To Do", "In Progress", "In Review", "Done", "Done"],
    move: ({ id, status }) => command`acli jira workitem transition --key ${id} --status ${status} --yes`,
  },
  linear: called("save_issue", "state", ["Backlog", "In Progress", "In Review", "Done", "Canceled"]),
  notion: called("notion-update-page", "Status", ["Backlog", "In Progress", "Review", "Done", "Dropped"]),
  trello: {
    tool: "trelloWriteCard",
    words: ["Backlog", "In Progress", "Review", "Done", "archived"],
    move: ({ id, url, status }) =>
      `call trelloWriteCard for ${url || id}: ` +
      (status === "archived" ? 'action "archive"' : `action "move", list "${status}"`),
  },
};

/** Undefined where the files keep the statuses. */
export function trackedIn({ store, tickets, write }: TicketStore, fields: Values): Tracked | undefined {
  if (store === "repo") return undefined;
  const text = (name: string) => shorten(oneLine(String(fields[name] ?? "")), 200);
  const [id, url] = [text("tracker_id"), text("remote")];
  const known = TRACKERS[store.toLowerCase()];
  const given = asValues(tickets["status"]);
  const words = TRACKER_STATUSES.map((state, at) => asText(given[state]) ?? known?.words[at] ?? state);
  const wasClosed = CLOSED.test(words[TRACKER_STATUSES.indexOf(text("tracker_status"))] ?? "");
  // An initiative's may be something else's: in GitHub, a milestone's.
  const isUsual = fields["type"] !== "initiative" &&
    (write === undefined || write.split(/\W+/).includes(known?.tool ?? ""));
  const lines = TRACKER_STATUSES.map((state, at) => {
    const status = oneLine(words[at]!);
    const others = [...new Set(words)].filter((word) => word !== status);
    const move = { id, url, repo: asText(tickets["repo"]), status, wasClosed, others };
    // What is dropped may have done's status, and something else that tells them apart.
    const isOwn = state !== "dropped" || status !== words[TRACKER_STATUSES.indexOf("done")];
    const line = ownLine(write, move) ?? (isUsual && isOwn ? known?.move(move) : undefined) ??
      `in ${store}, set ${url || id} to "${status}" (${state}${
        write === undefined ? "" : `; see ${CONFIG}`
      })`;
    return [state, line] as const;
  });
  return { store, ...(id && { id, ...Object.fromEntries(lines) }), ...(url && { url }) };
}

const ID = /[<{](?:n|id|key|tracker_id)[>}]/g;

function ownLine(write: string | undefined, { id, status }: Move): string | undefined {
  const line = write?.trim() ?? "";
  if (line.includes("\n") || line.search(ID) < 0 || !/^[\w#.:/-]+$/.test(id)) return undefined;
  return line.replaceAll(ID, id).replaceAll(
    /\[tickets\.status\]\.<state>|[<{](?:status|state)[>}]/g,
    () => status,
  );
}

export function markLine(
  tracked: Tracked | undefined,
  status: string,
  call: (reason?: string) => string | undefined,
): string | undefined {
  if (tracked === undefined) return call();
  const { store, id } = tracked;
  if (id === undefined) return `let bmad-ticket publish it in ${store}`;
  return textLines(tracked[stateCalled(status)], call(`moved in ${store}`)).join("; then: ");
}
