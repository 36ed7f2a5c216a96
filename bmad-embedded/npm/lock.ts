/**
 * Renews the lock file beside this file, after a version in deno.json has changed.
 *
 *     deno task embed:lock
 *
 * We read the files of these packages and run none of their code. So the lock file names them without the packages that
 * they depend on, and Deno does not download those: 150 packages of BMAD's installers.
 */
interface Lock {
  readonly version: string;
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
  readonly workspace: unknown;
}

const HERE = import.meta.dirname!;
const FILE = `${HERE}/deno.lock`;

const { success } = await new Deno.Command(Deno.execPath(), {
  args: ["install", "--frozen=false"],
  cwd: HERE,
}).spawn().status;
if (!success) Deno.exit(1);

const lock: Lock = JSON.parse(await Deno.readTextFile(FILE));
const direct = Object.entries(lock.specifiers).map(([specifier, resolved]) => {
  const { integrity } = lock
    .npm[`${specifier.slice("npm:".length)}${resolved.slice(resolved.search(/_|$/))}`]!;
  return { specifier, version: resolved.split("_")[0]!, integrity };
});
const stripped: Lock = {
  ...lock,
  specifiers: Object.fromEntries(direct.map(({ specifier, version }) => [specifier, version])),
  npm: Object.fromEntries(
    direct.map(({ specifier, integrity }) => [specifier.slice("npm:".length), { integrity }]),
  ),
};
await Deno.writeTextFile(FILE, `${JSON.stringify(stripped, null, 2)}\n`);
