/**
 * What `/metrics` tells beside the requests: the process, and each project that somebody has asked for.
 *
 * A project that nobody has asked for is not opened to be measured.
 */
import { type OriginState, originState } from "../../app.ts";
import { type Diagnostic, PRODUCT } from "../../base/model.ts";
import type { Measure } from "./metrics.ts";
import type { Projects } from "./projects.ts";

const STATES: readonly OriginState[] = ["ready", "empty", "missing", "fetching", "failed"];
const LEVELS: readonly Diagnostic["level"][] = ["error", "warning", "info"];

/** What is known of the process. */
export interface ProcessFacts {
  /** How many seconds it has been serving. */
  readonly uptime: number;
  /** In bytes: the memory that it takes. */
  readonly memory: number;
}

/** The measures of a moment. */
export async function measuresOf(
  projects: Projects,
  { uptime, memory }: ProcessFacts,
): Promise<readonly Measure[]> {
  const opened = await Promise.all(
    projects.opened().map(async ({ name, app, endpoint }) => ({
      project: name,
      endpoint,
      reloads: app.reloads(),
      origins: await app.origins(),
      diagnostics: await app.diagnostics(),
    })),
  );
  type Opened = typeof opened[number];
  const each = (values: (one: Opened) => readonly Measure["values"][number][]): Measure["values"] =>
    opened.flatMap((one) =>
      values(one).map(({ value, labels }) => ({ value, labels: { project: one.project, ...labels } }))
    );
  return [
    {
      name: "bmad_mcp_info",
      help: "The version that is running.",
      type: "gauge",
      values: [{ value: 1, labels: { version: PRODUCT.version } }],
    },
    {
      name: "bmad_mcp_uptime_seconds",
      help: "How long it has been running.",
      type: "gauge",
      values: [{ value: uptime }],
    },
    {
      name: "bmad_mcp_resident_memory_bytes",
      help: "The memory that the process takes.",
      type: "gauge",
      values: [{ value: memory }],
    },
    {
      name: "bmad_mcp_sessions",
      help: "Sessions of clients of the 2025 revisions.",
      type: "gauge",
      values: each(({ endpoint }) => [{ value: endpoint.sessions() }]),
    },
    {
      name: "bmad_mcp_listening_streams",
      help: "Streams on which clients without a session wait for changes.",
      type: "gauge",
      values: each(({ endpoint }) => [{ value: endpoint.streams() }]),
    },
    {
      name: "bmad_mcp_reloads_total",
      help: "How often content was read anew because it had changed, and how that ended.",
      type: "counter",
      values: each(({ reloads }) => [
        { value: reloads.done, labels: { outcome: "ok" } },
        { value: reloads.failed, labels: { outcome: "failed" } },
      ]),
    },
    {
      name: "bmad_mcp_origin_state",
      help: "1 for the state that an origin is in, 0 for the others.",
      type: "gauge",
      values: each(({ origins }) =>
        origins.flatMap((facts) =>
          STATES.map((state) => ({
            value: Number(originState(facts) === state),
            labels: { origin: facts.origin.id, state },
          }))
        )
      ),
    },
    {
      name: "bmad_mcp_origin_things",
      help: "Things found in each origin.",
      type: "gauge",
      values: each(({ origins }) =>
        origins.map(({ origin, things }) => ({ value: things, labels: { origin: origin.id } }))
      ),
    },
    {
      name: "bmad_mcp_diagnostics",
      help: "What was found wrong, by how grave it is.",
      type: "gauge",
      values: each(({ diagnostics }) =>
        LEVELS.map((level) => ({
          value: diagnostics.filter((each) => each.level === level).length,
          labels: { level },
        }))
      ),
    },
  ];
}
