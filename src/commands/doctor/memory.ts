/** Contacts a server only if the user configured one. Shell commands are only suggested where that shell exists. */
import { type App, type Config, isChosen, type MemoryFault } from "../../app.ts";
import type { MemoryProblem } from "../../base/errors.ts";
import { DENO_TASK } from "../../base/model.ts";
import { command, counted, withCommand } from "../../base/text.ts";
import { error, line, type Reclaim, type Section, section, warning } from "./report.ts";

export async function checkMemory(app: App, config: Config, reclaim: Reclaim): Promise<Section> {
  const hasMemory = config.memory !== undefined;
  const isOn = hasMemory && isChosen(config, "memory", "recall_structured");
  const health = hasMemory ? await (await app.project.memory()).health({ isUsed: isOn }) : undefined;
  const {
    backend = null,
    location: place = null,
    status,
    ranking: meaning = null,
    model = null,
    faults = [],
  } = health ?? {};
  const { counts = null, withoutVector = null } = status ?? {};
  const rows = Object.entries(counts ?? {});
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  const isBroken = faults.some(({ of }) => of === "store");
  // Not reported if the embedder fails, because that is a problem of its own.
  const missing = model === null || faults.length > 0 ? 0 : withoutVector ?? 0;
  const problems = [
    ...faults.map((fault) => {
      const fix = memoryFix(fault, config, reclaim);
      return fault.of === "store"
        ? error("memory-unavailable", fault.reason, fix)
        : warning("embedder-unavailable", `Memories are found by keywords only: ${fault.reason}`, fix);
    }),
    missing > 0 && warning(
      "no-vector",
      `Found by keywords only, without an embedding: ${counted(missing, "memory")}`,
      "Embed them: bmad-mcp memory export | bmad-mcp memory import",
    ),
  ];
  const off = "off: the project has no memory yet, or you chose other tools";
  return section("memory", {
    lines: health === undefined ? [line("info", "none", "no project, so no memory")] : [
      line("info", "tools", isOn ? "on" : off),
      isBroken
        ? line("error", health.backend, "unavailable")
        : line(place === null ? "info" : "ok", health.backend, place ?? "empty; no file yet"),
      status && line("info", "memories", `${total} (${rows.map(([type, n]) => `${type} ${n}`).join(", ")})`),
      line(
        problems.filter(Boolean).length > (isBroken ? 1 : 0) ? "warning" : "info",
        "search",
        health.ranking,
      ),
    ],
    problems,
    data: {
      isOn,
      backend,
      place,
      files: config.memory?.files ?? [],
      total: status === undefined ? null : total,
      counts,
      withoutVector,
      model,
      meaning,
    },
  });
}

type Fix = (subject: string, os: typeof Deno.build.os, reclaim: Reclaim) => string;

const moveAway: Fix = (file, os) => {
  const folder = `${file.slice(0, file.lastIndexOf("/"))}/damaged-memory`;
  const how = os === "windows"
    ? `move ${file}, and the files beside it whose names start with its name, to another folder`
    : command`mkdir ${folder} && mv ${file}* ${folder}`;
  return withCommand("Move it away, then import your last export", how);
};

const giveAccess: Fix = (file, os, reclaim) => {
  const how = os === "windows"
    ? `in the properties of ${file}, clear "Read-only" and check the "Security" tab`
    : command`${{ line: reclaim([file]) }}chmod u+rw ${file}`;
  return withCommand("Give this user read and write access", how);
};

const FIXES: Partial<Record<MemoryProblem, Fix>> = {
  "damaged": moveAway,
  "embedder-missing": () => `Reinstall the program; in a checkout, run: ${DENO_TASK} embed`,
  "key-refused": () => "Set BMAD_QDRANT_API_KEY to a key that the server accepts",
  "newer-version": () => "Update this program",
  "no-access": giveAccess,
  "not-a-database": moveAway,
  "not-a-file": moveAway,
  "older-version": () => "Run a command that may update it: bmad-mcp memory status",
  "too-large": moveAway,
  "too-many": () => "Delete some: bmad-mcp memory forget ID",
  "server-too-old": () => "Update the Qdrant server",
};

export function memoryFix(
  { of, problem, subject = "" }: MemoryFault,
  { memory, provenance }: Pick<Config, "memory" | "provenance">,
  reclaim: Reclaim,
  os = Deno.build.os,
): string {
  const fix = problem && FIXES[problem];
  if (fix !== undefined) return fix(subject, os, reclaim);
  if (of === "store" && memory?.qdrant !== undefined) {
    return `Start the server or correct ${provenance.qdrantUrl}; without a server, memories are stored in a file`;
  }
  if (of === "embedder" && typeof memory?.embedder === "object") {
    return `Start the server or correct ${provenance.embeddingsUrl}; --no-embedder searches by keywords only`;
  }
  return "Please report this, with the output of --log-level debug";
}
