/**
 * Gets the runtime for a binary: the program is compiled with `denort`, Deno's small runtime.
 *
 * The one that `fetchRuntime` downloads has the checksum that was published with it; Deno would take any.
 */
import { resolve } from "node:path";
import { unzipSync } from "fflate";
import { fixFileRoot } from "./file_root.ts";
import { padForLargePages } from "./large_pages.ts";
import { programName, type Target, TARGETS } from "./targets.ts";

/** Where Deno publishes its releases: each runtime with a file that holds its SHA-256. */
const PUBLISHED = "https://github.com/denoland/deno/releases/download";

/** Downloads the runtime of a platform and returns its path; fails unless it has the published checksum. */
export async function fetchRuntime(
  target: Target,
  folder: string,
  { from = PUBLISHED, strip = false }: { readonly from?: string; readonly strip?: boolean } = {},
): Promise<string> {
  const url = `${from}/v${Deno.version.deno}/denort-${target}.zip`;
  const [zip, sums] = [await download(url), await download(`${url}.sha256sum`)];
  // On Windows, Deno publishes what PowerShell prints about the file.
  const published = new TextDecoder().decode(sums).match(/\b[\da-f]{64}\b/gi) ?? [];
  if (published.length !== 1) throw new Error(`Cannot check ${url}: its checksum file has no SHA-256`);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
  if (sum !== published[0]!.toLowerCase()) {
    throw new Error(`Cannot use ${url}: its SHA-256 is ${sum}, but ${published[0]} was published`);
  }
  const name = programName(target, "denort");
  const program = unzipSync(zip)[name];
  if (program === undefined) throw new Error(`Cannot use ${url}: it holds no ${name}`);
  await Deno.mkdir(folder, { recursive: true });
  const file = resolve(folder, name);
  await Deno.writeFile(file, program, { mode: 0o755 });
  // Only symbols go, before anything is appended. Other systems' runtimes have none, or are signed.
  if (strip && TARGETS[target].os === "linux" && !await succeeds("strip", [file], folder)) {
    throw new Error(`Cannot strip ${file}: install binutils`);
  }
  const changes = changesFor(target);
  if (changes.length > 0) {
    const bytes = await Deno.readFile(file);
    for (const change of changes) change(bytes);
    await Deno.writeFile(file, bytes);
  }
  return file;
}

/** The changes to a platform's runtime. On macOS, the compiler or `codesign` then signs the binary again. */
function changesFor(target: Target): readonly ((runtime: Uint8Array) => void)[] {
  if (TARGETS[target].os === "windows") return [];
  return target === "aarch64-unknown-linux-gnu" ? [padForLargePages, fixFileRoot] : [fixFileRoot];
}

async function download(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(url).catch((error) => {
    const fix =
      `Connect to the network, or set DENORT_BIN to denort of Deno ${Deno.version.deno} for this platform`;
    throw new Error(`Cannot download ${url}: ${error.message}. ${fix}`);
  });
  const bytes = await answer.bytes();
  if (!answer.ok) throw new Error(`Cannot download ${url}: ${answer.status} ${answer.statusText}`.trim());
  return bytes;
}

/** Turns Deno's error message into one sentence with a fix. */
export function explainFailure(target: Target, said: string, runtime: string): string {
  const cannot = `Cannot compile for ${target}: `;
  if (/Could not find denort/.test(said)) {
    return `${cannot}${runtime} does not exist. Set DENORT_BIN to denort of Deno ${Deno.version.deno} for this platform`;
  }
  if (/Writing binary bytes/.test(said)) {
    return `${cannot}${runtime} is not a program for this platform. Set DENORT_BIN to denort for ${target}`;
  }
  return `${cannot}${said}`;
}

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, cwd, stdout: "null", stderr: "null" }).output();
  return success;
}
