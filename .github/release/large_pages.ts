/**
 * Makes room in a program for Linux, so that a binary made of it starts with large pages as well.
 *
 * A compiled binary has one more segment, which begins at the first page of 4 KB after the runtime's own. Where the
 * kernel's pages have 16 or 64 KB, as on a Raspberry Pi 5, it then shares a page with the variables of the runtime, and
 * the binary does not start (https://github.com/denoland/deno/issues/36282). If the last segment of the runtime ends
 * with a page of 64 KB, the next one begins with such a page.
 */

/** The largest page of any kernel for arm64. */
const LARGE_PAGE = 65_536n;

/** The type of a segment that is loaded. */
const LOADED = 1;

/** Where the fields of an ELF file of 64 bits are, and those of one of its program headers. */
const HEADER = { table: 32, size: 54, count: 56 };
const SEGMENT = { address: 16, memory: 40 };

/** Extends the last loaded segment of a program, in place, to the end of a large page. It needs memory only. */
export function padForLargePages(program: Uint8Array): void {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  if (program.length < 64 || view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201) {
    throw new Error("Cannot pad it for large pages: it is not a program for Linux of 64 bits");
  }
  const [table, size] = [Number(view.getBigUint64(HEADER.table, true)), view.getUint16(HEADER.size, true)];
  const headers = Array.from({ length: view.getUint16(HEADER.count, true) }, (_, at) => table + at * size)
    .filter((at) => view.getUint32(at, true) === LOADED);
  const startOf = (at: number) => view.getBigUint64(at + SEGMENT.address, true);
  const last = headers.toSorted((a, b) => startOf(a) < startOf(b) ? -1 : 1).at(-1);
  if (last === undefined) throw new Error("Cannot pad it for large pages: it has no segments");
  const end = startOf(last) + view.getBigUint64(last + SEGMENT.memory, true);
  const padded = (end + LARGE_PAGE - 1n) / LARGE_PAGE * LARGE_PAGE;
  view.setBigUint64(last + SEGMENT.memory, padded - startOf(last), true);
}
