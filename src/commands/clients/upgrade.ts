/**
 * Which command gets the next version of this program? That depends on how it was installed, which its paths show.
 */
import { managerOf, packageFolder } from "./own_launch.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import type { Launch } from "./shapes.ts";

/** How a program was installed, and what to do for its next version. */
export interface Upgrade {
  /** For people: `Homebrew`. */
  readonly way: string;
  /** A command line, or a sentence if no command does it. */
  readonly command?: string;
  readonly hint?: string;
}

/** Where package managers for Node put a package, and the command for each. The first that fits counts. */
const NODE_MANAGERS: readonly (readonly [folder: RegExp, way: string, words: readonly string[]])[] = [
  [/[\\/]_npx[\\/]/, "npx", ["npx", "-y", "NAME@latest", "install"]],
  [/[\\/]pnpm[\\/]/, "pnpm", ["pnpm", "add", "--global", "NAME@latest"]],
  [/[\\/]\.bun[\\/]/, "bun", ["bun", "add", "--global", "NAME@latest"]],
  [/[\\/](?:lib|npm|nodejs)$/, "npm", ["npm", "install", "--global", "NAME@latest"]],
  [/^/, "npm", ["npm", "install", "--prefix", "FOLDER", "NAME@latest"]],
];

/** What to do for the next version of the program that a launch starts. */
export function upgradeOf(launch: Launch): Upgrade {
  const { command: program, args } = launch;
  const installed = packageFolder(launch);
  if (installed !== undefined) {
    const { folder, name } = installed;
    const [, way, words] = NODE_MANAGERS.find(([form]) => form.test(folder))!;
    const args = words.map((word) => word.replace("NAME", () => name).replace(/^FOLDER$/, () => folder));
    return {
      way,
      command: command`${{ args }}` ?? NO_COMMAND,
      ...(way === "npx" && { hint: "It adds the new version to the clients that you choose." }),
    };
  }
  const config = args[args.indexOf("--config") + 1];
  if (config?.endsWith("deno.json")) {
    const folder = config.replace(/[\\/]deno\.json$/, "");
    return { way: "a checkout", command: command`git -C ${folder} pull` ?? NO_COMMAND };
  }
  const managed = managerOf(program);
  if (managed !== undefined) return { way: managed.manager, command: managed.upgrade };
  if (/[\\/]Claude Extensions[\\/]/.test(program)) {
    return { way: "a bundle", hint: "Download the new .mcpb bundle and open it with Claude Desktop." };
  }
  const folder = program.replace(/[\\/][^\\/]*$/, "");
  return {
    way: "an archive or the install script",
    hint: `Run the install script of the new release with BMAD_MCP_INSTALL_DIR set to ${folder}, ` +
      `or put the program of its archive there.`,
  };
}
