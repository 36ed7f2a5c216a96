import { type Config, describeProjects } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import {
  ignoredText,
  type OwnChange,
  SETTING_KEYS,
  settingNamed,
  SETTINGS,
  shownValue,
  whyProject,
} from "../../settings/mod.ts";
import { hideCredentials } from "../../settings/locations/mod.ts";
import type { Answer, Session } from "./session.ts";

export async function config({ host, config }: Session): Promise<Answer> {
  const { invocation: { operands: [action, key] }, ownChange } = config;
  if (action === "get") return showSetting(config, key!);
  return ownChange === undefined ? showSettings(config) : await changeSettings(host, ownChange);
}

function showSettings(config: Config): Answer {
  const { settings, provenance, files, ignored, project } = config;
  const rows = SETTING_KEYS.map((key) =>
    [key, { value: shownValue(key, settings), from: provenance[key] }] as const
  );
  const projects = describeProjects(config);
  return {
    rows: rows.map(([name, { value, from }]) => ({
      name,
      about: name === "project" ? `${project ?? "-"} (${whyProject(config)})` : `${render(value)} (${from})`,
      data: { value: render(value), from },
    })),
    list: "settings",
    notes: [
      ...projects?.lines ?? [],
      ...files.map(({ path, found }) => `${found ? "read" : "not found"}: ${path}`),
      ...ignored.map((one) => ignoredText(one)),
    ],
    data: {
      settings: Object.fromEntries(rows),
      project: project ?? null,
      projects: projects?.data,
      files,
      ignored,
    },
  };
}

function showSetting({ settings, provenance }: Config, name: string): Answer {
  const key = settingNamed(name);
  const value = shownValue(key, settings);
  const text = Array.isArray(value) ? value.join("\n") : String(value ?? "");
  return { text: `${text}\n`, data: { value, from: provenance[key] } };
}

function render(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(", ") || "-" : String(value);
}

async function changeSettings(host: Host, change: OwnChange): Promise<Answer> {
  // Reading a setting loads no editors of files.
  const { changeOwnFile } = await import("../clients/mod.ts");
  const isChanged = changeOwnFile(change, host);
  const { file } = change;
  return {
    text: `${said(change, isChanged ? "now" : "already")} (${file})`,
    data: { changed: isChanged, file },
  };
}

function said(change: OwnChange, when: "now" | "already"): string {
  if ("folder" in change) {
    return `${change.folder} is ${when} ${change.action === "trust" ? "trusted" : "not trusted"}`;
  }
  const { action, key, texts } = change;
  if (action === "unset") return `${key} is ${when} not set`;
  return `${key} is ${when} ${SETTINGS[key].isSecret ? "set" : texts.map(hideCredentials).join(", ")}`;
}
