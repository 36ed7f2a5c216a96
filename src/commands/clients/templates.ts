/**
 * What many rows of the table of clients have in common.
 */
import type { System } from "./client.ts";

/** Where programs keep settings that follow the rules of the free desktops. */
export const XDG = "${XDG_CONFIG_HOME:-~/.config}";
/** The same on macOS. */
export const LIBRARY = "~/Library/Application Support";
/** The same on Windows. */
export const ROAMING = "${APPDATA:-~/AppData/Roaming}";
/** What stays on one machine, on Windows. */
export const LOCAL = "${LOCALAPPDATA:-~/AppData/Local}";

/** A file below the folder in which each system keeps the settings of programs. */
export function inSettings(path: string): Readonly<Record<System, readonly string[]>> {
  return { linux: [`${XDG}/${path}`], darwin: [`${LIBRARY}/${path}`], windows: [`${ROAMING}/${path}`] };
}

/** The commonest layout. */
export const MCP_SERVERS = { keys: ["mcpServers"], shape: "plain" } as const;

/** The commonest thing to do. */
export const RESTART = "Restart it.";
