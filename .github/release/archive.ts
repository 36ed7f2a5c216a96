/**
 * Packs files into archives that are the same on every machine.
 *
 * Entries are sorted by path, have no owner and one fixed time, and only programs are executable. fflate writes zip
 * files; tar files are written here, because the systems' tar programs differ in their flags. Everything is held in
 * memory.
 */
import { gzipSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/** One file of an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly isProgram?: boolean;
}

/** The earliest time of a zip file, whose times have no zone: for zip it is local time. */
const TIME = { year: 1980, unix: Date.UTC(1980, 0, 1) / 1000 };

export function buildTarGz(files: readonly ArchiveFile[]): Uint8Array {
  const blocks = inOrder(files).flatMap((file) => {
    const content = bytesOf(file);
    return [buildTarHeader(file, content.length), content, new Uint8Array(-content.length & 511)];
  });
  const archive = gzipSync(concat([...blocks, new Uint8Array(1024)]), { level: 9 });
  // The operating system in the gzip header: "unknown".
  archive[9] = 255;
  return archive;
}

export function buildZip(files: readonly ArchiveFile[]): Uint8Array {
  const entries: Zippable = {};
  for (const file of inOrder(files)) {
    // 3 is Unix: only then does the upper half of the attributes hold the mode.
    const attrs = (0o100000 | modeOf(file)) << 16 >>> 0;
    entries[file.path] = [bytesOf(file), { os: 3, attrs, mtime: new Date(TIME.year, 0, 1), level: 6 }];
  }
  return zipSync(entries);
}

/** A ustar header: fixed ASCII fields, numbers in octal. */
function buildTarHeader(file: ArchiveFile, size: number): Uint8Array {
  if (!/^[\x20-\x7e]{1,100}$/.test(file.path)) {
    throw new Error(`Cannot archive ${file.path}: a path in a tar file has at most 100 ASCII characters`);
  }
  const header = new Uint8Array(512);
  const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0") + "\0";
  put(0, file.path);
  put(100, octal(modeOf(file), 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(TIME.unix, 12));
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\0" + "00");
  put(148, octal(header.reduce((sum, byte) => sum + byte, 0), 7) + " ");
  return header;
}

function inOrder(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  return files.toSorted((a, b) => a.path < b.path ? -1 : 1);
}

function modeOf({ isProgram }: ArchiveFile): number {
  return isProgram ? 0o755 : 0o644;
}

function bytesOf({ content }: ArchiveFile): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
