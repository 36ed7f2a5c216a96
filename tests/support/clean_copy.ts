/**
 * How does a test get a clean copy of the repository?
 *
 * With every file that belongs to it, also those that are about to be committed, and nothing that was built.
 */
import { dirname } from "node:path";
import { REPOSITORY } from "../../.github/release/stage.ts";

/** Every file that belongs to the repository; undefined outside of git. */
export function listSources(): readonly string[] | undefined {
  try {
    const { success, stdout } = new Deno.Command("git", {
      args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
      cwd: REPOSITORY,
    }).outputSync();
    return success ? new TextDecoder().decode(stdout).split("\0").filter(Boolean) : undefined;
  } catch {
    return undefined;
  }
}

export async function copySources(paths: readonly string[], folder: string): Promise<void> {
  for (const path of paths) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.copyFile(`${REPOSITORY}/${path}`, `${folder}/${path}`).catch((error) => {
      // Git still lists what was just deleted.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}
