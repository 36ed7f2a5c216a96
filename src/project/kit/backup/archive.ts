/**
 * A backup of a project's memory, as one JSON text: every memory, and every text file of the memory folder.
 *
 * The text carries a checksum of all that it holds, and whatever is read from it is checked as a whole before any of it
 * is used: a backup that was cut off, damaged or written by somebody else restores nothing.
 */
import { fail } from "../../../base/errors.ts";
import { MEMORY_TYPES } from "../../../base/model.ts";
import { openNames } from "../../../base/paths.ts";
import { asValues, isValues, parseJson } from "../../../base/values.ts";
import { isDatabase } from "../../../content/tree/mod.ts";
import type { Memory } from "../memory/mod.ts";

/** The content of a backup. */
export interface Archive {
  /** The kit's name for the project. */
  readonly project: string;
  /** In UTC. */
  readonly createdAt: string;
  readonly memories: readonly Memory[];
  readonly files: readonly ArchivedFile[];
}

/** A file of the memory folder. */
export interface ArchivedFile {
  /** Relative to that folder. */
  readonly path: string;
  readonly text: string;
}

const FAMILY = "bmad-mcp.memory-backup/";
const FORMAT = `${FAMILY}1`;

export async function toText(archive: Archive): Promise<string> {
  const { project, createdAt, memories, files } = archive;
  const body = {
    project,
    memories: memories.map(({ createdAt, ...memory }) => ({ ...memory, created_at: createdAt })),
    files,
  };
  const head = { format: FORMAT, created_at: createdAt, sha256: await checksum(body) };
  return `${JSON.stringify({ ...head, ...body }, null, 1)}\n`;
}

/** Reads a backup, or fails. */
export async function fromText(text: string): Promise<Archive> {
  const { format, created_at: createdAt, sha256, ...body } = asValues(parseJson(text));
  if (typeof format !== "string" || !format.startsWith(FAMILY)) {
    refuse("It is not a backup of memory", "Use a file that `memory backup` wrote");
  }
  if (format !== FORMAT) refuse("The backup was written by a newer version of this program", "Upgrade first");
  if (sha256 !== await checksum(body)) {
    refuse("The backup is damaged: its content does not match its checksum", "Use another backup");
  }
  const { project, memories, files } = body;
  const isWhole = typeof project === "string" && typeof createdAt === "string" &&
    Array.isArray(memories) && Array.isArray(files);
  if (!isWhole) return refuse("The backup is not complete");
  const nameFault = openNames();
  return {
    project,
    createdAt,
    memories: memories.map((given, at) =>
      memoryIn(given) ?? refuse(`Entry ${at + 1} of the backup is not a memory`)
    ),
    files: files.map((given) => {
      const { path, text } = asValues(given);
      const isFile = typeof path === "string" && typeof text === "string" && isKept(path) &&
        nameFault(path) === undefined;
      return isFile ? { path, text } : refuse("The backup holds a file that has no place in a memory folder");
    }),
  };
}

/** Whether a file of the memory folder belongs into a backup: databases and hidden files do not. */
export function isKept(path: string): boolean {
  return !isDatabase(path) && !path.split("/").some((name) => name === "" || name.startsWith("."));
}

function memoryIn(given: unknown): Memory | undefined {
  if (!isValues(given)) return undefined;
  const { id, type: named, agent, text, tags, project, created_at: createdAt } = given;
  const type = MEMORY_TYPES.find((type) => type === named);
  const isMemory = typeof id === "string" && /^[\w-]{1,64}$/.test(id) &&
    typeof agent === "string" && typeof text === "string" && typeof project === "string" &&
    typeof createdAt === "string" && Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
  return isMemory && type !== undefined
    ? { id, type, agent, text, tags: tags as string[], project, createdAt }
    : undefined;
}

async function checksum(body: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function refuse(problem: string, hint?: string): never {
  return fail({ code: "invalid-input", problem, ...(hint === undefined ? {} : { hint }) });
}
