/**
 * How does a test get the program as it is released?
 *
 * `sharedBundle` builds it, as `deno task bundle` does, once for each state of the sources, and keeps it beside the real
 * installations (installs.ts). Tests only read it. Everybody may: some tests run it as another user.
 */
import { createHash } from "node:crypto";
import { CONTENT, ENTRY, listContent, REPOSITORY, stageProgram } from "../../.github/release/stage.ts";
import { exists, testCache } from "./installs.ts";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

export async function sharedBundle() {
  const cache = await testCache();
  await Deno.mkdir(cache, { recursive: true });
  const folder = `${await Deno.realPath(cache)}/bundle-${await keyOfSources()}`;
  using lock = await Deno.open(`${cache}/bundle.lock`, { create: true, write: true });
  await lock.lock(true);
  if (!await exists(folder)) {
    await removeOld(cache);
    const draft = await Deno.makeTempDir({ dir: cache, prefix: "draft-" });
    await stageProgram(draft, { commit: COMMIT });
    if (Deno.build.os !== "windows") await Deno.chmod(draft, 0o755);
    await Deno.rename(draft, folder);
  }
  return { folder, file: `${folder}/${ENTRY}` };
}

async function keyOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const add = (path: string) => hash.update(`${path}\0`).update(Deno.readFileSync(`${REPOSITORY}/${path}`));
  const walk = (folder: string) => {
    const names = [...Deno.readDirSync(`${REPOSITORY}/${folder}`)];
    for (const { name, isDirectory } of names.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (isDirectory) walk(`${folder}/${name}`);
      else add(`${folder}/${name}`);
    }
  };
  ["src", ".github/release"].forEach(walk);
  ["main.ts", "deno.json", "deno.lock", "LICENSE", "bmad-embedded/NOTICE", "bmad-embedded/packages.json"]
    .forEach(add);
  // Blobs are named by what is in them.
  const content = (await listContent(`${REPOSITORY}/${CONTENT}`)).filter((path) =>
    !path.startsWith("blobs/")
  );
  content.forEach((path) => add(`${CONTENT}/${path}`));
  return hash.digest("hex").slice(0, 16);
}

const DAY_MS = 86_400_000;

/** Removes the builds of former states, but none that another run may be using. */
async function removeOld(cache: string): Promise<void> {
  for await (const { name } of Deno.readDir(cache)) {
    const path = `${cache}/${name}`;
    if (!name.startsWith("bundle-")) continue;
    const { mtime } = await Deno.stat(path);
    if (Date.now() - Number(mtime) > DAY_MS) await Deno.remove(path, { recursive: true });
  }
}
