/**
 * `bmad-mcp version` and `bmad-mcp licenses`: which build this is, and what it is made of.
 */
import type { Host } from "../host.ts";
import { PRODUCT } from "../model.ts";
import { findLicences, findStamp } from "../origins/mod.ts";
import { printJson, printText } from "./output.ts";

/** Prints the version; as JSON with all that a report of a bug needs. */
export function showVersion(host: Host, json: boolean): void {
  const { name, version } = PRODUCT;
  const { runtime, target } = host;
  const commit = findStamp(host.contentDir)?.commit;
  if (json) return printJson(host, { name, version, commit: commit ?? null, runtime, target });
  const build = commit === undefined ? runtime : `commit ${commit.slice(0, 12)}, ${runtime}`;
  printText(host, `${name} ${version} (${build})`);
}

/** Prints every licence that travels with the program, or says where they are when it runs from source. */
export function showLicences(host: Host): void {
  printText(host, findLicences(host.contentDir) ?? FROM_SOURCE);
}

const FROM_SOURCE = `This program runs from source, where each licence lies with what it is for:
- of the program: in the file LICENSE of the repository
- of the embedded BMAD content: in the npm packages that bmad-embedded/packages.json names
- of the npm packages that are used: in the packages, in the cache of Deno

\`npx -y deno@2.9.5 task bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;
