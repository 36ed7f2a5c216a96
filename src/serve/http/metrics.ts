/** A stream begins with status 200, so the bytes of responses tell how they end. */
import { Buffer } from "node:buffer";
import { type OriginFacts, originsOf, type OriginState, originState } from "../../app.ts";
import { type Diagnostic, PRODUCT } from "../../base/model.ts";
import { onAbort } from "../../base/work.ts";
import type { Reply } from "../listener/mod.ts";
import type { Project } from "./projects.ts";

export type Metrics = ReturnType<typeof openMetrics>;

interface Measure {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly values: readonly (readonly [value: number, labels?: Labels, suffix?: string])[];
}

const REASONS = ["token_missing", "token_wrong", "token_throttled", "no_role", "connections"] as const;

export type Reason = (typeof REASONS)[number];

type Labels = Readonly<Record<string, string>>;

const MAX_USES = 5_000;
const OTHERS = "other";

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Anything else counts as `other`, so that no client can add rows. */
const COUNTED: ReadonlySet<string> = new Set(
  `initialize, ping, server/discover, subscriptions/listen, completion/complete, tools/list, tools/call,
  prompts/list, prompts/get, logging/setLevel, skills/list, skills/get, resources/subscribe, resources/unsubscribe,
  resources/list, resources/templates/list, resources/read, resources/directory/read, notifications/initialized,
  notifications/cancelled, notifications/progress, notifications/roots/list_changed, http GET /mcp, http DELETE /mcp,
  http POST /mcp, http /health, http /ready, http /metrics, http /api/v1, http /, http unread`.split(/,\s+/),
);

export function openMetrics() {
  const counts = new Map<string, Map<Ending, number>>();
  const buckets = BUCKETS.map(() => 0);
  const turnedAway = new Map<Reason, number>(REASONS.map((reason) => [reason, 0]));
  const uses = new Map<string, { readonly labels: Labels; count: number }>();
  let [count, sum] = [0, 0];
  return {
    /** Without a duration, the request only waited for changes. */
    note: (method: string, ending: Ending, seconds?: number): void => {
      const name = COUNTED.has(method) ? method : OTHERS;
      const endings = counts.get(name) ?? new Map<Ending, number>();
      counts.set(name, endings.set(ending, (endings.get(ending) ?? 0) + 1));
      if (seconds === undefined) return;
      count++;
      sum += seconds;
      BUCKETS.forEach((limit, at) => seconds <= limit ? buckets[at]!++ : undefined);
    },
    noteUse: (name: string, project: string, outcome: Ending): void => {
      const find = (labels: Labels) => {
        const key = JSON.stringify(labels);
        const known = uses.get(key);
        if (known !== undefined || uses.size >= MAX_USES && labels["name"] !== OTHERS) return known;
        const row = { labels, count: 0 };
        uses.set(key, row);
        return row;
      };
      (find({ name, project, outcome }) ?? find({ name: OTHERS, project, outcome })!).count++;
    },
    turnAway: (reason: Reason): void => void turnedAway.set(reason, turnedAway.get(reason)! + 1),
    render: (others: readonly Measure[], isShown: (name: string, project: string) => boolean): string => {
      const requests = [...counts].flatMap(([method, endings]) =>
        [...endings].map(([outcome, value]) => [value, { method, outcome }] as const)
      );
      const shownUses = [...uses.values()].flatMap(({ labels, count }) =>
        isShown(labels["name"]!, labels["project"]!) ? [[count, labels] as const] : []
      );
      const refused = [...turnedAway].map(([reason, value]) => [value, { reason }] as const);
      const durations: Measure = {
        name: "bmad_mcp_request_seconds",
        help: "Seconds until the response was complete.",
        type: "histogram",
        values: [
          ...BUCKETS.map((le, at) => [buckets[at]!, { le: String(le) }, "_bucket"] as const),
          [count, { le: "+Inf" }, "_bucket"],
          [sum, {}, "_sum"],
          [count, {}, "_count"],
        ],
      };
      return [
        counter("requests_total", "Requests by method and outcome.", requests),
        counter("uses_total", "Requests by name, project and outcome.", shownUses),
        counter("turned_away_total", "Requests and connections turned away.", refused),
        durations,
        ...others,
      ].map(renderMeasure).join("");
    },
  };
}

