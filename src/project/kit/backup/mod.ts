/** A restore that was interrupted is finished by doing it again. */
import { expectFailure, failInput } from "../../../base/errors.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { abbreviateList, counted, sha256 } from "../../../base/text.ts";
import { diskTree, findText, isDatabase, isInside, joinPath, walkFiles } from "../../../content/tree/mod.ts";
import type { BackupPlan } from "../../../settings/plan/mod.ts";
import { checkTarget, replaceFile, writeOutput } from "../../files/mod.ts";
import type { ProjectMemory } from "../memory/mod.ts";
import { type Memory, MEMORY_TYPES } from "../../../base/model.ts";
import { openNames } from "../../../base/paths.ts";
import { asValues, isValues, parseJson } from "../../../base/values.ts";

interface BackupTools {
  readonly plan: BackupPlan;
  readonly root: string;
  readonly memory: ProjectMemory;
  now(): number;
}

export function openBackups(tools: BackupTools) {
  return {
    save: () => save(tools),
    restore: async (text: string) => await restore(tools, await fromText(text)),
  };
}

/** Returns the backup itself if it goes to stdout. */
async function save({ plan: { folder, output }, root, memory, now }: BackupTools): Promise<Report | string> {
  const tree = diskTree(root);
  const files: Record<"path" | "text", string>[] = [], leftOut: string[] = [];
  for (const path of walkFiles(tree, folder, () => false)) {
    const own = path.slice(folder.length + 1);
    if (!isKept(own)) continue;
    const text = findText(tree, path);
    if (text === undefined) leftOut.push(path);
    else files.push({ path: own, text });
  }
  const memories = (await memory.remembered({})).toReversed();
  const body = {
    project: memory.project,
    memories: memories.map(({ createdAt, ...memory }) => ({ ...memory, created_at: createdAt })),
    files,
  };
  const head = { format: FORMAT, created_at: new Date(now()).toISOString(), sha256: await checksum(body) };
  const text = `${JSON.stringify({ ...head, ...body }, null, 1)}\n`;
  if (output === undefined) return text;
  writeOutput(new TextEncoder().encode(text), { ...output, now: now(), isPrivate: true });
  const { path } = output;
  const counts = `${counted(memories.length, "memory")} and ${counted(files.length, "file")}`;
  return {
    text: joinLines(
      `Wrote ${counts} of ${folder} to ${path}`,
      leftOut.length > 0 &&
        `Left out, because they are not text or too large: ${abbreviateList(leftOut)}`,
    ),
    data: { path, total: memories.length, files: files.length, leftOut: leftOut.length },
  };
}

async function restore(tools: BackupTools, archive: Awaited<ReturnType<typeof fromText>>): Promise<Report> {
  const { plan, root, memory, now } = tools;
  if (archive.project !== memory.project && !plan.isForced) {
    failInput(
      `The backup is of the project ${archive.project}, and this is ${memory.project}`,
      "--force restores it here",
    );
  }
  const { memoryId } = await import("../memory/mod.ts");
  const memories = archive.project === memory.project
    ? archive.memories
    : await Promise.all(archive.memories.map(async (one) => {
      const moved = { ...one, project: memory.project };
      return { ...moved, id: await memoryId(moved) };
    }));
  const files = planFiles(tools, archive.files);
  const replaced = files.filter(({ before }) => before !== undefined).map(({ path }) => path);
  const differing = [...await differingMemories(memory, memories), ...replaced];
  if (differing.length > 0 && !plan.isForced) {
    failInput(
      `Not the same as in the backup: ${abbreviateList(differing)}`,
      "Nothing was changed; --force replaces them",
    );
  }
  const { text, data } = await memory.putBack(memories).catch(blameBackup);
  for (const { path, text, before } of files) {
    const isWritten = replaceFile(root, path, text, { before, mayWrite: mayWrite(plan), now: now() });
    if (!isWritten) failInput(`${path} has just been changed by another program`, "Restore again to finish");
  }
  const counts = {
    new: files.length - replaced.length,
    changed: replaced.length,
    same: archive.files.length - files.length,
  };
  const line = `Restored ${counted(archive.files.length, "file")} to ${plan.folder}: ${counts.new} new, ` +
    `${counts.changed} changed, ${counts.same} already there`;
  return {
    text: archive.files.length === 0 ? text : `${text}\n${line}`,
    data: { createdAt: archive.createdAt, ...data, files: counts },
  };
}

