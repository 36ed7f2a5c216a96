/**
 * `deno task verify-scripts`: do native scripts answer as those of a release, or of an installation?
 *
 *     deno task verify-scripts FOLDER|VERSION [SCRIPT…]
 *
 * Both answer the same generated calls in temporary folders, BMAD's own by Python 3.11 or newer; two scripts also need
 * `ruamel.yaml`. Exit status 0 means no difference, 1 differences, 2 that nothing could be compared.
 */
import { compareOriginal, originalsIn } from "../../tests/support/script_parity.ts";
import { findRuamel, NO_PYTHON } from "../../tests/support/python.ts";
import { fetchRelease } from "./packages.ts";

/** The first differences show what the matter is. */
const SHOWN = 3;

/** Compares the scripts below a folder, or those with these names; one line for each, with its first differences. */
export async function verifyScripts(
  folder: string,
  names: readonly string[],
): Promise<{ readonly status: number; readonly text: string }> {
  const found = originalsIn(folder).filter(({ name }) => names.length === 0 || names.includes(name));
  if (NO_PYTHON || found.length === 0) {
    return {
      status: 2,
      text: NO_PYTHON ? "Python 3.11 or newer is missing.\n" : "No such script was found.\n",
    };
  }
  const lines: string[] = [];
  const python = findRuamel();
  let status = 2;
  for (const original of found) {
    try {
      const differences = await compareOriginal(folder, original, python === undefined ? {} : { python });
      status = differences.length > 0 ? 1 : status === 1 ? 1 : 0;
      lines.push(
        differences.length === 0
          ? `✓ ${original.name}: same answers`
          : `✗ ${original.name}: ${differences.length} answers differ`,
        ...differences.slice(0, SHOWN).flatMap(({ call, ours, theirs }) => [
          `  ${call}`,
          `  ours:   ${JSON.stringify(ours)}`,
          `  theirs: ${JSON.stringify(theirs)}`,
        ]),
      );
    } catch (error) {
      lines.push(`· ${original.name}: not compared, ${error instanceof Error ? error.message : error}`);
    }
  }
  return { status, text: `${lines.join("\n")}\n` };
}

async function main([release, ...names]: readonly string[]): Promise<number> {
  if (release === undefined) {
    print("Usage: deno task verify-scripts FOLDER|VERSION [SCRIPT…]\n");
    return 2;
  }
  const isVersion = /^\d+\.\d+\.\d/.test(release);
  const temporary = await Deno.makeTempDir({ prefix: "bmad-scripts-" });
  try {
    const folder = isVersion
      ? await fetchRelease({ name: "bmad-method", version: release }, temporary)
      : await Deno.realPath(release);
    const { status, text } = await verifyScripts(folder, names);
    print(text);
    return status;
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
