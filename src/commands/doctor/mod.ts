/** Finds what can keep the program from working. It changes and fetches nothing. */
import {
  type App,
  checkPack,
  type Config,
  findGit,
  isChosen,
  type PackCheck,
  type ProjectWork,
} from "../../app.ts";
import { describe, expectFailure, type Failure } from "../../base/errors.ts";
import { DENO_TASK, PRODUCT, type RightsInForce } from "../../base/model.ts";
import { type LocatedProblem, OTHERS_CLAIMS } from "../../base/problem_groups.ts";
import { abbreviateList, counted } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import type { Probe } from "../../serve/mcp/mod.ts";
import { type IgnoredSetting, SETTING_KEYS, shownIgnored, shownValue } from "../../settings/mod.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import { LIMITS } from "../limits.ts";
import { checkClients } from "./clients.ts";
import { checkContent } from "./content.ts";
import { checkMemory } from "./memory.ts";
import { checkProject } from "./project.ts";
import {
  buildReport,
  error,
  type Line,
  line,
  openReclaim,
  type Problem,
  type Report,
  type Section,
  section,
  warning,
} from "./report.ts";

export type { LocatedProblem, Report, Section } from "./report.ts";

interface Setup {
  readonly host: Host;
  readonly config: Config;
  readonly rights: RightsInForce;
  readonly app: App;
  readonly clients: ClientsPlan | undefined;
  readonly bug: (error: unknown) => string;
}

export async function checkSetup({ host, config, rights, app, clients, bug }: Setup): Promise<Report> {
  const { checkTools, probeServer } = await import("../../serve/mcp/mod.ts");
  const health = await app.health();
  const probes = await probeServer(app, bug);
  const tools = await tried(() => checkTools(app));
  const faults = [...config.faults, ...("code" in tools ? [tools] : [])];
  const ignored = [...config.ignored, ...("code" in tools ? [] : tools)];
  const reclaim = openReclaim(host, clients?.homeOwner);
  const scripts = await factsOf(app, (work) => work.installedScripts());
  const ledgers = await factsOf(
    app,
    // Git is not asked for others' claims here; whether they can be seen is a line of its own.
    async (work) =>
      ((await work.board()).data["problems"] as readonly LocatedProblem[])
        .filter(({ path }) => path !== OTHERS_CLAIMS),
  );
  return buildReport([
    await checkEnvironment(host, config, faults, ignored),
    await checkBinary(host, config, rights, probes),
    checkContent(health, config, host.now(), reclaim),
    checkProject(health, config, ledgers, scripts),
    await checkMemory(app, config, reclaim),
    checkClients(clients, host.launch, reclaim),
  ]);
}

async function factsOf<T>(
  { project, config: { kit } }: App,
  find: (work: ProjectWork) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (kit === undefined) return [];
  const found = await tried(async () => await find(await project.work()));
  return "code" in found ? [] : found;
}

async function tried<T>(work: () => Promise<T>): Promise<T | Failure> {
  return await work().catch(expectFailure);
}

