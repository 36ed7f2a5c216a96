/**
 * The machine and the settings: what the program was told, by whom, and what of it makes no sense.
 */
import { type Config, findGit } from "../../app.ts";
import { SETTING_KEYS, shownValue } from "../../settings/mod.ts";
import { describe, type Failure } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import type { Line, Problem, Section } from "./report.ts";

/** Looks at the machine, at git where it is needed, and at the settings; `faults` are the settings that do not fit. */
export async function examineEnvironment(
  host: Host,
  config: Config,
  faults: readonly Failure[],
): Promise<Section> {
  const git = await lookForGit(host, config);
  const { settings, provenance, files, logFiles, warnings } = config;
  const chosen = SETTING_KEYS.filter((key) => provenance[key] !== "default");
  const problems: readonly Problem[] = [
    ...faults.map((failure): Problem => ({
      section: "environment",
      level: "broken",
      code: failure.code,
      message: describe(failure),
      fix: settingRemedy(failure),
    })),
    ...warnings.map((message): Problem => ({
      section: "environment",
      level: "look",
      code: "ignored",
      message,
      fix: "Correct it or leave it out",
    })),
    ...(git?.problem === undefined ? [] : [
      {
        section: "environment",
        level: "broken",
        code: "no-git",
        message: `Repositories cannot be fetched: ${git.problem}`,
        fix: "Install git 2.32 or newer, or clone the repositories yourself and name the folders",
      } satisfies Problem,
    ]),
  ];
  const lines: readonly Line[] = [
    { mark: "note", label: "system", text: `${host.os} ${Deno.build.arch}, home ${host.home ?? "unknown"}` },
    ...(git === undefined ? [] : [
      {
        mark: git.problem === undefined ? "good" : "broken",
        label: "git",
        text: git.version ?? git.problem ?? "",
      } satisfies Line,
    ]),
    ...chosen.map((key): Line => ({
      mark: "note",
      label: key,
      text: `${textOf(shownValue(key, settings))} (${provenance[key]})`,
    })),
    {
      mark: faults.length === 0 ? "good" : "broken",
      label: "settings",
      text: `${SETTING_KEYS.length - chosen.length} of ${SETTING_KEYS.length} by default`,
    },
    ...files.map(({ path, found }): Line => ({
      mark: "note",
      label: "file",
      text: found ? path : `${path} (not there)`,
    })),
  ];
  const values = SETTING_KEYS.map((
    key,
  ) => [key, { value: shownValue(key, settings), from: provenance[key] }]);
  return {
    name: "environment",
    lines,
    problems,
    data: {
      os: host.os,
      arch: Deno.build.arch,
      home: host.home ?? null,
      cwd: host.cwd,
      settings: Object.fromEntries(values),
      files,
      logFile: logFiles[0] ?? null,
      git: git?.version ?? null,
    },
  };
}

/** Which git there is; nobody asks where no repository is named. */
async function lookForGit(host: Host, { origins, git }: Config) {
  const access = origins.map(({ access }) => access).find(({ via }) => via === "git");
  if (access?.via !== "git" || git === undefined) return undefined;
  return await findGit(access.repository, git, host.cwd);
}

/** What to do about a setting that does not fit, by where it was written down. */
function settingRemedy(failure: Failure): string {
  if (failure.code === "invalid-file") {
    const { path, line } = failure;
    return line === undefined
      ? `Make a file of ${path} that can be read, or remove it`
      : `Correct or remove line ${line} of ${path}`;
  }
  if (failure.code !== "invalid-config") return "Write it as the message says";
  const { source, setting, problem } = failure;
  const [, file, line] = /^(.*):(\d+)$/.exec(source) ?? [];
  if (file !== undefined) return `Change or remove line ${line} of ${file}: ${problem}`;
  return source.startsWith("-")
    ? `Leave out ${source}, or give it another value: ${problem}`
    : `Unset ${source === setting ? setting : source}, or give it another value: ${problem}`;
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}
