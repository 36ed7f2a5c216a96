/**
 * `config set`, `unset`, `trust` and `untrust`: which key of the user's own settings file changes, and the text that the
 * file then has.
 *
 * Pure. A value is checked before it is written, and paths become absolute, because a file has another folder than a
 * terminal.
 */
import { fail } from "../base/errors.ts";
import {
  type Context,
  isSameFolder,
  isTooWide,
  type Place,
  resolvePath,
  userFolders,
} from "../base/paths.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { type LookAt, resolveRight } from "./boundary.ts";
import { check } from "./checking.ts";
import { CONFIG_ACTIONS, failUnknownAction } from "./command_actions.ts";
import type { Invocation } from "./commands.ts";
import { withSetting } from "./own_file.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { readSettingsText } from "./settings_file.ts";

/** A change of the user's own settings file. */
export type OwnChange =
  & {
    /** The user's settings file. */
    readonly file: string;
  }
  & ({
    readonly action: "set" | "unset";
    readonly key: keyof Settings;
    /** What to write; empty for `unset`. */
    readonly texts: readonly string[];
  } | {
    readonly action: "trust" | "untrust";
    /** The project's folder, absolute, links resolved. */
    readonly folder: string;
  });

/** Whether a command line asks for such a change. */
export function changesOwnFile({ name, operands: [action] }: Invocation): boolean {
  return name === "config" && action !== undefined && action !== "get";
}

/** Plans the change that a command line asks for; undefined if it asks for none. */
export function planOwnChange(
  invocation: Invocation,
  place: Place,
  { findFolder, look }: { findFolder(path: string): string | undefined; readonly look: LookAt },
): OwnChange | undefined {
  if (!changesOwnFile(invocation)) return undefined;
  const [given = "", name, ...values] = invocation.operands;
  const action = CONFIG_ACTIONS.find((one) => one === given) ??
    failUnknownAction("config", given);
  if (action === "get") return undefined;
  const { settings } = userFolders(place);
  const isTrust = action === "trust" || action === "untrust";
  const missing = name === undefined
    ? `Missing ${isTrust ? "DIR" : "SETTING"}`
    : settings === undefined
    ? "No folder can hold your settings, because HOME is not set"
    : undefined;
  if (name === undefined || missing !== undefined) {
    return fail({
      code: "invalid-input",
      problem: missing!,
      hint: `Usage: bmad-mcp config ${USAGES[action]}`,
    });
  }
  const context: Context = { base: place.cwd, home: place.home, os: place.os, findFolder };
  const file = `${realFolder(settings!, look)}/config.toml`;
  if (isTrust) {
    const unexpected = values[0];
    if (unexpected !== undefined) {
      return fail({ code: "invalid-input", problem: `Unexpected argument "${unexpected}"` });
    }
    return { action, file, folder: trustedFolder(action, name, context) };
  }
  const key = settableKey(name);
  const isMissing = action === "set" ? values.length === 0 : false;
  if (isMissing || (action === "unset" && values.length > 0)) {
    const problem = isMissing ? "Missing VALUE" : `Unexpected argument "${values[0]}"`;
    return fail({ code: "invalid-input", problem, hint: `Usage: bmad-mcp config ${USAGES[action]}` });
  }
  return { action, file, key, texts: action === "set" ? checkedTexts(key, values, context) : [] };
}

/** The user's settings folder by its real name: that is what the rights are for. */
export function realFolder(folder: string, look: LookAt): string {
  const { real, reason } = resolveRight({ path: folder, kind: "folder" }, look);
  return real ?? fail({ code: "not-allowed", what: `change files in ${folder}`, hint: `it ${reason}` });
}

const USAGES = {
  set: "set SETTING VALUE…",
  unset: "unset SETTING",
  trust: "trust DIR",
  untrust: "untrust DIR",
} as const;

