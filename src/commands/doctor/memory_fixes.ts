/**
 * Fixes for the problems of project memory.
 *
 * Memory reports a problem and the file or server that has it; here are the commands, flags and variables that solve it.
 * Shell commands are only suggested where that shell exists.
 */
import type { Config, MemoryFault } from "../../app.ts";
import type { MemoryProblem } from "../../base/errors.ts";
import { DENO_TASK } from "../../base/model.ts";
import { command, withCommand } from "../../base/text.ts";
import type { Reclaim } from "./ownership.ts";

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

/** For all other problems, the fix depends on what is configured. */
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

/** The fix for a fault. */
export function fixFor(
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
