/**
 * The commands for sources of content: list them, and change the lists in settings files.
 */
import type { Command } from "./command_options.ts";

/** A part of the table of commands. */
export const SOURCE_COMMANDS = {
  sources: {
    usage: "sources",
    summary: "List the sources of content, in order of priority.",
    details: "Shows the location of each source, the layouts found there, and how many items it has.",
    operands: [0, 0],
    options: ["json"],
    fetches: true,
    examples: ["bmad-mcp sources"],
  },
  modules: {
    usage: "modules",
    summary: "List BMAD's official modules, and which of them are served here.",
    details: "`add CODE` adds one. `list modules` lists every module that is served, also those of others.",
    operands: [0, 0],
    options: ["json"],
    fetches: true,
    examples: ["bmad-mcp modules", "bmad-mcp modules --json"],
  },
  add: {
    usage: "add [SOURCE] [ENTRY…]",
    summary: "Add a source of content: a folder, a git repository, an npm package or a .tgz archive.",
    details:
      "Fetches it, pins it in the lock file beside your settings and serves it from the cache; nothing is copied into " +
      "projects. Takes addresses as people paste them: https://github.com/acme/bmad-team, npm:bmad-builder@^1.1.0; and codes of BMAD's own modules, at their newest release: cis. With --project DIR, writes to the project's settings and trusts the " +
      "project. ENTRY names plugins of a marketplace.json, or skills of a skills-lock.json, in SOURCE. Without SOURCE, fetches what is pinned and not cached. See docs/sources.md.",
    operands: [0, Infinity],
    options: ["json"],
    examples: ["bmad-mcp add ~/team-bmad", "bmad-mcp add ~/team-bmad --project ~/shop"],
  },
  preview: {
    usage: "preview SOURCE",
    summary: "Show what another version of BMAD, or of a module, would change in the project.",
    details:
      "Takes what add takes: bmad-method@6.12.0, a folder. Lists the names that are lost and gained, customizations that lose their effect, scripts and keys of the " +
      "configuration that differ, and the tokens of activations. Nothing is installed; a package is kept in the cache.",
    operands: [1, 1],
    options: ["diff", "json"],
    meanings: { diff: "Show what changes in every instruction, line by line." },
    examples: ["bmad-mcp preview ~/team-bmad", "bmad-mcp preview ~/team-bmad --diff"],
  },
  remove: {
    usage: "remove SOURCE",
    summary: "Remove a source that add has added.",
    details:
      "SOURCE is its address in any spelling, or the last part of it. Cached copies stay until `cache clear`.",
    operands: [1, 1],
    options: ["json"],
    examples: ["bmad-mcp add ~/team-bmad && bmad-mcp remove team-bmad"],
  },
  update: {
    usage: "update [SOURCE…]",
    summary: "Update sources that add has pinned, and say which instructions change.",
    details:
      "Fetches the newest version of each source, lists the agents, workflows and skills that differ and the customizations " +
      "that no longer apply, and then switches; --diff shows every line, and --dry-run switches nothing.",
    operands: [0, Infinity],
    options: ["diff", "rollback", "dryRun", "json"],
    examples: ["bmad-mcp update", "bmad-mcp update --diff --dry-run"],
  },
} as const satisfies Readonly<Record<string, Command>>;
