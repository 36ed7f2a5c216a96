/** Without passwords, tokens and keys. */
import { once } from "../base/cache.ts";
import { sentences } from "../base/errors.ts";
import { command, withCommand } from "../base/text.ts";
import { hideCredentials } from "./locations/mod.ts";
import type { IgnoredSetting } from "./file_rules.ts";
import type { ProjectPlace } from "./place.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

export function shownValue(key: keyof Settings, settings: Settings): unknown {
  const value = settings[key] ?? null;
  if (SETTINGS[key].isSecret && value !== null) return "(set)";
  // Repository URLs may contain passwords.
  if (Array.isArray(value)) return value.map((one) => hideCredentials(String(one)));
  if (typeof value === "string") return hideCredentials(value);
  return key === "http" && settings.http ? `${settings.http.host}:${settings.http.port}` : value;
}

export function holdsSecret(key: keyof Settings, settings: Settings): boolean {
  const value = settings[key];
  if (SETTINGS[key].isSecret) return value !== undefined;
  return Array.isArray(value) && value.some((one) => hideCredentials(String(one)) !== one);
}

const secretFlags = once(() =>
  SETTING_KEYS.flatMap((key) => SETTINGS[key].isSecret ? SETTINGS[key].flag ?? [] : [])
);

export function shownWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    const [flag = "", value] = word.split("=", 2);
    if (secretFlags().includes(words[at - 1] ?? "")) return "***";
    return value !== undefined && secretFlags().includes(flag) ? `${flag}=***` : hideCredentials(word);
  });
}

interface Shown {
  readonly project: string | undefined;
  readonly place: ProjectPlace | undefined;
  readonly notProject: string | undefined;
  readonly provenance: Readonly<Record<"project", string>>;
  readonly settings: Pick<Settings, "project">;
}

/** As the part of a sentence that names what led to it. */
export function whyProject({ project, notProject, provenance, settings, place }: Shown): string {
  const from = place?.from ?? "the working folder";
  if (place?.isAbove) return `found from ${from}, ${place.start}: it ${place.reason}`;
  const why = settings.project !== undefined ? `named by ${provenance.project}` : from;
  if (project === undefined) return `${why} ${notProject}`;
  return place?.end === undefined || place.sign !== undefined
    ? why
    : `${why}; nothing of BMAD above it: ${place.end}`;
}

/** Undefined if the project is the folder in which a person stands. */
export function placeText(place: ProjectPlace | undefined): string | undefined {
  if (place?.isElsewhere !== true) return undefined;
  return `Project: ${place.folder} (${place.isAbove ? `it ${place.reason}` : `named by ${place.from}`})`;
}

/** As sentences without a full stop. */
export function shownIgnored({ setting, source, reason, needsTrust, isInvalid }: IgnoredSetting) {
  const folder = source.slice(0, Math.max(0, source.lastIndexOf("/"))) || ".";
  return {
    problem: `Ignored ${setting === undefined ? "" : `${setting} in `}${source}: ${reason}`,
    fix: isInvalid
      ? fixOf(source)
      : needsTrust
      ? withCommand("Remove it, or trust the project", command`bmad-mcp config trust ${folder}`)
      : "Remove it",
  };
}

export function ignoredText(ignored: IgnoredSetting): string {
  const { problem, fix } = shownIgnored(ignored);
  return sentences(problem, fix);
}

function fixOf(source: string): string {
  const [, file, line] = /^(.*?):(\d+)(?::\d+)?$/.exec(source) ?? [];
  return file === undefined
    ? `Make ${source} a readable file, or remove it`
    : `Correct or remove line ${line} of ${file}`;
}
