/**
 * `deno task upstream`: what is new in BMAD's releases on npm, and what to do about it here.
 *
 *     deno task upstream                     the newest packages against those that were compared
 *     deno task upstream 6.11.0 6.12.0       two releases of bmad-method, or of --package NAME
 *     deno task upstream --write [VERSION…]  note the newest, or these, as compared: after the work is done; refused while
 *                                            a table of ours lacks a change, and lists what is taken on your word
 *
 * Exit status 0 means that nothing is to be done, 1 that something is, 2 that it could not be found out.
 */
import { parseArgs } from "node:util";
import { CURRENT_PACKAGES } from "../../src/base/official_modules.ts";
import { compareVersions } from "../../src/base/versions.ts";
import { compareReleases } from "./compare.ts";
import { readRelease } from "./read.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { openRelease } from "./advice.ts";
import { KNOWN, type Known, renderKnown, withRelease } from "./known.ts";
import { fetchRelease, newestVersion, type PackageVersion } from "./packages.ts";
import { reportChanges, type UpstreamReport } from "./report.ts";

const TABLE = new URL("../../src/project/scripts/known_scripts.ts", import.meta.url);

/** Compares the files of two releases. */
export async function compareFolders(
  title: string,
  [before, after]: readonly [string, string],
  { known, isCompared }: { readonly known: Known; readonly isCompared: boolean },
): Promise<UpstreamReport> {
  const [old, now] = await Promise.all([before, after].map((folder) => readRelease(diskTree(folder))));
  const library = await openRelease(after);
  return reportChanges(title, compareReleases(old!, now!), { known, isCompared, library });
}

function isKnown({ name, version }: PackageVersion): boolean {
  return KNOWN.compared[name]?.includes(version) ?? false;
}

/** The packages whose newest release is not among those that were compared. */
async function newReleases(): Promise<readonly PackageVersion[]> {
  const versions = await Promise.all(CURRENT_PACKAGES.map(async (name) => {
    const version = await newestVersion(name);
    return version === undefined ? [] : [{ name, version }];
  }));
  return versions.flat().filter((release) => !isKnown(release));
}

async function compareVersionsOf(name: string, [old, now]: readonly [string, string], folder: string) {
  const folders = await Promise.all([old, now].map((version) => fetchRelease({ name, version }, folder)));
  return await compareFolders(`${name} ${old} → ${now}`, [folders[0]!, folders[1]!], {
    known: KNOWN,
    isCompared: isKnown({ name, version: now }),
  });
}

/** Notes releases as compared; returns how many changes keep it from that. */
async function write(releases: readonly PackageVersion[], folder: string): Promise<number> {
  let [known, open] = [KNOWN, 0];
  for (const release of releases) {
    const files = await fetchRelease(release, folder);
    const noted = withRelease(known, release, await readRelease(diskTree(files)));
    const { name, version } = release;
    const before = known.compared[name]?.findLast((one) => compareVersions(one, version) < 0);
    if (before !== undefined) {
      const folders = [await fetchRelease({ name, version: before }, folder), files] as const;
      const title = `${name} ${before} → ${version}`;
      const report = await compareFolders(title, folders, { known: noted, isCompared: true });
      print(report.text);
      open += report.open;
    }
    known = noted;
  }
  if (open > 0) return open;
  await Deno.writeTextFile(TABLE, renderKnown(known));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", TABLE.pathname] }).output();
  return 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      package: { type: "string", default: "bmad-method" },
      write: { type: "boolean", default: false },
    },
  });
  const name = values.package;
  const folder = await Deno.makeTempDir({ prefix: "bmad-upstream-" });
  try {
    if (values.write) {
      const named = positionals.map((version) => ({ name, version }));
      const open = await write(named.length > 0 ? named : await newReleases(), folder);
      if (open > 0) print("Nothing was noted: do what has no mark first.\n");
      return open > 0 ? 1 : 0;
    }
    const [old, now] = positionals;
    if (old !== undefined && now === undefined) throw new Error("Name two versions, or none");
    const reports = old !== undefined
      ? [await compareVersionsOf(name, [old, now!], folder)]
      : await Promise.all((await newReleases()).map(({ name, version }) =>
        compareVersionsOf(name, [KNOWN.compared[name]?.at(-1) ?? version, version], folder)
      ));
    print(reports.map(({ text }) => text).join("\n") || "Nothing is new.\n");
    return reports.some(({ open }) => open > 0) ? 1 : 0;
  } catch (error) {
    await Deno.stderr.write(new TextEncoder().encode(`${error instanceof Error ? error.message : error}\n`));
    return 2;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

if (import.meta.main) Deno.exit(await main());
