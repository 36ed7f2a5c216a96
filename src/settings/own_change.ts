/** Paths become absolute: a file has another folder than a terminal. Other lines and comments stay. */
import { fail, failInput, failMissing, forbid } from "../base/errors.ts";
import type { WantedRights } from "../base/model.ts";
import {
  type Context,
  isSameFolder,
  isTooWide,
  type Place,
  resolvePath,
  userFolders,
} from "../base/paths.ts";
import { suggest, suggestionOf } from "../base/suggestions.ts";
import { splitLines } from "../base/text.ts";
import { type LookAt, resolveRight } from "./boundary.ts";
import { check } from "./checking.ts";
import { actionNamed, type Invocation } from "../operations/mod.ts";
import { isPath, SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { commentOf, type FileSetting, readSettingsText } from "./settings_file.ts";

export type OwnChange =
  & { readonly file: string }
  & (
    | {
      readonly action: "set" | "unset";
      readonly key: keyof Settings;
      readonly texts: readonly string[];
    }
    | { readonly action: "trust" | "untrust"; readonly folder: string }
  );

export function changesOwnFile({ name, operands: [action] }: Invocation): boolean {
  return name === "config" && action !== undefined && action !== "get";
}

export function planOwnChange(
  invocation: Invocation,
  place: Place,
  { findFolder, look, found }: {
    findFolder(path: string): string | undefined;
    readonly look: LookAt;
    readonly found?: string;
  },
): OwnChange & { readonly rights: Partial<WantedRights> } | undefined {
  if (!changesOwnFile(invocation)) return undefined;
  const [given = "", name = "", ...values] = invocation.operands;
  const action = actionNamed("config", given);
  if (action === "get") return undefined;
  const { settings } = userFolders(place);
  const isTrust = action === "trust" || action === "untrust";
  if (settings === undefined) {
    return failInput("No folder can hold your settings, because HOME is not set");
  }
  const context: Context = { base: place.cwd, home: place.home, os: place.os, findFolder };
  const folder = realFolder(settings, look);
  // The file is replaced as a whole, by a draft beside it.
  const plan = { file: `${folder}/config.toml`, rights: { read: [folder], write: [folder] } };
  if (isTrust) {
    return { ...plan, action, folder: trustedFolder(action, name === "." ? found ?? name : name, context) };
  }
  const key = settableKey(name);
  return { ...plan, action, key, texts: action === "set" ? checkedTexts(key, values, context) : [] };
}

export function realFolder(folder: string, look: LookAt): string {
  const { real, reason } = resolveRight({ path: folder, kind: "folder" }, look);
  return real ?? forbid(`change files in ${folder}`, `it ${reason}`);
}

export function settingNamed(name: string): keyof Settings {
  const flag = `--${name.replace(/^--/, "")}`;
  const hint = () => suggestionOf(suggest(name.toLowerCase(), SETTING_KEYS)) ?? "Settings: bmad-mcp config";
  return SETTING_KEYS.find((known) => known === name || SETTINGS[known].flag === flag) ??
    failInput(`Unknown setting "${name}"`, hint());
}

function settableKey(name: string): keyof Settings {
  const key = settingNamed(name);
  const { files, flag, variables: [variable] } = SETTINGS[key];
  if (files === "user") return key;
  const how = [flag, variable].filter((way) => way !== undefined).join(" or ");
  return failInput(`No settings file can set ${key}`, `Use ${how} instead`);
}

function checkedTexts(key: keyof Settings, texts: readonly string[], context: Context): readonly string[] {
  const isList = Array.isArray(SETTINGS[key].default);
  if (!isList && texts.length > 1) {
    return failInput(`${key} takes one value, not ${texts.length}`);
  }
  const { value } = check(key, texts, "config set", context);
  return isPath(key) ? [value].flat().map(String) : texts;
}

function trustedFolder(action: "trust" | "untrust", dir: string, context: Context): string {
  const given = resolvePath(dir, context);
  const folder = context.findFolder?.(given);
  // What has gone can still lose its trust.
  if (folder === undefined && action === "trust") {
    return failMissing("folder", dir);
  }
  if (action === "trust" && isTooWide(given, context)) {
    return failInput(`Too wide to be a project: ${given}`);
  }
  return folder ?? given;
}

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
    return failInput(`A settings file cannot hold this value of ${key}`);
  }
  return changed === text ? undefined : changed;
}

function textsAfter(change: OwnChange, now: readonly string[] | undefined, context: Context) {
  if ("key" in change) return change.action === "set" ? change.texts : undefined;
  const others = (now ?? []).filter((one) =>
    !isSameFolder(resolvePath(one, context), change.folder, context)
  );
  const isTrusted = change.action === "trust";
  if ((now?.length ?? 0) > others.length === isTrusted) return "same";
  return isTrusted ? [...others, change.folder] : others;
}

function renderValue(key: keyof Settings, texts: readonly string[]): string {
  if (Array.isArray(SETTINGS[key].default)) {
    return `[${texts.map((one) => JSON.stringify(one)).join(", ")}]`;
  }
  const [text = ""] = texts;
  return /^(?:true|false|0|[1-9]\d{0,14})$/.test(text) ? text : JSON.stringify(text);
}

/** Removes the key if the value is undefined. `path` is for errors. */
function withSetting(text: string, key: string, value: string | undefined, path: string): string {
  const [bom, body] = text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text];
  const eol = body.includes("\r\n") ? "\r\n" : "\n";
  const lines = splitLines(body);
  const rows = rowsOf(body, lines, key, path);
  const line = value === undefined ? undefined : `${key} = ${value}`;
  if (rows.length === 0 && line !== undefined) {
    const isEnded = lines.at(-1) === "";
    return bom + [...lines.slice(0, isEnded ? -1 : undefined), line, ""].join(eol);
  }
  const changed = rows.toReversed().reduce((left, { line: from, end }, at) => {
    const isKept = at === rows.length - 1;
    const replaced = rewritten(left.slice(from - 1, end), isKept ? line : undefined);
    return left.toSpliced(from - 1, end - from + 1, ...replaced);
  }, lines);
  return bom + changed.join(eol);
}

function rowsOf(
  text: string,
  lines: readonly string[],
  key: string,
  path: string,
): readonly Pick<FileSetting, "line" | "end">[] {
  const { rows, faults } = readSettingsText(text, path);
  const isOfKey = new RegExp(`^[ \\t]*${RegExp.escape(key)}[ \\t]*=`);
  const broken = faults.flatMap(({ line = 0 }) =>
    isOfKey.test(lines[line - 1] ?? "") && !rows.some((row) => row.line === line) ? [{ line, end: line }] : []
  );
  if (broken.some(({ line }) => /=[ \t]*\[/.test(lines[line - 1]!.split("]").at(-1)!))) {
    // Where the list ends is unknown.
    return fail({
      code: "invalid-file",
      path,
      line: broken[0]!.line,
      problem: `cannot read the list of ${key}`,
    });
  }
  return [...rows.filter((row) => row.key === key), ...broken].sort((a, b) => a.line - b.line);
}

function rewritten(lines: readonly string[], line: string | undefined): readonly string[] {
  const comments = lines.map((line) => commentOf(line).trimEnd());
  if (lines.length === 1 && line !== undefined) {
    return [comments[0] === "" ? line : `${line} ${comments[0]}`];
  }
  return [...comments.filter((comment) => comment !== ""), ...(line === undefined ? [] : [line])];
}
