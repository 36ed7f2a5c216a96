/**
 * `bmad-mcp upgrade`: how to get the next version. It only says so: the program has no right to change itself.
 */
import type { Host } from "../../process/host.ts";
import { PRODUCT } from "../../base/model.ts";
import { upgradeOf } from "../clients/mod.ts";

/** Prints the command for the way in which the program was installed. */
export async function showUpgrade(host: Host): Promise<void> {
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
