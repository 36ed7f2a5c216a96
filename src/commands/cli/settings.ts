/**
 * `bmad-mcp config`: every setting, its value and where it came from.
 */
import type { Config } from "../../app.ts";
import { SETTING_KEYS, shownValue } from "../../settings/mod.ts";
import type { Host } from "../../base/host.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

/** Prints the settings in force. */
export async function showSettings(host: Host, config: Config, json: boolean): Promise<void> {
  const { settings, provenance, files, project } = config;
  if (json) {
    const rows = SETTING_KEYS.map((
      key,
    ) => [key, { value: shownValue(key, settings), from: provenance[key] }]);
    return printJson(host, { settings: Object.fromEntries(rows), project: project ?? null, files });
  }
  await printRows(
    host,
    SETTING_KEYS.map((key) => ({
      name: key,
      about: `${show(shownValue(key, settings))} (${provenance[key]})`,
      data: { value: show(shownValue(key, settings)), from: provenance[key] },
    })),
    columnsOf("settings"),
  );
  for (const { path, found } of files) host.writeErr(`${found ? "read" : "not there"}: ${path}\n`);
}

function show(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
}
