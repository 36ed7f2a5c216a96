/**
 * `bmad-mcp config set`, `unset`, `trust` and `untrust`: changes the user's own settings file and says what it did.
 */
import { hideCredentials } from "../../settings/locations/mod.ts";
import type { Host } from "../../process/host.ts";
import { type OwnChange, SETTINGS } from "../../settings/mod.ts";
import { changeOwnFile } from "../clients/mod.ts";
import { printJson } from "./output.ts";

/** Makes the change. */
export function changeSettings(host: Host, change: OwnChange, json: boolean): void {
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
