/**
 * The commands for people who write agents, workflows, skills and modules.
 */
import { type Command, OF_ONE_ITEM } from "./command_options.ts";

/** A part of the table of commands. */
export const AUTHOR_COMMANDS = {
  validate: {
    usage: "validate PATH",
    summary: "Check a module, a skill, a BMAD root or a project that you write.",
    details:
      "Knows the formats of every generation and reports each fault with its file and line: front matter, manifests, " +
      "records, menus, references, help catalogues, customization, sizes, and names of BMAD's own. What PATH refers to " +
      "may be in the embedded packs, or in a folder given with --path. Exit status 1 means that faults were found; " +
      "known faults of BMAD's own releases do not count. See docs/authoring.md.",
    operands: [1, 1],
    options: ["json"],
    examples: ["bmad-mcp validate ~/team-bmad", "bmad-mcp validate ~/team-bmad --json"],
  },
  new: {
    usage: "new agent|workflow|skill|module NAME",
    summary: "Create a minimal agent, workflow, skill or module in the project's own BMAD root.",
    details:
      "Writes commented files in the form of the project's generation: skills, compiled, v4 or flat skills. " +
      "It is served at once and passes validate. Nothing that exists is replaced. " +
      "See docs/authoring.md.",
    operands: [2, 2],
    options: ["module", "json"],
    meanings: { module: "The module to create it in. Default: local, in v4 bmad-core." },
    examples: ["bmad-mcp new agent gardener --module garden", "bmad-mcp new module garden"],
  },
  export: {
    usage: "export NAME --to zip|web-bundle|skill",
    summary: "Write an agent or workflow with everything it needs, for products without MCP.",
    details:
      "Its activation with the configuration resolved, every file that its texts name, and the agents and skills that " +
      "it starts: as one Markdown file for a chat (web-bundle), as a folder that is a plain skill, or as a zip of that. " +
      "Prints the size and what was left out. Writes NAME in the working folder, or --out, and replaces nothing without " +
      "--force. See docs/authoring.md.",
    operands: [1, 1],
    options: ["to", "out", "module", "origin", "force", "json"],
    meanings: {
      ...OF_ONE_ITEM,
      to: {
        value: "FORM",
        values: ["zip", "web-bundle", "skill"],
        help: "The form to write: zip, web-bundle or skill.",
      },
      force: "Replace an earlier export.",
    },
    completes: "items",
    fetches: true,
    examples: [
      "bmad-mcp export analyst --to web-bundle",
      "bmad-mcp export prd --to skill --out ~/shop/prd-skill",
    ],
  },
} as const satisfies Readonly<Record<string, Command>>;
