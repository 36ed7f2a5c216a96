/**
 * Finds the folder of an npm package on this machine.
 *
 * Deno's cache holds it; Deno downloads it if it is missing. A package that becomes part of the program must be pinned
 * and verified by npm/deno.lock; to inspect one, an exact version is enough.
 */

/** The folder with the files of a package; fails if it cannot be downloaded. */
export async function packageFolder(
  name: string,
  version: string,
  options: { readonly locked: boolean },
): Promise<string> {
  const unlocked = options.locked ? [] : ["--no-config", "--no-lock"];
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...unlocked, `npm:${name}@${version}/package.json`],
    cwd: `${import.meta.dirname!}/npm`,
    env: { NO_COLOR: "1" },
    // A person who waits for a build sees what is downloaded, and what went wrong.
    stderr: "inherit",
  }).output();
  const info = success ? JSON.parse(new TextDecoder().decode(stdout)) : {};
  const folder = info.npmPackages?.[`${name}@${version}`]?.localPath;
  if (typeof folder === "string") return folder;
  throw new Error(
    `Cannot get the npm package ${name}@${version}: ${info.modules?.[0]?.error ?? "deno info failed"}`,
  );
}
