/**
 * Packages from npm, unpacked into a folder of ours. npm knows the registry and how to get in; nothing of a package runs.
 */
import { unpackArchive } from "../../src/content/repositories/archive.ts";

/** More than any release of BMAD has, in bytes. */
const MAX_SIZE = 256 << 20;

/** A release: `bmad-method`, `6.12.0`. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** The version that people get who name none; undefined for a package that npm does not know. */
export async function newestVersion(name: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await npm(["view", "--json", name, "dist-tags.latest"]);
  if (code === 0) return JSON.parse(stdout);
  if (/\bE404\b/.test(stdout + stderr)) return undefined;
  throw new Error(`npm cannot tell the newest version of ${name}:\n${stderr}`);
}

/** The folder with the files of a release, below `folder`. */
export async function fetchRelease({ name, version }: PackageVersion, folder: string): Promise<string> {
  const place = await Deno.makeTempDir({ dir: folder });
  const { code, stdout, stderr } = await npm(
    ["pack", "--json", "--ignore-scripts", `${name}@${version}`],
    place,
  );
  if (code !== 0) throw new Error(`npm cannot fetch ${name}@${version}:\n${stderr}`);
  const answer: unknown = JSON.parse(stdout);
  const [{ filename }] = (Array.isArray(answer) ? answer : Object.values(answer as object)) as [
    { filename: string },
  ];
  const bytes = await Deno.readFile(`${place}/${filename}`);
  await Deno.mkdir(`${place}/files`);
  return await unpackArchive(bytes, `${place}/files`, { maxSize: MAX_SIZE });
}

async function npm(args: readonly string[], cwd?: string) {
  const command = new Deno.Command("npm", { args: [...args], cwd, env: { NO_COLOR: "1" } });
  const { code, stdout, stderr } = await command.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out!, stderr: err! };
}
