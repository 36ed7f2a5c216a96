/**
 * Builds the bundle (.mcpb) that desktop clients install with a click.
 *
 * It contains the program for one platform and a manifest that says how to start it: a manifest can distinguish
 * systems but not processors. Desktop clients have no project folder, so the manifest asks for one.
 */
import { PRODUCT } from "../../src/base/model.ts";
import type { ArchiveFile } from "./archive.ts";
import { drawIcon } from "./icon.ts";
import { DESCRIPTION, type Release, renderJson } from "./release.ts";
import { nodeSystem, programName, type Target } from "./targets.ts";

/** The files of the archive, with the program in a folder, plus the icon and the manifest. */
export function buildMcpbFiles(
  { owner, home, version }: Release,
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
    author: { name: owner, url: home },
    repository: { type: "git", url: home },
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
    compatibility: { platforms: [nodeSystem(target)] },
  };
  return [
    ...files.map((file) => file.isProgram ? { ...file, path: program } : file),
    { path: "icon.png", content: drawIcon() },
    { path: "manifest.json", content: renderJson(manifest) },
  ];
}
