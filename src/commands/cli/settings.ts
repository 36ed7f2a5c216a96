/**
 * `bmad-mcp config`: every setting with its value and where it came from; and changes of the user's own settings file.
 */
import type { Config } from "../../app.ts";
import {
  ignoredText,
  type OwnChange,
  SETTING_KEYS,
  settingNamed,
  SETTINGS,
  shownValue,
} from "../../settings/mod.ts";
import { hideCredentials } from "../../settings/locations/mod.ts";
import type { Host } from "../../process/host.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows, printText } from "./output.ts";

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

export function showSetting(
  host: Host,
  { settings, provenance }: Config,
  name: string,
  json: boolean,
): void {
  const key = settingNamed(name);
  const value = shownValue(key, settings);
  if (json) return printJson(host, { value, from: provenance[key] });
  printText(host, Array.isArray(value) ? value.join("\n") : String(value ?? ""));
}

function render(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
}

export async function changeSettings(host: Host, change: OwnChange, json: boolean): Promise<void> {
  const { changeOwnFile } = await import("../clients/mod.ts");
  const isChanged = changeOwnFile(change, host);
  const { file } = change;
  if (json) return printJson(host, { changed: isChanged, file });
  host.writeOut(`${said(change, isChanged ? "now" : "already")} (${file})\n`);
}

function said(change: OwnChange, when: "now" | "already"): string {
  if ("folder" in change) {
    return `${change.folder} is ${when} ${change.action === "trust" ? "trusted" : "not trusted"}`;
  }
  const { action, key, texts } = change;
  if (action === "unset") return `${key} is ${when} not set`;
  return `${key} is ${when} ${SETTINGS[key].isSecret ? "set" : texts.map(hideCredentials).join(", ")}`;
}
