/**
 * `bmad-mcp config`: every setting, its value and where it came from.
 */
import { type Config, hideCredentials, SETTING_KEYS, SETTINGS, type Settings } from "../config/mod.ts";
import type { Host } from "../host.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

/** Prints the settings in force. */
export async function showSettings(host: Host, config: Config, json: boolean): Promise<void> {
  const { settings, provenance, files, project } = config;
  if (json) {
    const rows = SETTING_KEYS.map((key) => [key, { value: shown(key, settings), from: provenance[key] }]);
    return printJson(host, { settings: Object.fromEntries(rows), project: project ?? null, files });
  }
  await printRows(
    host,
    SETTING_KEYS.map((key) => ({
      name: key,
      about: `${show(shown(key, settings))} (${provenance[key]})`,
      data: { value: show(shown(key, settings)), from: provenance[key] },
    })),
    columnsOf("settings"),
  );
  for (const { path, found } of files) host.writeErr(`${found ? "read" : "not there"}: ${path}\n`);
}

/** A value that people may see. */
function shown(key: keyof Settings, settings: Settings): unknown {
  const value = settings[key] ?? null;
  if (SETTINGS[key].isSecret && value !== null) return "(set)";
  // Addresses of repositories may hold passwords.
  if (Array.isArray(value)) return value.map((one) => hideCredentials(String(one)));
  return key === "http" && settings.http ? `${settings.http.host}:${settings.http.port}` : value;
}

function show(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
}
