/**
 * Packages as a source of content: their copies in the cache, each named by the hash of its archive.
 *
 * A copy is prepared in the staging folder and put in place by one rename, as those of repositories are, with the same
 * record: `cache list` and `cache clear` know both.
 */
import { fail } from "../../base/errors.ts";
import type { Pin } from "../../settings/plan/mod.ts";
import { asText, asValues, parseJson } from "../../base/values.ts";
import { withLock } from "../../process/lock.ts";
import { ArchiveError, unpackArchive } from "./archive.ts";
import type { CopyRecord } from "./cache.ts";
import { removeTree } from "./folders.ts";
import { GitError } from "./git_program.ts";
import { openLimits } from "./limits.ts";
import { packPackage } from "./npm_program.ts";
import {
  findPackage,
  hashOf,
  packageFolder,
  type PackageLocation,
  packageName,
  pinnedName,
} from "./package_copies.ts";
import { lockFile, RECORD, sha256, STAGING } from "./paths.ts";
import { makeStaging, sweep } from "./staging.ts";
import type { UpdateOptions } from "./update.ts";

/** A larger archive has more than instructions in it, and must fit into memory. */
const MAX_ARCHIVE = 64 << 20;

/** The package that a location means now, or the one that is pinned, with its copy in the cache. Fails if it cannot be had. */
export async function fetchPackage(
  source: PackageLocation,
  pinned: Pin | undefined,
  options: UpdateOptions,
): Promise<Pin> {
  const { rules, signal } = options;
  if (pinned !== undefined && findPackage(rules.cache, source, pinned) !== undefined) return pinned;
  if (rules.offline && source.kind === "npm") {
    const reason = "fetching is disabled by offline mode";
    return fail({ code: "origin-unavailable", origin: shownLocation(source), reason });
  }
  const staging = `${rules.cache}/${STAGING}`;
  const name = packageName(source);
  try {
    makeStaging({ staging });
    return await withLock(
      lockFile({ staging, name }),
      signal,
      () => fetchLocked(source, pinned, name, options),
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof GitError || error instanceof ArchiveError)) throw error;
    return fail({ code: "origin-unavailable", origin: shownLocation(source), reason: error.message });
  }
}

async function fetchLocked(
  source: PackageLocation,
  pinned: Pin | undefined,
  name: string,
  { rules, now, signal }: UpdateOptions,
): Promise<Pin> {
  const staging = `${rules.cache}/${STAGING}`;
  await sweep({ staging, name });
  const folder = Deno.makeTempDirSync({ dir: staging, prefix: `${name}.tmp-` });
  await using limits = openLimits(rules, folder, signal);
  const { file, version, integrity: claimed } = source.kind === "archive"
    ? { file: source.path, version: undefined, integrity: undefined }
    : await packed(source, pinned, { folder, rules, signal: limits.signal });
  const bytes = readArchive(file, Math.min(MAX_ARCHIVE, rules.maxSize));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-512", bytes));
  const integrity = `sha512-${hash.toBase64()}`;
  if (claimed !== undefined && claimed !== integrity) {
    throw new ArchiveError("npm reports another hash for it");
  }
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
    await writeRecord(root, folder, source, pin, now());
    // A folder without a record is left over from a copy that was not completed.
    await removeTree(target);
    Deno.renameSync(root, target);
  }
  return pin;
}

async function packed(
  { location }: Extract<PackageLocation, { readonly kind: "npm" }>,
  pinned: Pin | undefined,
  options: Parameters<typeof packPackage>[2],
) {
  const found = await packPackage(location, pinned?.version ?? location.wanted, options);
  const [file, ...others] = [...Deno.readDirSync(options.folder)].filter(({ name }) => name.endsWith(".tgz"));
  if (file === undefined || others.length > 0) throw new GitError("npm left no archive");
  return { ...found, file: `${options.folder}/${file.name}` };
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

/** The version of an archive that no registry knows: what its own file says. */
function versionIn(root: string, version: string | undefined): Pick<Pin, "version"> {
  if (version !== undefined) return { version };
  const found = asText(asValues(parseJson(readHead(`${root}/package.json`)))["version"]);
  return found !== undefined && /^[\w.+-]{1,100}$/.test(found) ? { version: found } : {};
}

const MAX_PACKAGE_JSON = 1 << 20;

function readHead(file: string): string {
  try {
    return Deno.lstatSync(file).size > MAX_PACKAGE_JSON ? "" : Deno.readTextFileSync(file);
  } catch {
    return "";
  }
}

/** Writes the record over whatever the package itself has under that name. */
async function writeRecord(root: string, folder: string, source: PackageLocation, pin: Pin, now: number) {
  const sourceUrl = pinnedName(source, pin);
  const record: CopyRecord = {
    sourceUrl,
    hash: await sha256(sourceUrl),
    ref: pin.version ?? "",
    subpath: "",
    lastPull: new Date(now).toISOString(),
    currentCommit: hashOf(pin),
  };
  const draft = `${folder}/record`;
  Deno.writeTextFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { createNew: true });
  await removeTree(`${root}/${RECORD}`);
  Deno.renameSync(draft, `${root}/${RECORD}`);
}

function shownLocation(source: PackageLocation): string {
  return source.kind === "npm" ? source.location.shown : source.path;
}
