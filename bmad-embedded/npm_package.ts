/**
 * Where does an npm package lie on this machine?
 *
 * In the cache of Deno, which fetches it if it is not there. What goes into the program must be pinned by deno.lock
 * and is verified by it; of a package that is only looked into, an exact version is enough.
 */

/** The folder that holds the files of a package. */
export async function packageFolder(
  name: string,
  version: string,
  options: { readonly locked: boolean },
): Promise<string> {
  const unlocked = options.locked ? [] : ["--no-config", "--no-lock"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", ...unlocked, `npm:${name}@${version}/package.json`],
    cwd: import.meta.dirname!,
    env: { NO_COLOR: "1" },
  }).output();
  const info = success ? JSON.parse(new TextDecoder().decode(stdout)) : {};
  const folder = info.npmPackages?.[`${name}@${version}`]?.localPath;
  if (typeof folder === "string") return folder;
  throw new Error(
    `Cannot get the npm package ${name}@${version}: ${new TextDecoder().decode(stderr).trim()}`,
  );
}
