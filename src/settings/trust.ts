/**
 * `config trust` and `untrust`: which folder, which file, and the text that this file then has.
 *
 * Pure. The file is edited as text: comments and every other line stay.
 */
import { fail, failUnknown } from "../base/errors.ts";
import {
  type Context,
  isSameFolder,
  isTooWide,
  type Place,
  resolvePath,
  userFolders,
} from "../base/paths.ts";
import { CONFIG_ACTIONS } from "./command_actions.ts";
import type { Invocation } from "./commands.ts";
import { parseSettingsFile } from "./settings_file.ts";

/** A change of trust. */
export interface TrustPlan {
  readonly isTrusted: boolean;
  /** The project's folder, absolute, links resolved. */
  readonly folder: string;
  /** The user's settings file. */
  readonly file: string;
}

/** Plans the change that a command line asks for; undefined if it asks for none. */
export function planTrust(
  { name, operands: [action, dir] }: Invocation,
  place: Place,
  findFolder: (path: string) => string | undefined,
): TrustPlan | undefined {
  if (name !== "config" || action === undefined || action === "get") return undefined;
  const known = CONFIG_ACTIONS.find((one) => one === action) ?? failUnknown("action", action, CONFIG_ACTIONS);
  const { settings } = userFolders(place);
  if (dir === undefined || settings === undefined) {
    const problem = dir === undefined
      ? "Missing DIR"
      : "No folder can hold your settings, because HOME is not set";
    return fail({ code: "invalid-input", problem, hint: "Usage: bmad-mcp config trust DIR" });
  }
  const context: Context = { base: place.cwd, home: place.home, os: place.os, findFolder };
  const given = resolvePath(dir, context);
  const folder = findFolder(given);
  // What has gone can still lose its trust.
  if (folder === undefined && known === "trust") {
    return fail({ code: "not-found", what: "folder", name: dir });
  }
  if (known === "trust" && isTooWide(given, context)) {
    return fail({ code: "invalid-input", problem: `Too wide to be a project: ${given}` });
  }
  return { isTrusted: known === "trust", folder: folder ?? given, file: `${settings}/config.toml` };
}

/** The text of the settings file after the change; undefined if it need not change. */
export function withTrust(
  text: string,
  { isTrusted, folder, file }: TrustPlan,
  context: Omit<Context, "base">,
): string | undefined {
  const row = parseSettingsFile(text, file).find(({ key }) => key === "trusted");
  const base = file.slice(0, file.lastIndexOf("/"));
  const others = (row?.texts ?? []).filter((one) =>
    !isSameFolder(resolvePath(one, { ...context, base }), folder, context)
  );
  if ((row?.texts.length ?? 0) > others.length === isTrusted) return undefined;
  const all = isTrusted ? [...others, folder] : others;
  const line = `trusted = [${all.map((one) => JSON.stringify(one)).join(", ")}]`;
  if (row === undefined) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
  return text.split("\n").toSpliced(row.line - 1, row.end - row.line + 1, line).join("\n");
}