/** The key of a setting by its name, its flag or its flag without dashes. */
export function settingNamed(name: string): keyof Settings {
  const flag = `--${name.replace(/^--/, "")}`;
  const hint = () => suggestionOf(suggest(name.toLowerCase(), SETTING_KEYS)) ?? "Settings: bmad-mcp config";
  return SETTING_KEYS.find((known) => known === name || SETTINGS[known].flag === flag) ??
    fail({ code: "invalid-input", problem: `Unknown setting "${name}"`, hint: hint() });
}

function settableKey(name: string): keyof Settings {
  const key = settingNamed(name);
  const { files, flag, variables: [variable] } = SETTINGS[key];
  if (files === "user") return key;
  const how = [flag, variable].filter((way) => way !== undefined).join(" or ");
  return fail({
    code: "invalid-input",
    problem: `No settings file can set ${key}`,
    hint: `Use ${how} instead`,
  });
}

/** The texts of a value that is valid; paths are absolute. */
function checkedTexts(key: keyof Settings, texts: readonly string[], context: Context): readonly string[] {
  const isList = Array.isArray(SETTINGS[key].default);
  if (!isList && texts.length > 1) {
    return fail({ code: "invalid-input", problem: `${key} takes one value, not ${texts.length}` });
  }
  const { value } = check(key, texts, "config set", context);
  const isPath = /^(?:DIR|DIRS|FILE)$/.test(SETTINGS[key].value ?? "");
  return isPath ? [value].flat().map(String) : texts;
}

function trustedFolder(action: "trust" | "untrust", dir: string, context: Context): string {
  const given = resolvePath(dir, context);
  const folder = context.findFolder?.(given);
  // What has gone can still lose its trust.
  if (folder === undefined && action === "trust") {
    return fail({ code: "not-found", what: "folder", name: dir });
  }
  if (action === "trust" && isTooWide(given, context)) {
    return fail({ code: "invalid-input", problem: `Too wide to be a project: ${given}` });
  }
  return folder ?? given;
}

/** The text of the settings file after the change; undefined if it need not change. */
export function withOwnChange(
  text: string,
  change: OwnChange,
  context: Omit<Context, "base">,
): string | undefined {
  const { file } = change;
  const key = "key" in change ? change.key : "trusted";
  const now = readSettingsText(text, file).rows.filter((row) => row.key === key);
  const texts = textsAfter(change, now[0]?.texts, { ...context, base: file.slice(0, file.lastIndexOf("/")) });
  if (texts === "same") return undefined;
  const value = texts && renderValue(key, texts);
  const changed = withSetting(text, key, value, file);
  const { rows, faults } = readSettingsText(changed, file);
  const after = rows.filter((row) =>
    row.key === key && !faults.some(({ line = 0 }) => line >= row.line && line <= row.end)
  );
  if (JSON.stringify(after.map((row) => row.texts)) !== JSON.stringify(texts ? [texts] : [])) {
    return fail({ code: "invalid-input", problem: `A settings file cannot hold this value of ${key}` });
  }
  return changed === text ? undefined : changed;
}

/** What the key has after the change; undefined if the file is without it. */
function textsAfter(
  change: OwnChange,
  now: readonly string[] | undefined,
  context: Context,
): readonly string[] | undefined | "same" {
  if ("key" in change) return change.action === "set" ? change.texts : undefined;
  const others = (now ?? []).filter((one) =>
    !isSameFolder(resolvePath(one, context), change.folder, context)
  );
  const isTrusted = change.action === "trust";
  if ((now?.length ?? 0) > others.length === isTrusted) return "same";
  return isTrusted ? [...others, change.folder] : others;
}

/** A value in TOML. */
function renderValue(key: keyof Settings, texts: readonly string[]): string {
  if (Array.isArray(SETTINGS[key].default)) {
    return `[${texts.map((one) => JSON.stringify(one)).join(", ")}]`;
  }
  const [text = ""] = texts;
  return /^(?:true|false|0|[1-9]\d{0,14})$/.test(text) ? text : JSON.stringify(text);
}
