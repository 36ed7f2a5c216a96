/**
 * Settings and command lines as people may see them: without passwords, tokens and keys.
 */
import { hideCredentials } from "../base/git_location.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

/** The value in words or as plain data, null when there is none; of a secret only that there is one. */
export function shownValue(key: keyof Settings, settings: Settings): unknown {
  const value = settings[key] ?? null;
  if (SETTINGS[key].isSecret && value !== null) return "(set)";
  // Addresses of repositories may hold passwords.
  if (Array.isArray(value)) return value.map((one) => hideCredentials(String(one)));
  return key === "http" && settings.http ? `${settings.http.host}:${settings.http.port}` : value;
}

/** Whether a setting holds what others must not read: a secret, or an address with a password in it. */
export function holdsSecret(key: keyof Settings, settings: Settings): boolean {
  const value = settings[key];
  if (SETTINGS[key].isSecret) return value !== undefined;
  return Array.isArray(value) && value.some((one) => hideCredentials(String(one)) !== one);
}

const SECRET_FLAGS = SETTING_KEYS.flatMap((key) => SETTINGS[key].isSecret ? SETTINGS[key].flag ?? [] : []);

/** The words of a command line, each without what {@link holdsSecret} would say of it. */
export function shownWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    const [flag = "", value] = word.split("=", 2);
    if (SECRET_FLAGS.includes(words[at - 1] ?? "")) return "***";
    return value !== undefined && SECRET_FLAGS.includes(flag) ? `${flag}=***` : hideCredentials(word);
  });
}
