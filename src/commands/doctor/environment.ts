/** The machine and the settings: the system, git if needed, every chosen setting with its source, and invalid ones. */
import { type Config, findGit } from "../../app.ts";
import { type IgnoredSetting, SETTING_KEYS, shownIgnored, shownValue } from "../../settings/mod.ts";
import { describe, type Failure } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { error, line, type Problem, type Section, section, warning } from "./report.ts";

export async function checkEnvironment(
  host: Host,
  config: Config,
  { faults, ignored }: { readonly faults: readonly Failure[]; readonly ignored: readonly IgnoredSetting[] },
): Promise<Section> {
  const git = await findNeededGit(host, config);
  const { settings, provenance, files, logFiles, project, warnings } = config;
  const values = SETTING_KEYS.map((key) =>
    [key, { value: shownValue(key, settings), from: provenance[key] }] as const
  );
  const chosen = values.filter(([, { from }]) => from !== "default");
  const defaults = `${values.length - chosen.length} of ${values.length} at their defaults`;
  return section("environment", {
    lines: [
      line("info", "system", `${host.os} ${Deno.build.arch}, home ${host.home ?? "unknown"}`),
      git && line(git.problem === undefined ? "ok" : "error", "git", git.version ?? git.problem ?? ""),
      ...chosen.map(([key, { value, from }]) =>
        line("info", key, `${Array.isArray(value) ? value.join(", ") : value} (${from})`)
      ),
      line(faults.length === 0 ? "ok" : "error", "settings", defaults),
      ...files.map(({ path, found }) => line("info", "file", found ? path : `${path} (not found)`)),
    ],
    problems: [
      host.home === undefined && noHome(host.os),
      ...faults.map((failure) => error(failure.code, describe(failure), fixFor(failure))),
      ...ignored.map((one) => {
        const { problem, fix } = shownIgnored(one, project);
        return warning(codeOf(one), problem, fix);
      }),
      ...warnings.map((text) => warning("ignored", text, "Correct or remove it")),
      git?.problem !== undefined && error(
        "no-git",
        `Cannot fetch repositories: ${git.problem}`,
        "Install git 2.32 or newer, or clone the repositories yourself and name the folders",
      ),
    ],
    data: {
      os: host.os,
      arch: Deno.build.arch,
      home: host.home ?? null,
      cwd: host.cwd,
      settings: Object.fromEntries(values),
      files,
      ignored,
      logFile: logFiles[0] ?? null,
      git: git?.version ?? null,
    },
  });
}

function noHome(os: Host["os"]): Problem {
  const [name, fix] = os === "windows" ? ["USERPROFILE", "Set USERPROFILE to your folder in C:\\Users"] : [
    "HOME",
    'Set it, also in the entry of a client that starts the server: export HOME="$(eval echo "~$(id -un)")"',
  ];
  return warning("no-home", `${name} is not set, so your settings and clients are not found`, fix);
}

function codeOf({ setting, isInvalid }: IgnoredSetting): string {
  if (!isInvalid) return "widening";
  return setting === undefined ? "invalid-file" : "invalid-config";
}

async function findNeededGit(host: Host, { origins, git }: Config) {
  const access = origins.map(({ access }) => access).find(({ via }) => via === "git");
  if (access?.via !== "git" || git === undefined) return undefined;
  return await findGit(access.repository, git, host.cwd);
}

function fixFor(failure: Failure): string {
  if (failure.code === "invalid-file") {
    const { path, line } = failure;
    return line === undefined
      ? `Make ${path} a readable file, or remove it`
      : `Correct or remove line ${line} of ${path}`;
  }
  if (failure.code !== "invalid-config") return "Change it as the message says";
  const { source, problem } = failure;
  const [, file, line] = /^(.*):(\d+)$/.exec(source) ?? [];
  if (file !== undefined) return `Change or remove line ${line} of ${file}: ${problem}`;
  return `${source.startsWith("-") ? "Remove" : "Unset"} ${source}, or give it another value: ${problem}`;
}
