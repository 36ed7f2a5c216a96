/**
 * Backups of a project's memory: its memories, wherever they are stored, and the files of its memory folder.
 *
 * Reads and writes as every other program beside a running server: memories go through their store, and a file appears
 * whole or not at all. A restore that was interrupted is finished by doing it again.
 */
import { fail } from "../../../base/errors.ts";
import type { Report } from "../../../base/report.ts";
import { counted, fewOf } from "../../../base/text.ts";
import { diskTree, findText, isInside, joinPath, walkFiles } from "../../../content/tree/mod.ts";
import type { BackupPlan } from "../../../settings/plan/mod.ts";
import { checkTarget, replaceFile, writeOutput } from "../../files/mod.ts";
import type { Memory, ProjectMemory } from "../memory/mod.ts";
import { type Archive, type ArchivedFile, fromText, isKept, toText } from "./archive.ts";

/** Copies a project's memory to a file and back. */
export interface Backups {
  /** Writes a backup where the command line says; returns the backup itself if that is stdout. */
  save(): Promise<Report | string>;
  /** Puts back what the text of a backup holds; fails without having changed anything if something differs. */
  restore(text: string): Promise<Report>;
}

/** What backups need from outside. */
export interface BackupTools {
  readonly plan: BackupPlan;
  /** The project's folder, absolute and real. */
  readonly root: string;
  readonly memory: ProjectMemory;
  now(): number;
}

/** Opens the backups of a project. Nothing is read yet. */
export function openBackups(tools: BackupTools): Backups {
  return {
    save: () => save(tools),
    restore: async (text) => await restore(tools, await fromText(text)),
  };
}

async function save({ plan: { folder, output }, root, memory, now }: BackupTools): Promise<Report | string> {
  const tree = diskTree(root);
  const files: ArchivedFile[] = [], leftOut: string[] = [];
  for (const path of walkFiles(tree, folder, () => false)) {
    const own = path.slice(folder.length + 1);
    if (!isKept(own)) continue;
    const text = findText(tree, path);
    if (text === undefined) leftOut.push(path);
    else files.push({ path: own, text });
  }
  // The oldest first, as they were stored.
  const memories = (await memory.remembered({})).toReversed();
  const createdAt = new Date(now()).toISOString();
  const text = await toText({ project: memory.project, createdAt, memories, files });
  if (output === undefined) return text;
  writeOutput(new TextEncoder().encode(text), { ...output, isPrivate: true });
  const { path } = output;
  const lines = [
    `Wrote ${counted(memories.length, "memory")} and ${
      counted(files.length, "file")
    } of ${folder} to ${path}`,
    ...(leftOut.length === 0 ? [] : [`Left out, because they are not text or too large: ${fewOf(leftOut)}`]),
  ];
  return {
    text: lines.join("\n"),
    data: { path, total: memories.length, files: files.length, leftOut: leftOut.length },
  };
}

async function restore(tools: BackupTools, archive: Archive): Promise<Report> {
  const { plan: { isForced }, memory } = tools;
  if (archive.project !== memory.project && !isForced) {
    refuse(
      `The backup is of the project ${archive.project}, and this is ${memory.project}`,
      "--force restores it here",
    );
  }
  const memories = archive.project === memory.project
    ? archive.memories
    : await Promise.all(archive.memories.map((one) => movedTo(memory.project, one)));
  const files = planFiles(tools, archive.files);
  const differing = [
    ...await differingMemories(memory, memories),
    ...files.filter(({ before }) => before !== undefined).map(({ path }) => path),
  ];
  if (differing.length > 0 && !isForced) {
    refuse(
      `Not the same as in the backup: ${fewOf(differing)}`,
      "Nothing was changed; --force replaces them",
    );
  }
  const { text, data } = await memory.putBack(memories);
  for (const file of files) writeBack(tools, file);
  const replaced = files.filter(({ before }) => before !== undefined).length;
  const counts = {
    new: files.length - replaced,
    changed: replaced,
    same: archive.files.length - files.length,
  };
  const line =
    `Restored ${counted(archive.files.length, "file")} to ${tools.plan.folder}: ${counts.new} new, ` +
    `${counts.changed} changed, ${counts.same} already there`;
  return {
    text: archive.files.length === 0 ? text : `${text}\n${line}`,
    data: { createdAt: archive.createdAt, ...data, files: counts },
  };
}

/** A memory of another project, as this project would have it. */
async function movedTo(project: string, memory: Memory): Promise<Memory> {
  const { memoryId } = await import("../memory/mod.ts");
  return { ...memory, project, id: await memoryId({ ...memory, project }) };
}

/** The memories that are stored with another text or other tags, by the start of their ids. */
async function differingMemories(
  memory: ProjectMemory,
  memories: readonly Memory[],
): Promise<readonly string[]> {
  const keyOf = ({ type, id }: Memory) => `${type} ${id}`;
  const valueOf = ({ text, tags }: Memory) => JSON.stringify([text, tags]);
  const stored = new Map((await memory.remembered({})).map((one) => [keyOf(one), valueOf(one)]));
  return memories.filter((one) => (stored.get(keyOf(one)) ?? valueOf(one)) !== valueOf(one))
    .map(({ id }) => id.slice(0, 8));
}

/** A file to write. */
interface Change {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly text: string;
  /** Its text now; undefined for a new one. */
  readonly before: string | undefined;
}

/** The files that are missing or differ. Fails if one of them cannot be written. */
function planFiles({ plan, root }: BackupTools, files: readonly ArchivedFile[]): readonly Change[] {
  const tree = diskTree(root);
  return files.flatMap(({ path: own, text }) => {
    const path = joinPath(plan.folder, own);
    const before = findText(tree, path);
    if (before === text) return [];
    if (before === undefined && tree.stat(path) !== undefined) {
      refuse(`${path} is not a text file`, "Move it away");
    }
    checkTarget(root, path, mayWrite(plan));
    return [{ path, text, before }];
  });
}

function writeBack({ plan, root, now }: BackupTools, { path, text, before }: Change): void {
  if (replaceFile(root, path, text, { before, mayWrite: mayWrite(plan), now: now() })) return;
  refuse(`${path} has just been changed by another program`, "Restore again to finish");
}

function mayWrite({ writable }: BackupPlan): (realName: string) => boolean {
  return (realName) => writable !== undefined && isInside(realName, writable);
}

function refuse(problem: string, hint: string): never {
  return fail({ code: "invalid-input", problem, hint });
}
