/**
 * How npm is run: to fetch the archive of one package, and nothing else.
 *
 * In an empty folder of ours with a `package.json` of its own, so that no project around it has a say; without scripts;
 * with the user's own npm configuration, because it knows the registry and how to get in.
 */
import { shorten, splitLines } from "../../base/text.ts";
import { hideCredentials, type NpmLocation } from "../../settings/locations/mod.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { collectOutput, supervise, SupervisorError } from "../../process/supervisor.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { GitError } from "./git_program.ts";

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
  const [stdout, stderr] = [collectOutput(MAX_OUTPUT), collectOutput(MAX_OUTPUT)];
  const code = await supervise({
    command: ["npm", ...args],
    shell: "bash",
    folder: work,
    variables: { ...rules.environment, LC_ALL: "C", NO_COLOR: "1" },
    maxFile: rules.maxSize,
    signal,
    stdout: stdout.push,
    stderr: stderr.push,
  }).catch(refuse);
  signal.throwIfAborted();
  if (code === 127) {
    throw new GitError("npm was not found: install Node.js, or add the package as a .tgz archive", true);
  }
  const answer = parseJson(stdout.text());
  if (code !== 0) throw new GitError(problemOf(answer, stderr.text()));
  const [first] = Array.isArray(answer) ? answer : Object.values(asValues(answer));
  const { name: found, version, integrity } = asValues(first);
  if (found !== name || typeof version !== "string" || !/^[\w.+-]{1,100}$/.test(version)) {
    throw new GitError("npm did not say which version it fetched");
  }
  return { version, integrity: asText(integrity) };
}

function refuse(error: unknown): never {
  if (!(error instanceof SupervisorError)) throw error;
  if (error.reason === "too-much-output") throw new GitError("npm printed too much");
  throw new GitError("bash, which supervises npm, was not found: add the package as a .tgz archive", true);
}

/** What npm says is wrong, on one line. */
function problemOf(answer: unknown, stderr: string): string {
  const { summary, code } = asValues(asValues(answer)["error"]);
  const said = asText(summary) ?? /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(stderr)?.[1] ?? asText(code) ??
    "npm failed";
  return shorten(hideCredentials(splitLines(said)[0]!), 500);
}
