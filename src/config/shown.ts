/**
 * A setting's value as people may see it.
 */
import { hideCredentials } from "./git_location.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** The value in words or as plain data, null when there is none; of a secret only that there is one. */
export function shownValue(key: keyof Settings, settings: Settings): unknown {
  const value = settings[key] ?? null;
  if (SETTINGS[key].isSecret && value !== null) return "(set)";
  // Addresses of repositories may hold passwords.
  if (Array.isArray(value)) return value.map((one) => hideCredentials(String(one)));
  return key === "http" && settings.http ? `${settings.http.host}:${settings.http.port}` : value;
}