function renderMeasure({ name, help, type, values }: Measure): string {
  const lines = values.map(([value, labels = {}, suffix = ""]) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

export interface Outcome {
  readonly ending: Ending;
  readonly bytes: number;
}

/** `refused` is the client's fault, `failed` ours; in `left` the client disconnected first. */
export type Ending = "ok" | "refused" | "failed" | "left";

/** Keys of JSON follow a brace or a comma; inside a JSON string their quotes would be escaped. */
const FAILED = /[{,]"(?:error":\{|isError":true)/;
const INTERNAL = /[{,]"error":\{"code":-32603\b/;
/** As long as any match, which may be split between two pieces. */
const SEAM = 32;

export function watchOutcome(
  { status, headers }: Response,
  ended: AbortSignal,
  done: (outcome: Outcome) => void,
): NonNullable<Reply["watch"]> {
  let ending: Ending = status < 400 ? "ok" : status < 500 ? "refused" : "failed";
  const mayFail = ending === "ok" && /\bjson\b|\bevent-stream\b/.test(headers.get("content-type") ?? "");
  let [bytes, seam, isOpen] = [0, "", true];
  const finish = (last: Ending) => {
    if (!isOpen) return;
    isOpen = false;
    done({ ending: last, bytes });
  };
  const inspect = (text: string) => {
    // A pattern takes ten times as long as a search for what nearly no answer has.
    if (!text.includes('"error":{') && !text.includes('"isError":true')) return;
    if (INTERNAL.test(text)) ending = "failed";
    else if (FAILED.test(text)) ending = "refused";
  };
  // A stream is never complete if its client leaves before the end.
  onAbort(ended, () => finish("left"));
  return (part) => {
    if (part === null) return finish(ending);
    bytes += part.length;
    // A refusal may turn out to be a failure in the next piece.
    if (!mayFail || ending === "failed") return;
    // What is looked for is ASCII, so that each byte may stand for a character, and a piece may end anywhere.
    const text = seam + Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1");
    inspect(text);
    seam = text.slice(-SEAM);
  };
}

const STATES: readonly OriginState[] = ["ready", "standby", "empty", "missing", "fetching", "failed"];
const LEVELS: readonly Diagnostic["level"][] = ["error", "warning", "info"];

export async function measuresOf(
  projects: readonly Project[],
  { uptime, memory }: { readonly uptime: number; readonly memory: number },
): Promise<readonly Measure[]> {
  const opened = await Promise.all(
    projects.map(async ({ name, app, endpoint }) => {
      const origins = await app.ask(originsOf);
      const diagnostics = await app.diagnostics();
      // Last, because asking for the origins may read changed content again.
      return { project: name, endpoint, origins, diagnostics, reloads: app.reloads() };
    }),
  );
  const each = (values: (one: typeof opened[number]) => Measure["values"]): Measure["values"] =>
    opened.flatMap((one) =>
      values(one).map(([value, labels]) => [value, { project: one.project, ...labels }] as const)
    );
  const inState = (facts: OriginFacts): Measure["values"] =>
    STATES.map((state) => [Number(originState(facts) === state), { origin: facts.origin.id, state }]);
  return [
    gauge("info", "Version of the server.", [[1, { version: PRODUCT.version }]]),
    gauge("uptime_seconds", "Seconds since the start.", [[uptime]]),
    gauge("resident_memory_bytes", "Resident memory of the process.", [[memory]]),
    gauge(
      "sessions",
      "Sessions of clients of the 2025 protocol versions.",
      each(({ endpoint }) => [[endpoint.sessions()]]),
    ),
    gauge(
      "listening_streams",
      "Streams on which clients without a session wait for changes.",
      each(({ endpoint }) => [[endpoint.streams()]]),
    ),
    counter(
      "reloads_total",
      "Reloads of changed content, by outcome.",
      each(({ reloads: { done, failed } }) => [[done, { outcome: "ok" }], [failed, { outcome: "failed" }]]),
    ),
    gauge(
      "origin_state",
      "1 for the current state of an origin, 0 for the others.",
      each(({ origins }) => origins.flatMap(inState)),
    ),
    gauge(
      "origin_things",
      "Agents, workflows, skills and other items of each origin.",
      each(({ origins }) => origins.map(({ origin, things }) => [things, { origin: origin.id }])),
    ),
    gauge(
      "diagnostics",
      "Issues found in the content, by level.",
      each(({ diagnostics }) =>
        LEVELS.map((level) => [diagnostics.filter((one) => one.level === level).length, { level }])
      ),
    ),
  ];
}

function counter(name: string, help: string, values: Measure["values"]): Measure {
  return { name: `bmad_mcp_${name}`, help, type: "counter", values };
}

function gauge(name: string, help: string, values: Measure["values"]): Measure {
  return { name: `bmad_mcp_${name}`, help, type: "gauge", values };
}