async function checkEnvironment(
  host: Host,
  config: Config,
  faults: readonly Failure[],
  ignored: readonly IgnoredSetting[],
): Promise<Section> {
  const git = await findNeededGit(host, config);
  const { settings, provenance, files, logFiles, warnings } = config;
  const values = SETTING_KEYS.map((key) => ({
    key,
    value: shownValue(key, settings),
    from: provenance[key],
  }));
  const chosen = values.filter(({ from }) => from !== "default");
  const defaults = `${values.length - chosen.length} of ${values.length} at their defaults`;
  return section("environment", {
    lines: [
      line("info", "system", `${host.os} ${Deno.build.arch}, home ${host.home ?? "unknown"}`),
      git && line(git.problem === undefined ? "ok" : "error", "git", git.version ?? git.problem ?? ""),
      ...chosen.map(({ key, value, from }) => line("info", key, `${[value].flat().join(", ")} (${from})`)),
      line(faults.length === 0 ? "ok" : "error", "settings", defaults),
      ...files.map(({ path, found }) => line("info", "file", found ? path : `${path} (not found)`)),
    ],
    problems: [
      host.home === undefined && noHome(host.os),
      ...faults.map((failure) => error(failure.code, describe(failure), fixFor(failure))),
      ...ignored.map((one) => {
        const { problem, fix } = shownIgnored(one);
        const invalid = one.setting === undefined ? "invalid-file" : "invalid-config";
        return warning(one.isInvalid ? invalid : "widening", problem, fix);
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
      settings: Object.fromEntries(values.map(({ key, ...row }) => [key, row])),
      files,
      ignored,
      logFile: logFiles[0] ?? null,
      git: git?.version ?? null,
    },
  });
}

function noHome(os: Host["os"]): Problem {
  const name = os === "windows" ? "USERPROFILE" : "HOME";
  const fix = os === "windows"
    ? "Set USERPROFILE to your folder in C:\\Users"
    : 'Set it, also in the entry of a client that starts the server: export HOME="$(eval echo "~$(id -un)")"';
  return warning("no-home", `${name} is not set, so your settings and clients are not found`, fix);
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

async function checkBinary(host: Host, config: Config, rights: RightsInForce, probes: readonly Probe[]) {
  const { name, version } = PRODUCT;
  const { launch: { command, args }, runtime, target } = host;
  const launch = [command, ...args].join(" ");
  const commit = host.commit() ?? null;
  const build = commit === null ? runtime : `${runtime}, commit ${commit.slice(0, 12)}`;
  const pack = await checkEmbedded(config);
  const { files = 0, damaged = [] } = pack ?? {};
  return section("binary", {
    lines: [
      line("info", "version", `${name} ${version}, ${build}`),
      line("info", "command", launch),
      ...rightsLines(rights, config),
      pack &&
      (damaged.length > 0
        ? line("error", "embedded", `${damaged.length} of ${files} files damaged`)
        : line("ok", "embedded", `content intact (${files} files of ${config.settings.pack})`)),
      ...probes.map(probeLine),
    ],
    problems: [
      !rights.sandboxed &&
      warning("no-sandbox", "The program can read and write the whole disk", "Remove --no-sandbox"),
      ...rights.refused.map((right) =>
        error(
          "right-refused",
          `The program was started without permission to ${right}`,
          `Start it with its usual command: ${launch}`,
        )
      ),
      damaged.length > 0 && error(
        "damaged-content",
        `Embedded content is damaged: ${damaged.length} of ${files} files, such as ${damaged[0]}`,
        `Reinstall the program; in a checkout, run: ${DENO_TASK} embed`,
      ),
      ...probes.map(({ era, problem }) =>
        problem !== undefined && error(
          "no-answer",
          `The server fails for a ${era} client: ${problem}`,
          "Please report this, with the output of --log-level debug",
        )
      ),
    ],
    data: { name, version, commit, runtime, target, command, args, rights, embedded: pack ?? null, probes },
  });
}

function rightsLines({ sandboxed, read, write, run, net }: RightsInForce, config: Config): readonly Line[] {
  if (!sandboxed) return [line("warning", "rights", "the whole disk")];
  // This command changes nothing, unlike a server with the same settings.
  const others = isChosen(config, "work", "bmad_work") ? config.work?.folders ?? [] : [];
  const none = (right: string) =>
    right === "write" && others.length > 0 ? `none here; a server: ${others.join(", ")}` : "none";
  const { namesInLine } = LIMITS.doctor;
  return Object.entries({ read, write, run, network: net ? ["any server"] : [] }).map(([right, names]) => {
    const more = names.length - namesInLine > 1 ? " (bmad-mcp doctor --json)" : "";
    return line("ok", right, abbreviateList(names, namesInLine) + more || none(right));
  });
}

function probeLine({ era, revision, tools, ms, problem }: Probe): Line {
  const times = Object.entries(ms).map(([step, time]) => `${step} ${time.toFixed(1)} ms`).join(", ");
  return line(
    problem === undefined ? "ok" : "error",
    `client ${era}`,
    problem ?? `${revision}, ${counted(tools, "tool")}, ${times}`,
  );
}

/** If it cannot even be opened, the content section reports that. */
async function checkEmbedded({ origins }: Config): Promise<PackCheck | undefined> {
  const access = origins.map(({ access }) => access).find(({ via }) => via === "pack");
  if (access?.via !== "pack") return undefined;
  const found = await checkPack(access.pack, access.contentDir).catch(expectFailure);
  return "code" in found ? undefined : found;
}
