/**
 * `bmad-mcp licenses`: the licences of the program, its content and its dependencies.
 */
import { type Host, LICENCES_FILE } from "../../process/host.ts";
import { DENO_TASK } from "../../base/model.ts";
import { printText } from "./output.ts";

/** Prints every licence in the binary; from source, says where they are. */
export function showLicences(host: Host): void {
  printText(host, host.readText(`${host.contentDir}/${LICENCES_FILE}`) ?? FROM_SOURCE);
}

const FROM_SOURCE = `The program runs from source. Its licences are in these places:
- the program: the file LICENSE in the repository
- the embedded BMAD content: the npm packages listed in bmad-embedded/packages.json
- the dependencies: the npm packages in Deno's cache

\`${DENO_TASK} bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;
