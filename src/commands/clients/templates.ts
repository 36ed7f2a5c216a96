/**
 * Parts shared by many rows of the table of clients: folders of each system, the usual layout, the usual next step.
 */
import type { System } from "./client.ts";

/** Application settings on Linux. */
export const XDG = "${XDG_CONFIG_HOME:-~/.config}";
/** Application settings on macOS. */
export const LIBRARY = "~/Library/Application Support";
/** Application settings on Windows. */
export const ROAMING = "${APPDATA:-~/AppData/Roaming}";
/** Application data on Windows that stays on one machine. */
export const LOCAL = "${LOCALAPPDATA:-~/AppData/Local}";

/** A file in the folder that each system has for application settings. */
export function inSettings(path: string): Readonly<Record<System, readonly string[]>> {
  return { linux: [`${XDG}/${path}`], darwin: [`${LIBRARY}/${path}`], windows: [`${ROAMING}/${path}`] };
}

/** The most common format and layout. */
export const STANDARD = { format: "json", keys: ["mcpServers"], shape: "plain" } as const;
/** The same with an explicit switch. */
export const SWITCHED = { ...STANDARD, shape: "switched" } as const;
/** The layout of Codex and its relatives. */
export const TOML_TABLES = { format: "toml", keys: ["mcp_servers"], shape: "plain" } as const;

/** The most common next step. */
export const RESTART = "Restart it.";

/** The layout of hooks of Claude Code and its relatives. */
export const SESSION_HOOKS = {
  format: "json",
  keys: ["hooks", "SessionStart"],
  end: "Stop",
  shape: "grouped",
} as const;
