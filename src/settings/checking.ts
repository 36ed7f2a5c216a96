/** Names the setting, the value, its source and what was expected. */
import { fail } from "../base/errors.ts";
import { hideCredentials, isCloneAddress, isUrl, pastedSources } from "./locations/mod.ts";
import { type Context, resolvePath } from "../base/paths.ts";
import { Invalid } from "../base/invalid.ts";
import { isPath, SETTINGS, type Settings } from "./settings.ts";

export type Trying = <T>(work: () => T, otherwise: T) => T;

export interface Valued<T> {
  readonly value: T;
  readonly from: string;
}

export function check<K extends keyof Settings>(
  key: K,
  texts: readonly string[],
  from: string,
  context: Context,
): Valued<Settings[K]> {
  const { value: placeholder, isSecret } = SETTINGS[key];
  const refuse = (value: string, problem: string) =>
    fail({ code: "invalid-config", setting: key, value, source: from, problem });
  // As a folder's name, a password would show up everywhere.
  const wrong = isPath(key)
    ? texts.find((text) => isRepositories(key) ? isForeign(text, context) : isUrl(text))
    : undefined;
  if (wrong !== undefined) {
    // Not repeated if it may hold a secret.
    const meant = wrong.includes("?") ? [] : pastedSources(wrong);
    const [form = "git+https://HOST/PATH"] = meant instanceof Invalid ? [] : meant;
    const expected = `expected a ${placeholder === "FILE" ? "file" : "folder"}, not a URL`;
    const hint = isRepositories(key) ? `. For a git repository, write ${form}` : "";
    return refuse("…", expected + hint);
  }
  const value = SETTINGS[key].parse(texts, context);
  if (!(value instanceof Invalid)) return { value, from };
  return refuse(isSecret ? "…" : hideCredentials(texts.join(", ")), value.expected);
}

function isRepositories(key: keyof Settings): boolean {
  return key === "paths" || key === "roots" || key === "sources";
}

function isForeign(text: string, context: Context): boolean {
  // Those that are written as repositories count as folders here.
  if (isUrl(text.replaceAll(/(?<![\w+.-])git\+[a-z]*:\/\//gi, "/"))) return true;
  return isCloneAddress(text) && context.findFolder?.(resolvePath(text, context)) === undefined;
}
