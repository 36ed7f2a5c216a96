/**
 * How many references in the served texts resolve, and how long does it take to check them?
 *
 * Checks the embedded packs and every folder given as an argument: a project, a BMAD root or a source tree. `--names`
 * prints the broken references.
 *
 *     deno run -A --config deno.dev.json bench/closure.ts [--names] [DIR…]
 */
import { checkReferences } from "../src/content/library/health/closure.ts";
import { type Opening, openLibrary } from "../src/content/library/mod.ts";
import type { Origin } from "../src/base/model.ts";
import { openOrigins } from "../src/content/origins/mod.ts";
import { fileURLToPath } from "node:url";
import { print } from "./support.ts";

const folders = Deno.args.filter((arg) => !arg.startsWith("--"));
const contentDir = fileURLToPath(new URL("../bmad-embedded/content", import.meta.url));
const plans = [
  ...(["latest", "v4"] as const).map((pack) => ({
    name: pack,
    access: { via: "pack", pack, contentDir, isFallback: false } as const,
  })),
  ...folders.map((path) => ({ name: path, access: { via: "folder", path } as const })),
];
for (const { name, access } of plans) {
  const origin: Origin = { id: name, kind: "cli", priority: 2, location: name };
  const { origins } = await openOrigins([{ origin, access }], { maxFile: Infinity, now: Date.now });
  const library = await openLibrary(origins satisfies readonly Opening[]);
  const start = performance.now();
  const { references, broken } = await checkReferences(library);
  const share = references === 0 ? 1 : 1 - broken.length / references;
  print(
    `${name}: ${references - broken.length} of ${references} references resolve (${
      (share * 100).toFixed(1)
    } %), ${(performance.now() - start).toFixed(0)} ms`,
  );
  if (Deno.args.includes("--names")) {
    for (const { reference, uri } of broken) print(`  ${uri}: ${reference}`);
  }
}
