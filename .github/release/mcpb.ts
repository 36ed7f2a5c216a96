/**
 * Builds the bundle (.mcpb) that desktop clients install with a click.
 *
 * It contains the program for one platform and a manifest that says how to start it: a manifest can distinguish
 * systems but not processors. Desktop clients have no project folder, so the manifest asks for one.
 */
import { PRODUCT } from "../../src/base/model.ts";
import type { ArchiveFile } from "./archive.ts";
import { drawIcon } from "./icon.ts";
import { renderJson } from "./manifests.ts";
import { DESCRIPTION, homeOf, ownerOf } from "./release.ts";
import { programName, type Target, TARGETS } from "./targets.ts";

const PLATFORMS = { linux: "linux", darwin: "darwin", windows: "win32" } as const;

/** The files of the archive, with the program in a folder, plus the icon and the manifest. */
export function buildMcpbFiles(
  repository: string,
  version: string,
  target: Target,
  files: readonly ArchiveFile[],
): readonly ArchiveFile[] {
  const program = `server/${programName(target)}`;
  const manifest = {
    manifest_version: "0.3",
    name: PRODUCT.name,
    display_name: PRODUCT.title,
    version,
    description: DESCRIPTION,
    long_description: "An independent project, not affiliated with BMad Code, LLC. See NOTICE.",
    author: { name: ownerOf(repository), url: homeOf({ repository }) },
    repository: { type: "git", url: homeOf({ repository }) },
    license: "MIT",
    icon: "icon.png",
    server: {
      type: "binary",
      entry_point: program,
      mcp_config: {
        command: `\${__dirname}/${program}`,
        args: ["serve", "--project", "${user_config.project}"],
      },
    },
    tools: [{
      name: "bmad",
      description: "Lists, reads, searches and executes BMAD agents, workflows and skills",
    }],
    tools_generated: true,
    prompts_generated: true,
    user_config: {
      project: {
        type: "directory",
        title: "Project folder",
        description:
          "The folder you work in. If it has a BMAD installation, that overrides the embedded content",
        required: true,
      },
    },
    compatibility: { platforms: [PLATFORMS[TARGETS[target].os]] },
  };
  return [
    ...files.map((file) => file.isProgram ? { ...file, path: program } : file),
    { path: "icon.png", content: drawIcon() },
    { path: "manifest.json", content: renderJson(manifest) },
  ];
}
