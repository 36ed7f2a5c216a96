export type Network = NonNullable<ReturnType<typeof networkIn>>;

export function isInSome(address: string, networks: readonly Network[]): boolean {
  const bytes = bytesOf(address);
  return bytes !== undefined && networks.some((network) => isIn(bytes, network));
}

function isIn(bytes: readonly number[], network: Network): boolean {
  if (bytes.length !== network.bytes.length) return false;
  return network.bytes.every((byte, at) => {
    const left = Math.max(0, Math.min(8, network.bits - 8 * at));
    const mask = 0xff << (8 - left) & 0xff;
    return (byte & mask) === (bytes[at]! & mask);
  });
}

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`; undefined for any other text. */
export function networkIn(text: string) {
  const [address = "", bits, more] = text.split("/");
  const bytes = bytesOf(address);
  if (bytes === undefined || more !== undefined) return undefined;
  const all = 8 * bytes.length;
  if (bits === undefined) return { bytes, bits: all };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= all ? { bytes, bits: Number(bits) } : undefined;
}

/** Of 4 or 16 bytes. An IPv4 address in the form of IPv6 counts as IPv4. */
function bytesOf(address: string): readonly number[] | undefined {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(mapped)) {
    const bytes = mapped.split(".").map(Number);
    return bytes.every((byte) => byte < 256) ? bytes : undefined;
  }
  const url = /^[\da-f:.]{2,45}$/i.test(mapped) ? URL.parse(`http://[${mapped}]/`) : null;
  if (url === null) return undefined;
  const [head = "", tail] = url.hostname.slice(1, -1).split("::");
  const partsOf = (part: string) => part === "" ? [] : part.split(":").map((word) => parseInt(word, 16));
  const [before, after] = [partsOf(head), partsOf(tail ?? "")];
  const zeros = tail === undefined ? [] : Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]);
}
