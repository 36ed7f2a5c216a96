/**
 * Counts and durations of requests, in the text format of Prometheus.
 */
import type { Ending } from "./outcome.ts";

export interface Metrics {
  /** Counts a request that has ended; without a duration if it only waited for changes. */
  note(method: string, ending: Ending, seconds?: number): void;
  /** Counts a request of somebody whom the server knows, in a project. */
  noteUse(name: string, project: string, ending: Ending): void;
  /** Counts a request or connection that was turned away. */
  turnAway(reason: Reason): void;
  /** All metrics, with the current values of others; of the uses, those that somebody may see. */
  render(others: readonly Measure[], isShown: (name: string, project: string) => boolean): string;
}

/** A metric with its current values. */
export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly values: readonly { readonly value: number; readonly labels?: Labels }[];
}

/** Why a client was turned away, which an operator may want to be alerted to. */
const REASONS = ["token_missing", "token_wrong", "token_throttled", "no_role", "connections"] as const;

export type Reason = (typeof REASONS)[number];

type Labels = Readonly<Record<string, string>>;

/** Rows for names; whoever comes later counts among the others. */
const MAX_USES = 5_000;
const OTHERS = "other";

/** In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is counted by name. Anything else counts as `other`, so that no client can add rows. */
const COUNTED: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "subscriptions/listen",
  "completion/complete",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "logging/setLevel",
  "skills/list",
  "skills/get",
  "resources/subscribe",
  "resources/unsubscribe",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/directory/read",
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
  "http GET /mcp",
  "http DELETE /mcp",
  "http POST /mcp",
  "http /health",
  "http /ready",
  "http /metrics",
  "http /",
  "http unread",
]);

export function openMetrics(): Metrics {
  const counts = new Map<string, Map<Ending, number>>();
  const buckets = BUCKETS.map(() => 0);
  const turnedAway = new Map<Reason, number>(REASONS.map((reason) => [reason, 0]));
  const uses = new Map<string, { readonly labels: Labels; count: number }>();
  let [count, sum] = [0, 0];
  return {
    note: (method, ending, seconds) => {
      const name = COUNTED.has(method) ? method : "other";
      const endings = counts.get(name) ?? new Map<Ending, number>();
      counts.set(name, endings.set(ending, (endings.get(ending) ?? 0) + 1));
      if (seconds === undefined) return;
      count++;
      sum += seconds;
      BUCKETS.forEach((limit, at) => seconds <= limit ? buckets[at]!++ : undefined);
    },
    noteUse: (name, project, outcome) => {
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
    turnAway: (reason) => void turnedAway.set(reason, turnedAway.get(reason)! + 1),
    render: (others, isShown) => {
      const lines = [
        ...heading("bmad_mcp_requests_total", "counter", "Requests by method and outcome."),
        ...[...counts].flatMap(([method, endings]) =>
          [...endings].map(([outcome, value]) => line("bmad_mcp_requests_total", { method, outcome }, value))
        ),
        ...heading("bmad_mcp_uses_total", "counter", "Requests by name, project and outcome."),
        ...uses.values().filter(({ labels }) => isShown(labels["name"]!, labels["project"]!))
          .map(({ labels, count }) => line("bmad_mcp_uses_total", labels, count)),
        ...heading("bmad_mcp_turned_away_total", "counter", "Requests and connections turned away."),
        ...[...turnedAway].map(([reason, value]) => line("bmad_mcp_turned_away_total", { reason }, value)),
        ...heading("bmad_mcp_request_seconds", "histogram", "Seconds until the response was complete."),
        ...BUCKETS.map((le, at) => line("bmad_mcp_request_seconds_bucket", { le: String(le) }, buckets[at]!)),
        line("bmad_mcp_request_seconds_bucket", { le: "+Inf" }, count),
        line("bmad_mcp_request_seconds_sum", {}, sum),
        line("bmad_mcp_request_seconds_count", {}, count),
        ...others.flatMap(({ name, help, type, values }) => [
          ...heading(name, type, help),
          ...values.map(({ labels = {}, value }) => line(name, labels, value)),
        ]),
      ];
      return lines.join("\n") + "\n";
    },
  };
}

function heading(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
