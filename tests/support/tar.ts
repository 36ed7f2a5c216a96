/** Archives as packages come in, made byte by byte: honest ones and hostile ones. */

export interface TarEntry {
  readonly path: string;
  readonly data?: string | Uint8Array;
  /** `0` for a file, `5` for a folder, `1` and `2` for links. */
  readonly type?: string;
  readonly link?: string;
  /** What the header claims instead of the true size. */
  readonly size?: number;
  readonly badSum?: true;
}

const encoder = new TextEncoder();

export function tarOf(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const blocks = entries.flatMap((entry) => {
    const data = typeof entry.data === "string" ? encoder.encode(entry.data) : entry.data ?? new Uint8Array();
    const padded = new Uint8Array(Math.ceil(data.length / 512) * 512);
    padded.set(data);
    return [headerOf(entry, data.length), padded];
  });
  return new Uint8Array(join([...blocks, new Uint8Array(1_024)]));
}

export async function tgzOf(entries: readonly TarEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  return await gzip(tarOf(entries));
}

export async function packageOf(files: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  return await tgzOf(Object.entries(files).map(([path, data]) => ({ path: `package/${path}`, data })));
}

export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function paxOf(records: Readonly<Record<string, string>>): TarEntry {
  const data = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const size = encoder.encode(rest).length;
    const length = size + String(size + String(size).length).length;
    return `${length}${rest}`;
  });
  return { path: "PaxHeader/x", type: "x", data: data.join("") };
}

function headerOf({ path, type = "0", link = "", size, badSum }: TarEntry, length: number): Uint8Array {
  const block = new Uint8Array(512);
  const put = (text: string, at: number, max: number) => block.set(encoder.encode(text).subarray(0, max), at);
  put(path, 0, 100);
  put("0000777\0", 100, 8);
  put(`${(size ?? length).toString(8).padStart(11, "0")}\0`, 124, 12);
  put("00000000000\0", 136, 12);
  put(" ".repeat(8), 148, 8);
  put(type, 156, 1);
  put(link, 157, 100);
  put("ustar\x0000", 257, 8);
  const sum = block.reduce((sum, byte) => sum + byte, 0) + (badSum ? 1 : 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return block;
}

function join(parts: readonly Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}
