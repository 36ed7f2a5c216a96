/**
 * Writes files whole or not at all, first under a hidden name. No link leads out of the project, not even for a folder
 * that is swapped for one meanwhile: the draft is then not where it was put.
 */
import { LIMITS } from "../limits.ts";
import { attempt, unlessMissing } from "../../base/absence.ts";
import { failOutside, forbid, reportRefusal } from "../../base/errors.ts";
import { baseName, decodeText, diskTree, expireAll, isInside, parentPath } from "../../content/tree/mod.ts";

const UNFINISHED = ".unfinished";

export function writeNew(root: string, path: string, text: string, now: number): boolean {
  return reportRefusal(path, () => {
    const folder = makeFolder(root, parentPath(path));
    deleteStaleDrafts(folder, now);
    const target = `${folder}/${baseName(path)}`;
    return lstat(target) === undefined && withDraft(target, text, (draft) => publish(draft, target));
  });
}

/** Creates a folder in one that exists; false if it is there already, so that of several programs one succeeds. */
export function makeOnce(root: string, path: string): boolean {
  return reportRefusal(path, () => {
    const parent = Deno.realPathSync(`${root}/${parentPath(path)}`);
    if (!isInside(parent, root)) failOutside(path);
    return make(`${parent}/${baseName(path)}`);
  });
}

/**
 * Replaces or creates a file whose resolved name `mayWrite` accepts; without a text, it is deleted. Its mode stays.
 * False, and nothing is changed, if the file no longer says `before`.
 */
export function replaceFile(
  root: string,
  path: string,
  text: string | undefined,
  { before, mayWrite, now }: {
    readonly before: string | undefined;
    readonly mayWrite: (realName: string) => boolean;
    readonly now: number;
  },
): boolean {
  return reportRefusal(path, () => {
    const { name, isNew } = findTarget(root, path, mayWrite);
    if (text === undefined) return isStill(name, before) && deleted(name);
    const target = isNew ? `${makeFolder(root, parentPath(path))}/${baseName(path)}` : name;
    if (!mayWrite(target)) refuseWrite(path, ONLY_DOCUMENTS);
    if (!isNew && text === before) return isStill(target, before);
    deleteStaleDrafts(target.slice(0, target.lastIndexOf("/")), now);
    if (isNew && before === undefined) {
      return withDraft(target, text, (draft) => publish(draft, target));
    }
    return withDraft(target, text, (draft) => {
      const mode = unlessMissing(() => Deno.statSync(target))?.mode;
      if (mode !== undefined && mode !== null) Deno.chmodSync(draft, mode & 0o7777);
      // The last look before the file is replaced: an editor does not wait for our lock.
      if (!isStill(target, before)) return false;
      Deno.renameSync(draft, target);
      return true;
    });
  });
}

export function appendLine(
  root: string,
  path: string,
  line: string,
  mayWrite: (realName: string) => boolean,
): void {
  reportRefusal(path, () => {
    if (lstat(resolvedName(root, path)) === undefined) return;
    const { name } = findTarget(root, path, mayWrite);
    using file = Deno.openSync(name, { read: true, append: true });
    const last = new Uint8Array(1);
    const end = file.seekSync(0, Deno.SeekMode.End);
    const isWhole = end === 0 ||
      (file.seekSync(-1, Deno.SeekMode.End), file.readSync(last), last[0] === 0x0A);
    try {
      writeAll(file, new TextEncoder().encode(`${isWhole ? "" : "\n"}${line}`));
    } catch (error) {
      attempt(() => file.truncateSync(end));
      throw error;
    } finally {
      expireAll();
    }
  });
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

function createFile(path: string, bytes: Uint8Array, mode?: number): void {
  using file = Deno.openSync(path, { write: true, createNew: true, mode });
  writeAll(file, bytes);
  file.syncDataSync();
}

function deleted(name: string): true {
  Deno.removeSync(name);
  expireAll();
  return true;
}

/** Fails if a file may not be replaced or written. Nothing is created. A folder is left to what reads it. */
export function checkTarget(root: string, path: string, mayWrite: (realName: string) => boolean): void {
  reportRefusal(path, () => {
    const isFolder = lstat(`${root}/${path}`)?.isDirectory;
    if (!isFolder) findTarget(root, path, mayWrite);
  });
}

function findTarget(root: string, path: string, mayWrite: (realName: string) => boolean) {
  const name = resolvedName(root, path);
  const facts = lstat(name);
  // Opening a pipe would block until its other end is opened; a link to nothing could lead anywhere.
  if (facts !== undefined && !facts.isFile) refuseWrite(path, "it is not a plain file");
  if (!mayWrite(name)) refuseWrite(path, ONLY_DOCUMENTS);
  return { name, isNew: facts === undefined };
}

export function resolvedName(root: string, path: string): string {
  for (let folder = path;; folder = parentPath(folder)) {
    const real = unlessMissing(() => Deno.realPathSync(`${root}/${folder}`));
    if (real === undefined && folder !== "") continue;
    if (real !== undefined && !isInside(real, root)) failOutside(path);
    return `${real ?? root}${folder === "" ? `/${path}` : path.slice(folder.length)}`;
  }
}

export function refuseWrite(path: string, hint: string): never {
  return forbid(`write ${path}`, hint);
}

const ONLY_DOCUMENTS =
  "only the output folder and the artefact folders of the project's configuration are written to, " +
  "and there only documents (.md, .yaml, .json, .html …) outside hidden folders";

function makeFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/").filter(Boolean)) {
    const next = `${folder}/${name}`;
    const resolve = () => unlessMissing(() => Deno.realPathSync(next));
    const real = resolve() ?? (make(next), resolve());
    if (real === undefined || !isInside(real, root)) failOutside(path);
    folder = real;
  }
  return folder;
}

