/**
 * Writes files inside the project, whole or not at all.
 *
 * A file is written under a hidden name first, so that even a killed program leaves no half of it visible. Every folder
 * on the way is resolved; a link that leads out of the project is not followed. The draft shows whether others swapped
 * a folder for a link meanwhile: it is then not where it was put, and gets no other name.
 */
import { fail, reportRefusal } from "../../base/errors.ts";
import {
  baseName,
  decodeText,
  diskTree,
  expireChecks,
  isInside,
  parentPath,
} from "../../content/tree/mod.ts";

/** Drafts that a killed program left behind are deleted after an hour. */
const STALE_MS = 3_600_000;
const UNFINISHED = ".unfinished";

/** Writes a new file and the folders it lies in; false if the file exists. */
export function writeNew(root: string, path: string, text: string, now: number): boolean {
  return reportRefusal(path, () => {
    const folder = makeFolder(root, parentPath(path));
    deleteStaleDrafts(folder, now);
    const target = `${folder}/${baseName(path)}`;
    return !exists(target) && withDraft(target, text, (draft) => publish(draft, target));
  });
}

/** Creates a folder in one that exists; false if it is there already, so that of several programs one succeeds. */
export function makeOnce(root: string, path: string): boolean {
  return reportRefusal(path, () => {
    const parent = Deno.realPathSync(`${root}/${parentPath(path)}`);
    if (!isInside(parent, root)) fail({ code: "outside-root", path });
    try {
      Deno.mkdirSync(`${parent}/${baseName(path)}`);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  });
}

/**
 * Replaces a file, or writes it with the folders it lies in, if `mayWrite` accepts its resolved name. Its mode stays.
 * Without a text, the file is deleted. The text that was there before must still be `before`; otherwise nothing is
 * changed, and the result is false.
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
    if (!mayWrite(target)) refuseFolder(path);
    if (!isNew && text === before) return isStill(target, before);
    deleteStaleDrafts(target.slice(0, target.lastIndexOf("/")), now);
    if (isNew && before === undefined) {
      return withDraft(target, text, (draft) => publish(draft, target));
    }
    return withDraft(target, text, (draft) => {
      const mode = ifFound(() => Deno.statSync(target))?.mode;
      if (mode !== undefined && mode !== null) Deno.chmodSync(draft, mode & 0o7777);
      // The last look before the file is replaced: an editor does not wait for our lock.
      if (!isStill(target, before)) return false;
      Deno.renameSync(draft, target);
      return true;
    });
  });
}

/** Adds a line to a file, if there is one that `mayWrite` accepts; a line that was cut off before it stays alone. */
export function appendLine(
  root: string,
  path: string,
  line: string,
  mayWrite: (realName: string) => boolean,
): boolean {
  return reportRefusal(path, () => {
    if (!exists(resolvedName(root, path))) return false;
    const { name } = findTarget(root, path, mayWrite);
    using file = Deno.openSync(name, { read: true, append: true });
    const last = new Uint8Array(1);
    const isWhole = file.seekSync(0, Deno.SeekMode.End) === 0 ||
      (file.seekSync(-1, Deno.SeekMode.End), file.readSync(last), last[0] === 0x0A);
    const bytes = new TextEncoder().encode(`${isWhole ? "" : "\n"}${line}`);
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    expireChecks();
    return true;
  });
}

function deleted(name: string): true {
  Deno.removeSync(name);
  expireChecks();
  return true;
}

/** Fails if a file may not be replaced or written. Nothing is created. A folder is left to what reads it. */
export function checkTarget(root: string, path: string, mayWrite: (realName: string) => boolean): void {
  reportRefusal(path, () => {
    const isFolder = ifFound(() => Deno.lstatSync(`${root}/${path}`))?.isDirectory;
    if (!isFolder) findTarget(root, path, mayWrite);
  });
}

/** The resolved name of a file that may be written, and whether it exists. */
function findTarget(root: string, path: string, mayWrite: (realName: string) => boolean) {
  const name = resolvedName(root, path);
  const facts = ifFound(() => Deno.lstatSync(name));
  // Opening a pipe would block until its other end is opened; a link to nothing could lead anywhere.
  if (facts !== undefined && !facts.isFile) refuseKind(path);
  if (!mayWrite(name)) refuseFolder(path);
  return { name, isNew: facts === undefined };
}

/** The name that a path has with its links resolved, or will have once it is made; fails for one outside the root. */
export function resolvedName(root: string, path: string): string {
  for (let folder = path;; folder = parentPath(folder)) {
    const real = ifResolved(`${root}/${folder}`);
    if (real === undefined && folder !== "") continue;
    if (real !== undefined && !isInside(real, root)) fail({ code: "outside-root", path });
    return `${real ?? root}${folder === "" ? `/${path}` : path.slice(folder.length)}`;
  }
}

/** The real name of a path; undefined if it does not exist, or goes on behind a file. */
function ifResolved(path: string): string | undefined {
  try {
    return ifFound(() => Deno.realPathSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

function refuseKind(path: string): never {
  return fail({ code: "not-allowed", what: `write ${path}`, hint: "it is not a plain file" });
}

function refuseFolder(path: string): never {
  return fail({
    code: "not-allowed",
    what: `write ${path}`,
    hint: "only the output folder and the artefact folders of the project's configuration are written to, " +
      "and there only documents (.md, .yaml, .json, .html …) outside hidden folders",
  });
}

/** Makes the folders of a path one by one, none outside the root. Returns the last one with its links resolved. */
function makeFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/").filter(Boolean)) {
    const next = `${folder}/${name}`;
    const resolve = () => ifFound(() => Deno.realPathSync(next));
    const real = resolve() ?? (make(next), resolve());
    if (real === undefined || !isInside(real, root)) fail({ code: "outside-root", path });
    folder = real;
  }
  return folder;
}

function make(folder: string): void {
  try {
    Deno.mkdirSync(folder);
  } catch (error) {
    // Another program may have been faster.
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function exists(path: string): boolean {
  return ifFound(() => Deno.lstatSync(path)) !== undefined;
}

function isStill(path: string, text: string | undefined): boolean {
  const facts = ifFound(() => Deno.lstatSync(path));
  if (facts === undefined || text === undefined) return facts === text;
  // UTF-8 has one to three bytes for each unit of a text's length.
  return facts.isFile && facts.size >= text.length && facts.size <= 3 * text.length &&
    decodeText(Deno.readFileSync(path)) === text;
}

function ifFound<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes a text under a hidden name beside its target; the name is gone afterwards. */
function withDraft<T>(target: string, text: string, use: (draft: string) => T): T {
  const folder = target.slice(0, target.lastIndexOf("/"));
  const draft = `${folder}/.${baseName(target)}.${crypto.randomUUID()}${UNFINISHED}`;
  try {
    writeDraft(draft, text);
    if (Deno.realPathSync(draft) !== draft) fail({ code: "outside-root", path: target });
    return use(draft);
  } finally {
    ifFound(() => Deno.removeSync(draft));
    expireChecks();
  }
}

function writeDraft(path: string, text: string): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
}

/** Gives a draft its name; false if another file has it. */
function publish(draft: string, target: string): boolean {
  try {
    Deno.linkSync(draft, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // Some disks have no hard links. There, two programs can both find the name free; the later one wins.
    if (exists(target)) return false;
    Deno.renameSync(draft, target);
  }
  return true;
}

function deleteStaleDrafts(folder: string, now: number): void {
  const tree = diskTree(folder);
  for (const { name } of tree.list("")) {
    if (!name.startsWith(".") || !name.endsWith(UNFINISHED)) continue;
    const { modified = now } = tree.stat(name) ?? {};
    if (now - modified > STALE_MS) ifFound(() => Deno.removeSync(`${folder}/${name}`));
  }
}
