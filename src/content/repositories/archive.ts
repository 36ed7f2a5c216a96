/** Unpacks an archive within limits: only files and folders, under names that are safe on every system. */
import { LIMITS } from "../limits.ts";
import { attempt } from "../../base/absence.ts";
import { openNames } from "../../base/paths.ts";
import { diskSize } from "./cache.ts";

export class ArchiveError extends Error {
  override name = "ArchiveError";
}

const BLOCK = 512;
const UNSAFE = "a file outside its folder or with an unsafe name";

export async function unpackArchive(
  bytes: Uint8Array<ArrayBuffer>,
  folder: string,
  { maxSize, signal }: { readonly maxSize: number; readonly signal?: AbortSignal },
): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = openReader(stream.getReader());
  const target = openTarget(folder, maxSize);
  const whyUnsafe = openNames();
  try {
    for (let entry; (entry = await readEntry(reader)) !== undefined;) {
      signal?.throwIfAborted();
      const why = whyUnsafe(entry.path);
      if (why !== undefined) throw new ArchiveError(`it contains ${UNSAFE}, ${shown(entry.path)}: ${why}`);
      if (entry.isFolder) target.addFolder(entry.path);
      else await target.addFile(entry.path, entry.size, reader);
    }
  } catch (error) {
    if (error instanceof TypeError) throw damaged();
    throw error;
  } finally {
    await reader.close();
  }
  return target.root();
}

type Reader = ReturnType<typeof openReader>;

function openReader(source: ReadableStreamDefaultReader<Uint8Array>) {
  let rest: Uint8Array = new Uint8Array();
  /** The bytes at hand, at most `max`; empty at the end. */
  const some = async (max: number): Promise<Uint8Array> => {
    while (rest.length === 0) {
      const { done, value } = await source.read();
      if (done) return rest;
      rest = value;
    }
    const part = rest.subarray(0, max);
    rest = rest.subarray(part.length);
    return part;
  };
  return {
    some,
    exactly: async (count: number): Promise<Uint8Array | undefined> => {
      const all = new Uint8Array(count);
      for (let at = 0; at < count;) {
        const part = await some(count - at);
        if (part.length === 0 && at === 0) return undefined;
        if (part.length === 0) throw new ArchiveError("it ends in the middle of a file");
        all.set(part, at);
        at += part.length;
      }
      return all;
    },
    close: () => source.cancel().catch(() => {}),
  };
}

async function readEntry(reader: Reader) {
  let path: string | undefined;
  let size: number | undefined;
  for (let abouts = 0;; abouts++) {
    const block = await reader.exactly(BLOCK);
    if (block === undefined || block.every((byte) => byte === 0)) return undefined;
    const header = readHeader(block);
    const { type } = header;
    if (type === "x" || type === "g" || type === "L") {
      // Each is about the next entry: more than a few make no sense.
      const isTooLong = header.size > LIMITS.packages.aboutBytes || abouts > 3;
      if (isTooLong) throw new ArchiveError("it has too long a description of a file");
      const text = decode(await readPadded(reader, header.size));
      if (type === "L") path = text.replace(/(?<!\0)\0+$/, "");
      if (type !== "x") continue;
      const records = readRecords(text);
      path = records.get("path") ?? path;
      size = records.has("size") ? wholeNumber(records.get("size")!, 10) : size;
      continue;
    }
    const isFolder = type === "5";
    if (!isFolder && !["0", "\0", "7"].includes(type)) {
      const what = ["1", "2", "K"].includes(type)
        ? "a link"
        : "something that is neither a file nor a folder";
      throw new ArchiveError(`it contains ${what}, ${shown(path ?? header.path)}`);
    }
    const plain = (path ?? header.path).replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
    return { path: plain, size: isFolder ? 0 : size ?? header.size, isFolder };
  }
}

