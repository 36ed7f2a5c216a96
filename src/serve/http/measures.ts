/**
 * The metrics besides those of requests: the process, and each project that was used.
 *
 * A project that was never used is not opened just to be measured.
 */
import { type OriginState, originState } from "../../app.ts";
import { type Diagnostic, PRODUCT } from "../../base/model.ts";
import type { Measure } from "./metrics.ts";
import type { Project } from "./projects.ts";

const STATES: readonly OriginState[] = ["ready", "standby", "empty", "missing", "fetching", "failed"];
const LEVELS: readonly Diagnostic["level"][] = ["error", "warning", "info"];

export async function measuresOf(
  projects: readonly Project[],
  { uptime, memory }: { readonly uptime: number; readonly memory: number },
): Promise<readonly Measure[]> {
  const opened = await Promise.all(
    projects.map(async ({ name, app, endpoint }) => {
      const origins = await app.origins();
      const diagnostics = await app.diagnostics();
      // Last, because asking for the origins may read changed content again.
      return { project: name, endpoint, origins, diagnostics, reloads: app.reloads() };
    }),
  );
  const each = (values: (one: typeof opened[number]) => Measure["values"]): Measure["values"] =>
    opened.flatMap((one) =>
      values(one).map(({ value, labels }) => ({ value, labels: { project: one.project, ...labels } }))
    );
  return [
    gauge("info", "Version of the server.", [{ value: 1, labels: { version: PRODUCT.version } }]),
    gauge("uptime_seconds", "Seconds since the start.", [{ value: uptime }]),
    gauge("resident_memory_bytes", "Resident memory of the process.", [{ value: memory }]),
    gauge(
      "sessions",
      "Sessions of clients of the 2025 protocol versions.",
      each(({ endpoint }) => [{ value: endpoint.sessions() }]),
    ),
    gauge(
      "listening_streams",
      "Streams on which clients without a session wait for changes.",
      each(({ endpoint }) => [{ value: endpoint.streams() }]),
    ),
    {
      name: "bmad_mcp_reloads_total",
      help: "Reloads of changed content, by outcome.",
      type: "counter",
      values: each(({ reloads }) => [
        { value: reloads.done, labels: { outcome: "ok" } },
        { value: reloads.failed, labels: { outcome: "failed" } },
      ]),
    },
    gauge(
      "origin_state",
      "1 for the current state of an origin, 0 for the others.",
      each(({ origins }) =>
        origins.flatMap((facts) =>
          STATES.map((state) => ({
            value: Number(originState(facts) === state),
            labels: { origin: facts.origin.id, state },
          }))
        )
      ),
    ),
    gauge(
      "origin_things",
      "Agents, workflows, skills and other items of each origin.",
      each(({ origins }) =>
        origins.map(({ origin, things }) => ({ value: things, labels: { origin: origin.id } }))
      ),
    ),
    gauge(
      "diagnostics",
      "Issues found in the content, by level.",
      each(({ diagnostics }) =>
        LEVELS.map((level) => ({
          value: diagnostics.filter((each) => each.level === level).length,
          labels: { level },
        }))
      ),
    ),
  ];
}

function gauge(name: string, help: string, values: Measure["values"]): Measure {
  return { name: `bmad_mcp_${name}`, help, type: "gauge", values };
}