function make(folder: string): boolean {
  try {
    Deno.mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

function lstat(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.lstatSync(path));
}

function isStill(path: string, text: string | undefined): boolean {
  const facts = lstat(path);
  if (facts === undefined || text === undefined) return facts === text;
  // UTF-8 has one to three bytes for each unit of a text's length.
  return facts.isFile && facts.size >= text.length && facts.size <= 3 * text.length &&
    decodeText(Deno.readFileSync(path)) === text;
}

function withDraft<T>(target: string, text: string, use: (draft: string) => T): T {
  const folder = target.slice(0, target.lastIndexOf("/"));
  const draft = `${folder}/.${baseName(target)}.${crypto.randomUUID()}${UNFINISHED}`;
  try {
    createFile(draft, new TextEncoder().encode(text));
    if (Deno.realPathSync(draft) !== draft) failOutside(target);
    return use(draft);
  } finally {
    unlessMissing(() => Deno.removeSync(draft));
    expireAll();
  }
}

function publish(draft: string, target: string): boolean {
  try {
    Deno.linkSync(draft, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // Some disks have no hard links. There, two programs can both find the name free; the later one wins.
    if (lstat(target) !== undefined) return false;
    Deno.renameSync(draft, target);
  }
  return true;
}

function deleteStaleDrafts(folder: string, now: number): void {
  const tree = diskTree(folder);
  for (const { name } of tree.list("")) {
    if (!name.startsWith(".") || !name.endsWith(UNFINISHED)) continue;
    const { modified = now } = tree.stat(name) ?? {};
    if (now - modified > LIMITS.files.draftAgeMs) unlessMissing(() => Deno.removeSync(`${folder}/${name}`));
  }
}

export type Output = Uint8Array<ArrayBuffer> | ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

interface Target {
  readonly path: string;
  readonly draft: string;
  readonly now: number;
  readonly isForced: boolean;
  readonly isPrivate?: boolean;
  isOwn?(folder: string): boolean;
}

/**
 * One file, or a folder of files. Nothing is replaced unless the caller says so, and of folders only earlier exports.
 */
export function writeOutput(output: Output, target: Target): void {
  const { path, draft, isPrivate } = target;
  checkFree(output, target);
  if (lstat(draft) !== undefined && !isAbandoned(output, target)) {
    refuseWrite(path, `${draft} exists: remove it if it was left over when an earlier call was interrupted`);
  }
  const before = `${draft}/.before`;
  reportRefusal(path, () => {
    try {
      removeIfThere(draft);
      if (output instanceof Uint8Array) createFile(draft, output, isPrivate ? 0o600 : undefined);
      else {
        Deno.mkdirSync(draft);
        for (const [name, bytes] of output) {
          Deno.mkdirSync([draft, parentPath(name)].filter(Boolean).join("/"), { recursive: true });
          createFile(`${draft}/${name}`, bytes);
        }
      }
      // Only what may be replaced is still there. A folder is not replaced by a rename.
      if (!(output instanceof Uint8Array)) unlessMissing(() => Deno.renameSync(path, before));
      Deno.renameSync(draft, path);
      if (!(output instanceof Uint8Array)) removeIfThere(`${path}/.before`);
    } catch (error) {
      attempt(() => Deno.renameSync(before, path));
      removeIfThere(draft);
      throw error;
    }
  });
}

/** Of a killed program, by its age; a link, or something of another kind, is not ours. */
function isAbandoned(output: Output, { draft, now }: Target): boolean {
  const left = lstat(draft);
  const isOurs = output instanceof Uint8Array ? left?.isFile : left?.isDirectory;
  return isOurs === true && now - (left!.mtime?.getTime() ?? now) > LIMITS.files.outputAgeMs;
}

function checkFree(output: Output, { path, isForced, isOwn }: Target): void {
  const there = lstat(path);
  if (there === undefined) return;
  if (!isForced) refuseWrite(path, "it exists; --force replaces it");
  const isFile = output instanceof Uint8Array;
  if (isFile ? !there.isFile : !there.isDirectory || !isOwn?.(path)) {
    refuseWrite(path, `it exists and is not ${isFile ? "a plain file" : "the folder of an earlier export"}`);
  }
}

function removeIfThere(path: string): void {
  unlessMissing(() => Deno.removeSync(path, { recursive: true }));
}
