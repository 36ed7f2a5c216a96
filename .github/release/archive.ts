/**
 * How do files become an archive that is the same every time?
 *
 * Entries stand in the order of their paths, belong to nobody, carry one fixed time, and only programs may be
 * executed: the same files give the same bytes on every machine. Zip files are written by fflate, tar files here,
 * because the tar programs of the systems differ in their flags. Everything is held in memory.
 */
import { gzipSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

/** One file of an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether it can be executed. */
  readonly isProgram?: boolean;
}

/** The first moment that a zip file can name; in the local zone for zip, whose times have none. */
const TIME = { year: 1980, unix: Date.UTC(1980, 0, 1) / 1000 };

/** A gzipped tar file. */
export function buildTarGz(files: readonly ArchiveFile[]): Uint8Array {
  const blocks = inOrder(files).flatMap((file) => {
    const content = bytesOf(file);
    return [buildTarHeader(file, content.length), content, new Uint8Array(-content.length & 511)];
  });
  const archive = gzipSync(concat([...blocks, new Uint8Array(1024)]), { level: 9 });
  // The system that compressed, which has nothing to do with what is inside: "unknown".
  archive[9] = 255;
  return archive;
}

/** A zip file. */
export function buildZip(files: readonly ArchiveFile[]): Uint8Array {
  const entries: Zippable = {};
  for (const file of inOrder(files)) {
    // 3 is Unix: only then do the upper half of the attributes hold the mode.
    const attrs = (0o100000 | modeOf(file)) << 16 >>> 0;
    entries[file.path] = [bytesOf(file), { os: 3, attrs, mtime: new Date(TIME.year, 0, 1), level: 6 }];
  }
  return zipSync(entries);
}

/** The header of a file in the ustar form: fixed fields of ASCII, numbers in octal. */
function buildTarHeader(file: ArchiveFile, size: number): Uint8Array {
  if (!/^[\x20-\x7e]{1,100}$/.test(file.path)) {
    throw new Error(`Cannot archive ${file.path}: a path in a tar file has up to 100 plain characters`);
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
