/**
 * The memory of the project: where it is, what it holds, whether it can be reached, and what finds it.
 *
 * Asks a server only where the user has named one.
 */
import { type App, type Config, isChosen, type MemoryFault, type MemoryHealth } from "../../app.ts";
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
  const { backend, place, status, meaning, model, faults } = health;
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

function problemOf({ of, reason, fix }: MemoryFault, { memory, provenance }: Config): Problem {
  const isStore = of === "store";
  const named = isStore ? memory?.qdrant?.url : undefined;
  const server = `Start the server, or correct ${isStore ? provenance.qdrantUrl : provenance.embeddingsUrl}`;
  const usual = named !== undefined
    ? `${server}; without it, memories are in a file`
    : typeof memory?.embedder === "object"
    ? `${server}; --no-embedder finds by words alone`
    : "Please report this, with what --log-level debug says";
  return {
    section: "memory",
    level: isStore ? "broken" : "look",
    code: isStore ? "memory-unavailable" : "embedder-unavailable",
    message: isStore ? reason : `Memories are found by words alone: ${reason}`,
    fix: fix ?? usual,
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
      ? "1 memory is found by words alone: it has no vector of this embedder"
      : `${count} memories are found by words alone: they have no vector of this embedder`,
    fix: "Have them embedded: bmad-mcp memory export | bmad-mcp memory import",
  }];
}