/** The store is as it should be: what does not fit is the backup. */
function blameBackup(error: unknown): never {
  const failure = expectFailure(error);
  if (failure.code !== "memory-unavailable") throw error;
  if (failure.problem === "too-many") failInput(`The backup is too large: ${failure.reason}`);
  if (failure.problem === "disk-full") failInput(`The backup does not fit: ${failure.reason}`);
  throw error;
}

async function differingMemories(memory: ProjectMemory, memories: readonly Memory[]) {
  const keyOf = ({ type, id }: Memory) => `${type} ${id}`;
  const valueOf = ({ text, tags }: Memory) => JSON.stringify([text, tags]);
  const stored = new Map((await memory.remembered({})).map((one) => [keyOf(one), valueOf(one)]));
  return memories.filter((one) => (stored.get(keyOf(one)) ?? valueOf(one)) !== valueOf(one))
    .map(({ id }) => id.slice(0, 8));
}

function planFiles({ plan, root }: BackupTools, files: readonly Record<"path" | "text", string>[]) {
  const tree = diskTree(root);
  return files.flatMap(({ path: own, text }) => {
    const path = joinPath(plan.folder, own);
    const before = findText(tree, path);
    if (before === text) return [];
    if (before === undefined && tree.stat(path) !== undefined) {
      failInput(`${path} is not a text file`, "Move it away");
    }
    checkTarget(root, path, mayWrite(plan));
    return [{ path, text, before }];
  });
}

function mayWrite({ writable }: BackupPlan): (realName: string) => boolean {
  return (realName) => writable !== undefined && isInside(realName, writable);
}

const FAMILY = "bmad-mcp.memory-backup/";
const FORMAT = `${FAMILY}1`;

async function fromText(text: string) {
  const { format, created_at: createdAt, sha256, ...body } = asValues(parseJson(text));
  if (typeof format !== "string" || !format.startsWith(FAMILY)) {
    failInput("It is not a backup of memory", "Use a file that `memory backup` wrote");
  }
  if (format !== FORMAT) {
    failInput("The backup was written by a newer version of this program", "Upgrade first");
  }
  if (sha256 !== await checksum(body)) {
    failInput("The backup is damaged: its content does not match its checksum", "Use another backup");
  }
  const { project, memories, files } = body;
  const isWhole = typeof project === "string" && typeof createdAt === "string" &&
    Array.isArray(memories) && Array.isArray(files);
  if (!isWhole) return failInput("The backup is not complete");
  const nameFault = openNames();
  return {
    project,
    createdAt,
    memories: memories.map((given, at) =>
      memoryIn(given) ?? failInput(`Entry ${at + 1} of the backup is not a memory`)
    ),
    files: files.map((given) => {
      const { path, text } = asValues(given);
      const isFile = typeof path === "string" && typeof text === "string" && isKept(path) &&
        nameFault(path) === undefined;
      return isFile
        ? { path, text }
        : failInput("The backup holds a file that has no place in a memory folder");
    }),
  };
}

function isKept(path: string): boolean {
  return !isDatabase(path) && !path.split("/").some((name) => name === "" || name.startsWith("."));
}

function memoryIn(given: unknown): Memory | undefined {
  if (!isValues(given)) return undefined;
  const { id, type, agent, text, tags, project, created_at: createdAt } = given;
  const isMemory = [id, agent, text, project, createdAt].every((one) => typeof one === "string") &&
    /^[\w-]{1,64}$/.test(String(id)) && MEMORY_TYPES.some((known) => known === type) &&
    Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
  return isMemory ? { id, type, agent, text, tags, project, createdAt } as Memory : undefined;
}

const checksum = (body: unknown) => sha256(JSON.stringify(body));
