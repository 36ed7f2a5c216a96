/**
 * `bmad-mcp licenses` and `upgrade`: the licences of the program, its content and its dependencies; and how to get the next
 * version, which it has no right to fetch itself.
 */
import { DENO_TASK, PRODUCT } from "../../base/model.ts";
import { type Host, LICENCES_FILE } from "../../process/host.ts";
import { printText } from "./output.ts";

export function showLicences(host: Host): void {
  printText(host, host.readText(`${host.contentDir}/${LICENCES_FILE}`) ?? FROM_SOURCE);
}

const FROM_SOURCE = `The program runs from source. Its licences are in these places:
- the program: the file LICENSE in the repository
- the embedded BMAD content: the npm packages listed in bmad-embedded/packages.json
- the dependencies: the npm packages in Deno's cache

\`${DENO_TASK} bundle\` gathers them all in dist/bmad-embedded/content/licenses.txt.
`;

export async function showUpgrade(host: Host): Promise<void> {
  const { upgradeOf } = await import("../clients/mod.ts");
  const { way, command, hint } = await upgradeOf(host.launch);
  const lines = [
    `${PRODUCT.name} ${PRODUCT.version} was installed from ${way}.${
      command === undefined ? "" : " To upgrade, run:"
    }`,
    ...(command === undefined ? [] : ["", `  ${command}`, ""]),
    ...(hint === undefined ? [] : [hint]),
    "Then restart your clients.",
  ];
  host.writeOut(`${lines.join("\n")}\n`);
}
