/**
 * `bmad-mcp licenses`: what the program is made of, and under which terms.
 */
import type { Host } from "../../base/host.ts";
import { findLicences } from "../../base/embedded.ts";
import { DENO_TASK } from "../../base/model.ts";
import { printText } from "./output.ts";

/** Prints every licence that travels with the program, or says where they are when it runs from source. */
export function showLicences(host: Host): void {
  printText(host, findLicences(host.contentDir) ?? FROM_SOURCE);
}

const FROM_SOURCE = `This program runs from source, where each licence lies with what it is for:
- of the program: in the file LICENSE of the repository
- of the embedded BMAD content: in the npm packages that bmad-embedded/packages.json names
- of the npm packages that are used: in the packages, in the cache of Deno

\`${DENO_TASK} bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;
