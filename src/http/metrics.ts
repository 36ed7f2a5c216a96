/**
 * What a server over HTTP has done so far, in the text format of Prometheus.
 */

/** Counts and times of requests. */
export interface Metrics {
  /** Notes a request that was answered. */
  note(method: string, outcome: Outcome, seconds: number): void;
  /** Everything so far, with gauges of the moment. */
  render(gauges: readonly Gauge[]): string;
}

/** How a request ended: answered, refused for what it asked, or failed for what we are. */
export type Outcome = "ok" | "refused" | "failed";

/** A number of the moment; with labels, one of several under the name. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly value: number; readonly labels?: Labels }[];
}

type Labels = Readonly<Record<string, string>>;

/** In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Methods that are counted by name: whatever else somebody sends is counted as one. */
const METHOD = /^(?:http (?:\/[a-z]*|[A-Z]+)|[a-z]+(?:\/[a-zA-Z_]+){0,3})$/;
const MOST_METHODS = 50;

/** Nothing counted yet. */
export function openMetrics(): Metrics {
  const counts = new Map<string, Map<Outcome, number>>();
  const buckets = BUCKETS.map(() => 0);
  let [count, sum] = [0, 0];
  return {
    note: (method, outcome, seconds) => {
      const isCounted = counts.has(method) || (METHOD.test(method) && counts.size < MOST_METHODS);
      const name = isCounted ? method : "other";
      const outcomes = counts.get(name) ?? new Map<Outcome, number>();
      counts.set(name, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
      count++;
      sum += seconds;
      BUCKETS.forEach((limit, at) => seconds <= limit ? buckets[at]!++ : undefined);
    },
    render: (gauges) => {
      const lines = [
        ...heading("bmad_mcp_requests_total", "counter", "Requests by method and how they ended."),
        ...[...counts].flatMap(([method, outcomes]) =>
          [...outcomes].map(([outcome, value]) => line("bmad_mcp_requests_total", { method, outcome }, value))
        ),
        ...heading("bmad_mcp_request_seconds", "histogram", "How long requests took to be answered."),
        ...BUCKETS.map((le, at) => line("bmad_mcp_request_seconds_bucket", { le: String(le) }, buckets[at]!)),
        line("bmad_mcp_request_seconds_bucket", { le: "+Inf" }, count),
        line("bmad_mcp_request_seconds_sum", {}, sum),
        line("bmad_mcp_request_seconds_count", {}, count),
        ...gauges.flatMap(({ name, help, values }) => [
          ...heading(name, "gauge", help),
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