function readHeader(block: Uint8Array) {
  const text = (from: number, to: number) => decode(block.subarray(from, to)).replace(/\0[^]*$/, "");
  const sum = block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (wholeNumber(text(148, 156), 8) !== sum) throw damaged();
  const prefix = text(257, 262) === "ustar" ? text(345, 500) : "";
  return {
    path: prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    size: wholeNumber(text(124, 136), 8),
    type: String.fromCharCode(block[156]!),
  };
}

function wholeNumber(text: string, base: 8 | 10): number {
  const digits = text.trim();
  const value = (base === 8 ? /^[0-7]*$/ : /^\d+$/).test(digits) ? parseInt(digits || "0", base) : NaN;
  if (!Number.isSafeInteger(value)) throw damaged();
  return value;
}

function damaged(): ArchiveError {
  return new ArchiveError("it is not a .tgz archive, or it is damaged");
}

async function readPadded(reader: Reader, size: number): Promise<Uint8Array> {
  const padded = await reader.exactly(Math.ceil(size / BLOCK) * BLOCK);
  return (padded ?? new Uint8Array()).subarray(0, size);
}

/** `LENGTH KEY=VALUE\n`, one after the other; the length is that of the whole, in bytes. */
function readRecords(text: string): ReadonlyMap<string, string> {
  const bytes = new TextEncoder().encode(text);
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const [, length] = /^(\d{1,6}) /.exec(decode(bytes.subarray(at, at + 7))) ?? [];
    const end = at + Number(length);
    if (length === undefined || Number(length) < 5 || end > bytes.length) throw damaged();
    const record = decode(bytes.subarray(at + length.length + 1, end));
    const [, key = "", value = ""] = /^([^=]*)=([^]*)\n$/.exec(record) ?? [];
    found.set(key, value);
    at = end;
  }
  return found;
}

function decode(bytes: Uint8Array): string {
  const text = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  if (text === undefined) throw new ArchiveError("it has a name that is not UTF-8");
  return text;
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 100));
}

function openTarget(folder: string, maxSize: number) {
  const made = new Set<string>();
  let top: string | undefined;
  let entries = 0;
  let size = 0;
  const count = (path: string, bytes: number) => {
    const [first = ""] = path.split("/", 1);
    top ??= first;
    if (first !== top) throw severalTops();
    entries += 1;
    size += diskSize(bytes);
    if (entries > LIMITS.git.entries) {
      throw new ArchiveError(`it has more than ${LIMITS.git.entries} files and folders`);
    }
    if (size > maxSize) {
      throw new ArchiveError(`it unpacks to more than the maximum git size of ${maxSize} bytes`);
    }
  };
  const makeFolder = (path: string) => {
    if (path === "" || made.has(path)) return;
    makeFolder(parentOf(path));
    count(path, 0);
    create(path, () => Deno.mkdirSync(`${folder}/${path}`));
    made.add(path);
  };
  return {
    addFolder: makeFolder,
    addFile: async (path: string, bytes: number, reader: Reader) => {
      if (!path.includes("/")) throw severalTops();
      makeFolder(parentOf(path));
      count(path, bytes);
      using file = create(
        path,
        () => Deno.openSync(`${folder}/${path}`, { write: true, createNew: true, mode: 0o644 }),
      );
      for (let left = Math.ceil(bytes / BLOCK) * BLOCK, data = bytes; left > 0;) {
        const part = await reader.some(left);
        if (part.length === 0) throw new ArchiveError("it ends in the middle of a file");
        const own = part.subarray(0, Math.min(part.length, data));
        for (let at = 0; at < own.length;) at += file.writeSync(own.subarray(at));
        left -= part.length;
        data -= own.length;
      }
    },
    root: (): string => {
      if (top === undefined) throw new ArchiveError("it is empty");
      return `${folder}/${top}`;
    },
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function severalTops(): ArchiveError {
  return new ArchiveError("it has several folders or files at its top, where a package has one folder");
}

/** Two names may be one on a disk that ignores case. */
function create<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
      throw new ArchiveError(`it contains ${shown(path)} twice`);
    }
    throw error;
  }
}
