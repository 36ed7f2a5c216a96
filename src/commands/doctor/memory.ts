/**
 * The memory of the project: where it is, what it holds, whether it can be reached, and what finds it.
 *
 * Asks a server only where the user has named one.
 */
import { type App, type Config, isChosen, type MemoryFault, type MemoryHealth } from "../../app.ts";
import { fixFor } from "./memory_fixes.ts";
import type { Line, Problem, Section } from "./report.ts";

/** Looks at the memory of the project. */
export async function examineMemory(app: App, config: Config): Promise<Section> {
  if (config.memory === undefined) {
    const text = "no project is served, so there is no memory";
    return { name: "memory", lines: [{ mark: "note", label: "none", text }], problems: [], data: NOTHING };
  }
  const isOn = isChosen(config, "memory", "recall_structured");
  const health = await (await app.memory()).health({ isUsed: isOn });
  const problems = [...health.faults.map((fault) => problemOf(fault, config)), ...withoutVectors(health)];
  const { backend, location: place, status, ranking: meaning, model, faults } = health;
  const total = status && Object.values(status.counts).reduce((sum, count) => sum + count, 0);
  const isBroken = faults.some(({ of }) => of === "store");
  const where = isBroken ? "cannot be told" : place ?? "nothing is remembered yet, and no file is made";
  const lines: readonly Line[] = [
    {
      mark: "note",
      label: "tools",
      text: isOn ? "on" : "off: the project has no folder for memory or runs, or you chose other tools",
    },
    { mark: isBroken ? "broken" : place === undefined ? "note" : "good", label: backend, text: where },
    ...(status === undefined ? [] : [
      {
        mark: "note",
        label: "memories",
        text: `${total} (${Object.entries(status.counts).map(([type, n]) => `${type} ${n}`).join(", ")})`,
      } satisfies Line,
    ]),
    {
      mark: problems.length > (isBroken ? 1 : 0) ? "look" : "note",
      label: "found by",
      text: meaning,
    },
  ];
  return {
    name: "memory",
    lines,
    problems,
    data: {
      isOn,
      backend,
      place: place ?? null,
      files: config.memory.files,
      total: total ?? null,
      counts: status?.counts ?? null,
      withoutVector: status?.withoutVector ?? null,
      model: model ?? null,
      meaning,
    },
  };
}

const NOTHING = {
  ...{ isOn: false, backend: null, place: null, files: [], total: null, counts: null },
  ...{ withoutVector: null, model: null, meaning: null },
};

function problemOf(fault: MemoryFault, config: Config): Problem {
  const isStore = fault.of === "store";
  return {
    section: "memory",
    level: isStore ? "broken" : "look",
    code: isStore ? "memory-unavailable" : "embedder-unavailable",
    message: isStore ? fault.reason : `Memories are found by keywords only: ${fault.reason}`,
    fix: fixFor(fault, config),
  };
}

/** Where the embedder itself is out of order, that is said already. */
function withoutVectors({ status, model, faults }: MemoryHealth): readonly Problem[] {
  const count = status?.withoutVector ?? 0;
  if (count === 0 || model === undefined || faults.length > 0) return [];
  return [{
    section: "memory",
    level: "look",
    code: "no-vector",
    message: count === 1
      ? "1 memory is found by keywords only: it has no vector of this embedder"
      : `${count} memories are found by keywords only: they have no vector of this embedder`,
    fix: "Have them embedded: bmad-mcp memory export | bmad-mcp memory import",
  }];
}
