/** Packages as a source of content, each copy named by the hash of its archive. */
import { LIMITS } from "../limits.ts";
import { attempt } from "../../base/absence.ts";
import { fail } from "../../base/errors.ts";
import { shorten, splitLines } from "../../base/text.ts";
import { collectOutput, supervise } from "../../process/supervisor.ts";
import { hideCredentials } from "../../settings/locations/mod.ts";
import type { GitRules, Pin } from "../../settings/plan/mod.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { withLock } from "../../process/lock.ts";
import { ArchiveError, unpackArchive } from "./archive.ts";
import { findPackage, hashOf, lockFile, packageFolder, type PackageLocation } from "./cache.ts";
import { packageName, pinnedName, STAGING, type StagingPaths } from "./cache.ts";
import { GitError, supervisorFailure } from "./git_program.ts";
import { makeStaging, openWorkFolder, placeCopy, sweep } from "./staging.ts";
import type { UpdateOptions } from "./update.ts";

export async function fetchPackage(
  source: PackageLocation,
  pinned: Pin | undefined,
  options: UpdateOptions,
): Promise<Pin> {
  const { rules, signal } = options;
  if (pinned !== undefined && findPackage(rules.cache, source, pinned) !== undefined) return pinned;
  const origin = source.kind === "npm" ? source.location.shown : source.path;
  if (rules.offline && source.kind === "npm") {
    return fail({ code: "origin-unavailable", origin, reason: "fetching is disabled by offline mode" });
  }
  const paths = { staging: `${rules.cache}/${STAGING}`, name: packageName(source) };
  try {
    makeStaging(paths);
    return await withLock(lockFile(paths), signal, () => fetchLocked(source, pinned, paths, options));
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof GitError || error instanceof ArchiveError)) throw error;
    return fail({ code: "origin-unavailable", origin, reason: error.message });
  }
}

async function fetchLocked(
  source: PackageLocation,
  pinned: Pin | undefined,
  paths: StagingPaths,
  { rules, now, signal }: UpdateOptions,
): Promise<Pin> {
  await sweep(paths);
  await using limits = openWorkFolder(rules, paths, signal);
  const { folder } = limits;
  const { file, version, integrity: claimed } = source.kind === "archive"
    ? { file: source.path, version: undefined, integrity: undefined }
    : await packPackage(source.location.name, pinned?.version ?? source.location.wanted, rules, limits);
  const bytes = readArchive(file, Math.min(LIMITS.packages.archiveBytes, rules.maxSize));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-512", bytes));
  const integrity = `sha512-${hash.toBase64()}`;
  if ((claimed ?? integrity) !== integrity) throw new ArchiveError("npm reports another hash for it");
  if (pinned !== undefined && pinned.integrity !== integrity) {
    throw new ArchiveError("it is not the archive that is pinned: its hash differs");
  }
  const files = `${folder}/files`;
  Deno.mkdirSync(files);
  const root = await unpackArchive(bytes, files, { maxSize: rules.maxSize, signal: limits.signal });
  await limits.check();
  const pin = { ...versionIn(root, version), integrity };
  const target = packageFolder(rules.cache, source, pin);
  if (findPackage(rules.cache, source, pin) === undefined) {
    await placeCopy(root, target, `${folder}/record`, {
      sourceUrl: pinnedName(source, pin),
      ref: pin.version ?? "",
      subpath: "",
      lastPull: new Date(now()).toISOString(),
      currentCommit: hashOf(pin),
    });
  }
  return pin;
}

function readArchive(path: string, max: number): Uint8Array<ArrayBuffer> {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) throw new ArchiveError("it is not a file");
    if (size > max) throw new ArchiveError(`the archive is larger than ${max} bytes`);
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new ArchiveError("no such file");
    if (error instanceof Deno.errors.PermissionDenied) throw new ArchiveError("it cannot be read");
    throw error;
  }
}

const VERSION = /^[\w.+-]{1,100}$/;

function versionIn(root: string, version: string | undefined): Pick<Pin, "version"> {
  if (version !== undefined) return { version };
  const file = `${root}/package.json`;
  const text = attempt(() =>
    Deno.lstatSync(file).size > LIMITS.packages.manifestBytes ? "" : Deno.readTextFileSync(file)
  );
  const found = asText(asValues(parseJson(text ?? ""))["version"]);
  return found !== undefined && VERSION.test(found) ? { version: found } : {};
}

const PACK = "pack --json --ignore-scripts --no-audit --no-fund --no-update-notifier --no-workspaces".split(
  " ",
);

/** In an empty folder, so that no project has a say, without scripts, and with the user's own registry. */
async function packPackage(
  name: string,
  wanted: string | undefined,
  rules: GitRules,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
) {
  const work = `${folder}/npm`;
  Deno.mkdirSync(work);
  Deno.writeTextFileSync(`${work}/package.json`, '{ "private": true }\n');
  const spec = wanted === undefined ? name : `${name}@${wanted}`;
  const [stdout, stderr] = [collectOutput(LIMITS.packages.output), collectOutput(LIMITS.packages.output)];
  const code = await supervise({
    command: ["npm", ...PACK, `--pack-destination=${folder}`, "--", spec],
    shell: "bash",
    folder: work,
    variables: { ...rules.environment, LC_ALL: "C", NO_COLOR: "1" },
    maxFile: rules.maxSize,
    signal,
    stdout: stdout.push,
    stderr: stderr.push,
  }).catch(supervisorFailure(
    "npm printed too much",
    "bash, which supervises npm, was not found: add the package as a .tgz archive",
  ));
  signal.throwIfAborted();
  if (code === 127) {
    throw new GitError("npm was not found: install Node.js, or add the package as a .tgz archive", true);
  }
  const answer = parseJson(stdout.text());
  if (code !== 0) throw new GitError(problemOf(answer, stderr.text()));
  const [first] = Array.isArray(answer) ? answer : Object.values(asValues(answer));
  const { name: found, version, integrity } = asValues(first);
  if (found !== name || typeof version !== "string" || !VERSION.test(version)) {
    throw new GitError("npm did not say which version it fetched");
  }
  const [file, ...others] = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".tgz"));
  if (file === undefined || others.length > 0) throw new GitError("npm left no archive");
  return { file: `${folder}/${file.name}`, version, integrity: asText(integrity) };
}

function problemOf(answer: unknown, stderr: string): string {
  const { summary, code } = asValues(asValues(answer)["error"]);
  const said = asText(summary) ?? /^npm (?:error|ERR!) (?!code )(.+)$/m.exec(stderr)?.[1] ?? asText(code) ??
    "npm failed";
  return shorten(hideCredentials(splitLines(said)[0]!), 500);
}
