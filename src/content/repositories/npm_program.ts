/**
 * How npm is run: to fetch the archive of one package, and nothing else.
 *
 * In an empty folder of ours with a `package.json` of its own, so that no project around it has a say; without scripts;
 * with the user's own npm configuration, because it knows the registry and how to get in. Bash supervises it as git's
 * shell does git: npm and everything it started are killed when our end of its input closes, which happens at the
 * latest when we are killed.
 */
import { hideCredentials, type NpmLocation } from "../../settings/locations/mod.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { onAbort } from "../../base/work.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { GitError } from "./git_program.ts";
import { killProcess } from "./supervisor.ts";

const SUPERVISOR = `
ulimit -f "$1" 2>/dev/null
shift
trap '' XFSZ
exec 3<&0 </dev/null
npm "$@" 3<&- &
npm=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
watch=$!
wait "$npm" 2>/dev/null
code=$?
exec 2>/dev/null
kill -KILL "$watch"
exit "$code"`;

/** Longer than any list of files in a package that is worth reading. */
const MAX_OUTPUT = 16 << 20;

/** The version and the hash that npm reports for the archive it wrote. */
export interface PackedPackage {
  readonly version: string;
  readonly integrity: string | undefined;
}

/** Has npm write the archive of a package into a folder. Throws a `GitError`. */
export async function packPackage(
  { name }: NpmLocation,
  wanted: string | undefined,
  { folder, rules, signal }: {
    readonly folder: string;
    readonly rules: Pick<GitRules, "environment" | "maxSize">;
    readonly signal: AbortSignal;
  },
): Promise<PackedPackage> {
  const work = `${folder}/npm`;
  Deno.mkdirSync(work);
  Deno.writeTextFileSync(`${work}/package.json`, '{ "private": true }\n');
  const options = [
    "--json",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-workspaces",
  ];
  const spec = wanted === undefined ? name : `${name}@${wanted}`;
  const args = ["pack", ...options, `--pack-destination=${folder}`, "--", spec];
  const { code, stdout, stderr } = await run(args, { cwd: work, rules, signal });
  if (code === 127) {
    throw new GitError("npm was not found: install Node.js, or add the package as a .tgz archive", true);
  }
  const answer = parseJson(stdout);
  if (code !== 0) throw new GitError(problemOf(answer, stderr));
  const [first] = Array.isArray(answer) ? answer : Object.values(asValues(answer));
  const { name: found, version, integrity } = asValues(first);
  if (found !== name || typeof version !== "string" || !/^[\w.+-]{1,100}$/.test(version)) {
    throw new GitError("npm did not say which version it fetched");
  }
  return { version, integrity: asText(integrity) };
}

async function run(
  args: readonly string[],
  { cwd, rules, signal }: {
    readonly cwd: string;
    readonly rules: Pick<GitRules, "environment" | "maxSize">;
    readonly signal: AbortSignal;
  },
) {
  signal.throwIfAborted();
  const child = start(args, cwd, rules);
  const input = child.stdin.getWriter();
  const stop = () => {
    input.close().catch(() => {});
    killProcess(child);
  };
  const cancel = onAbort(signal, stop);
  try {
    const [stdout, stderr] = await Promise.all([readText(child.stdout, stop), readText(child.stderr, stop)]);
    const { code } = await child.status;
    signal.throwIfAborted();
    return { code, stdout, stderr };
  } finally {
    cancel();
    stop();
    await child.status;
  }
}

function start(
  args: readonly string[],
  cwd: string,
  { environment, maxSize }: Pick<GitRules, "environment" | "maxSize">,
): Deno.ChildProcess {
  try {
    return new Deno.Command("bash", {
      args: ["--noprofile", "--norc", "-c", SUPERVISOR, "bash", String(Math.ceil(maxSize / 1_024)), ...args],
      cwd,
      env: { ...environment, LC_ALL: "C", NO_COLOR: "1" },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // The group that the supervisor kills must not be ours.
      detached: Deno.build.os !== "windows",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable)) throw error;
    throw new GitError("bash, which supervises npm, was not found: add the package as a .tgz archive", true);
  }
}

async function readText(stream: ReadableStream<Uint8Array>, stop: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    if (text.length <= MAX_OUTPUT) continue;
    stop();
    throw new GitError("npm printed too much");
  }
  return text + decoder.decode();
}

/** What npm says is wrong, on one line. */
function problemOf(answer: unknown, stderr: string): string {
  const { summary, code } = asValues(asValues(answer)["error"]);
  const said = asText(summary) ?? /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(stderr)?.[1] ?? asText(code) ??
    "npm failed";
  return hideCredentials(said.split("\n")[0]!).replaceAll(/\p{C}/gu, "?").slice(0, 500);
}
