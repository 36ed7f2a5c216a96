/**
 * The project's memory: where it is stored, what it contains, whether it can be reached, and how it is searched.
 *
 * Contacts a server only if the user configured one.
 */
import { type App, type Config, isChosen, type MemoryFault, type MemoryHealth } from "../../app.ts";
import { fixFor } from "./memory_fixes.ts";
import type { Reclaim } from "./ownership.ts";
import { line, type Problem, problem, type Section } from "./report.ts";

/** Checks the project's memory. */
export async function checkMemory(app: App, config: Config, reclaim: Reclaim): Promise<Section> {
  if (config.memory === undefined) {
    const lines = [line("info", "none", "no project, so no memory")];
    return { name: "memory", lines, problems: [], data: NO_DATA };
  }
  const isOn = isChosen(config, "memory", "recall_structured");
  const health = await (await app.memory()).health({ isUsed: isOn });
  const problems = [
    ...health.faults.map((fault) => problemOf(fault, config, reclaim)),
    ...withoutVectors(health),
  ];
  const { backend, location: place, status, ranking: meaning, model, faults } = health;
  const counts = Object.entries(status?.counts ?? {});
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const isBroken = faults.some(({ of }) => of === "store");
  return {
    name: "memory",
    lines: [
      line(
        "info",
        "tools",
        isOn ? "on" : "off: the project has no folder for memory or runs, or you chose other tools",
      ),
      isBroken
        ? line("error", backend, "unavailable")
        : line(place === undefined ? "info" : "ok", backend, place ?? "empty; no file yet"),
      ...(status === undefined
        ? []
        : [line("info", "memories", `${total} (${counts.map(([type, n]) => `${type} ${n}`).join(", ")})`)]),
      line(problems.length > (isBroken ? 1 : 0) ? "warning" : "info", "search", meaning),
    ],
    problems,
    data: {
      isOn,
      backend,
      place: place ?? null,
      files: config.memory.files,
      total: status === undefined ? null : total,
      counts: status?.counts ?? null,
      withoutVector: status?.withoutVector ?? null,
      model: model ?? null,
      meaning,
    },
  };
}

const NO_DATA = {
  isOn: false,
  backend: null,
  place: null,
  files: [],
  total: null,
  counts: null,
  withoutVector: null,
  model: null,
  meaning: null,
};

function problemOf(fault: MemoryFault, config: Config, reclaim: Reclaim): Problem {
  const { of, reason } = fault;
  const fix = fixFor(fault, config, reclaim);
  return of === "store"
    ? problem("error", "memory-unavailable", reason, fix)
    : problem("warning", "embedder-unavailable", `Memories are found by keywords only: ${reason}`, fix);
}

/** Not reported if the embedder fails, because that is a problem of its own. */
function withoutVectors({ status, model, faults }: MemoryHealth): readonly Problem[] {
  const count = status?.withoutVector ?? 0;
  if (count === 0 || model === undefined || faults.length > 0) return [];
  const message = count === 1
    ? "1 memory has no embedding and is found by keywords only"
    : `${count} memories have no embedding and are found by keywords only`;
  return [
    problem("warning", "no-vector", message, "Embed them: bmad-mcp memory export | bmad-mcp memory import"),
  ];
}
