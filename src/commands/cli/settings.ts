/**
 * `bmad-mcp config`: every setting with its value and where it came from.
 */
import type { Config } from "../../app.ts";
import { ignoredText, SETTING_KEYS, settingNamed, shownValue } from "../../settings/mod.ts";
import type { Host } from "../../process/host.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows, printText } from "./output.ts";
import { fail } from "../../base/errors.ts";

/** Prints the settings in force. */
export async function showSettings(host: Host, config: Config, json: boolean): Promise<void> {
  const { settings, provenance, files, ignored, project } = config;
  const rows = SETTING_KEYS.map((key) =>
    [key, { value: shownValue(key, settings), from: provenance[key] }] as const
  );
  if (json) {
    return printJson(host, { settings: Object.fromEntries(rows), project: project ?? null, files, ignored });
  }
  await printRows(
    host,
    rows.map(([name, { value, from }]) => ({
      name,
      about: `${render(value)} (${from})`,
      data: { value: render(value), from },
    })),
    columnsOf("settings"),
  );
  for (const { path, found } of files) host.writeErr(`${found ? "read" : "not found"}: ${path}\n`);
  for (const one of ignored) host.writeErr(`${ignoredText(one, project)}\n`);
}

/** Prints the value of one setting. */
export function showSetting(
  host: Host,
  { settings, provenance }: Config,
  name: string | undefined,
  json: boolean,
): void {
  if (name === undefined) {
    const hint = "Usage: bmad-mcp config get SETTING";
    return fail({ code: "invalid-input", problem: "Missing SETTING", hint });
  }
  const key = settingNamed(name);
  const value = shownValue(key, settings);
  if (json) return printJson(host, { value, from: provenance[key] });
  printText(host, Array.isArray(value) ? value.join("\n") : String(value ?? ""));
}

function render(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
}
