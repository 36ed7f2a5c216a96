/**
 * `bmad-mcp licenses`, and `upgrade`: how to get the next version, which the program has no right to fetch itself.
 */
import { DENO_TASK, PRODUCT } from "../../base/model.ts";
import { type Host, LICENCES_FILE } from "../../process/host.ts";

export function licencesIn(host: Host): string {
  return host.readText(`${host.contentDir}/${LICENCES_FILE}`) ?? FROM_SOURCE;
}

const FROM_SOURCE = `The program runs from source. Its licences are in these places:
- the program: the file LICENSE in the repository
- the embedded BMAD content: the npm packages listed in bmad-embedded/packages.json
- the dependencies: the npm packages in Deno's cache

\`${DENO_TASK} bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;

export async function upgradeText({ launch }: Host): Promise<string> {
  const { upgradeOf } = await import("../clients/mod.ts");
  const { way, command, hint } = upgradeOf(launch);
  const from = `${PRODUCT.name} ${PRODUCT.version} was installed from ${way}.`;
  const lines = command === undefined ? [from] : [`${from} To upgrade, run:`, "", `  ${command}`, ""];
  return [...lines, ...(hint === undefined ? [] : [hint]), "Then restart your clients."].join("\n");
}
