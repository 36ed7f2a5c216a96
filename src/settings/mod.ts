/** Flags over variables over the project's file over the user's file over defaults, all read here. */
import { attempt, recover } from "../base/absence.ts";
import { BmadError, describe, fail, type Failure } from "../base/errors.ts";
import { type Context, isShare, resolvePath, SHARE_ADVICE, userFolders } from "../base/paths.ts";
import { HERE, parseArguments, readDraft } from "./arguments.ts";
import { check, type Trying, type Valued } from "./checking.ts";
import { type CommandName, describeCommand, type Invocation } from "../operations/mod.ts";
import {
  type IgnoredSetting,
  readFiles,
  type SettingsFile,
  type SettingsInput,
  valueInFiles,
} from "./file_rules.ts";
import { changesOwnFile } from "./own_change.ts";
import { pinnedLocation, sourceOf } from "./locations/mod.ts";
import { knowsNames } from "./http_settings.ts";
import { findPlace, type ProjectPlace, unfitFolder } from "./place.ts";
import { lockFileOf, parsePins } from "./pins.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";

export { asksForJson, findFlag, flagsOf, readDraft } from "./arguments.ts";
export * from "./boundary.ts";
export { commandNamed, failUnknownCommand } from "./habits.ts";
export type { IgnoredSetting, SettingsInput } from "./file_rules.ts";
export { HTTP_SETTINGS, knowsNames } from "./http_settings.ts";
export * from "./settings.ts";
export { type OwnChange, planOwnChange, realFolder, settingNamed, withOwnChange } from "./own_change.ts";
export { type PinnedLocation, pinnedLocation, sourceOf } from "./locations/mod.ts";
export * from "./pins.ts";
export {
  DEFAULT_OUTPUT,
  findPlace,
  holdsFile,
  isInstalled,
  PROJECT_FILE,
  RECORDS_FOLDER,
  signOf,
  unfitFolder,
} from "./place.ts";
export * from "./projects.ts";
export { configValue, findRepository, type Repository } from "./repository.ts";
export { parseSettingsFile } from "./settings_file.ts";
export * from "./shown.ts";

/** Of one line, for all of the projects that a start plans. */
const parsed = new WeakMap<readonly string[], ReturnType<typeof parseArguments>>();

export type Choices = ReturnType<typeof resolveSettings>;

/** Fails with invalid-config or invalid-input. `project` stands in for `--project`. */
export function resolveSettings(input: SettingsInput, project?: string) {
  const findFolder = (path: string) => input.findFolder?.(path);
  const context: Context = { base: input.cwd, home: input.home, os: input.os, findFolder };
  const isFolder = (word: string) => findFolder(resolvePath(word, context)) !== undefined;
  const { invocation, settings: written, warnings } = parsed.getOrInsertComputed(
    input.args,
    () => parseArguments(input.args, { isFolder, isTyped: input.terminal?.stdin }),
  );
  // Names are completed with what the line that is being written will serve.
  const typed = invocation.name === "complete" ? readDraft(invocation.operands).settings : written;
  const named = typed.get("project") ?? [];
  // Of several, the first is the one that is meant where none is said.
  const only = named.length === 0 ? project : project ?? named[0];
  const given = only === undefined ? typed : new Map(typed).set("project", [only]);
  const faults: Failure[] = [];
  const source: Source = {
    given,
    context,
    env: input.env,
    isStandalone: isStandalone(invocation),
    trying: collectingFaults(faults),
    ignored: [],
  };

  // The project decides where the project's file is, so no file can set it.
  const own = valueOf("project", source, []);
  const begin = beginOf(own, given.get("project")?.at(-1) === HERE, { ...input, context });
  const unfit = source.isStandalone ? undefined : unfitFolder(begin.folder, { ...input, findFolder });
  const place = source.isStandalone || begin.isExact || unfit !== undefined
    ? undefined
    : placeFrom(begin, { ...input, findFolder });
  const isHere = begin.from === undefined;
  const notProject = isHere ? unfit : undefined;
  const isNone = isHere && (source.isStandalone || notProject !== undefined);
  const folder = isNone ? undefined : place?.folder ?? begin.folder;
  const files = source.isStandalone ? [] : readFiles({ ...input, findFolder }, folder, source);
  const filled = files.filter(({ rows }) => rows.length > 0);
  const rows = SETTING_KEYS.map((key) =>
    [
      key,
      key === "project" && own.value !== undefined ? { ...own, value: folder } : valueOf(key, source, filled),
    ] as const
  );
  const resolved = {
    settings: Object.fromEntries(rows.map(([key, { value }]) => [key, value])) as unknown as Settings,
    provenance: Object.fromEntries(rows.map(([key, { from }]) => [key, from])) as Resolved["provenance"],
  };
  if (invocation.name !== "doctor") {
    refuseAll(changesOwnFile(invocation) ? faults.filter(isOutside(input)) : faults);
  }
  refuseMissing(invocation, given, resolved, input);
  const { settings, provenance } = invocation.name === "serve" ? guardHttp(resolved, input) : resolved;
  const shares = source.isStandalone ? [] : shareWarnings(input, settings.project);
  return {
    settings,
    provenance,
    invocation,
    flags: SETTING_KEYS.flatMap((key) =>
      NOT_PASSED_ON.includes(key) ? [] : flagsFor(key, settings[key], given.get(key))
    ),
    project: folder,
    named,
    /** Undefined if a folder was named, or the one to start from is unfit. */
    place,
    /** As the end of a sentence. */
    notProject,
    files: files.map(({ path, found }) => ({ path, found })),
    pins: pinsOf(input, files, context),
    isProjectTrusted: files.some(({ base, isTrusted }) => base === folder && isTrusted),
    /** What is invalid, or would widen the user's settings. */
    ignored: source.ignored as readonly IgnoredSetting[],
    warnings: [...warnings, ...shares] as readonly string[],
    /** Settings of the user's own that then count as if not given. Only `doctor` goes on. */
    faults: faults as readonly Failure[],
  };
}

function pinsOf({ readSettings }: SettingsInput, files: readonly SettingsFile[], context: Context) {
  const pins = files.toReversed().flatMap(({ path, base, rows, isTrusted }) => {
    const own = rows.find(({ key }) => key === "sources");
    if (own === undefined || !isTrusted) return [];
    // What cannot be read pins nothing: its sources are then reported as such.
    const known = parsePins(attempt(() => readSettings(lockFileOf(path), { links: false })) ?? "");
    return own.texts.flatMap((text) => {
      const pin = known?.get(text);
      return pin === undefined ? [] : [[sourceOf(text, { ...context, base }), pin] as const];
    });
  });
  return new Map(pins);
}

/** A client names the project itself; the others are about this terminal. */
const NOT_PASSED_ON: readonly (keyof Settings)[] = ["project", "noColor", "quiet"];

export function isStandalone({ name }: Invocation): boolean {
  return describeCommand(name).isStandalone === true;
}

interface Source {
  readonly given: ReadonlyMap<keyof Settings, readonly string[]>;
  readonly context: Context;
  env(name: string): string | undefined;
  readonly isStandalone: boolean;
  readonly trying: Trying;
  readonly ignored: IgnoredSetting[];
}

function valueOf<K extends keyof Settings>(
  key: K,
  { given, context, env, isStandalone, trying, ignored }: Source,
  files: readonly SettingsFile[],
): Valued<Settings[K]> {
  const { flag, variables, default: value } = SETTINGS[key];
  const fallback = { value, from: "default" };
  if (isStandalone) return fallback;
  const checked = (texts: readonly string[], from: string, context: Context) =>
    trying(() => check(key, texts, from, context), fallback);
  const texts = given.get(key);
  if (texts !== undefined) return checked(texts, flag ?? key, context);
  for (const variable of variables) {
    const text = env(variable);
    if (text !== undefined) return checked([text], variable, context);
  }
  return valueInFiles(key, files, fallback, { context, trying, ignored });
}

function isOutside(input: SettingsInput): (fault: Failure) => boolean {
  const own = `${userFolders(input).settings}/config.toml`;
  return (fault) =>
    !(fault.code === "invalid-file" && fault.path === own) &&
    !(fault.code === "invalid-config" && fault.source.startsWith(`${own}:`));
}

function refuseAll(faults: readonly Failure[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const problems = [...new Set(faults.map(describe))];
  if (problems.length === 1) fail(first);
  const { setting, source } = first.code === "invalid-config" ? first : { setting: "", source: "" };
  fail({ code: "invalid-config", setting, source, problem: problems.join("\n") });
}

function collectingFaults(faults: Failure[]): Trying {
  return (work, otherwise) =>
    recover(BmadError, work, ({ failure }) => {
      faults.push(failure);
      return otherwise;
    });
}

/** The project may lie above the folder that these name. */
const BEGINS: readonly string[] = ["CLAUDE_PROJECT_DIR"];

function beginOf(
  { value, from }: Valued<Settings["project"]>,
  isBare: boolean,
  { clientRoot, context }: Pick<SettingsInput, "clientRoot"> & { readonly context: Context },
) {
  if (value !== undefined) {
    return { folder: value, isExact: !isBare && !BEGINS.includes(from), from };
  }
  if (clientRoot !== undefined) return { folder: clientRoot, isExact: false, from: "the client" };
  return { folder: resolvePath(".", context), isExact: false };
}

function placeFrom(
  { folder, from }: ReturnType<typeof beginOf>,
  disk: SettingsInput,
): ProjectPlace | undefined {
  const start = disk.findFolder?.(folder);
  if (start === undefined) return undefined;
  const place = findPlace(start, disk);
  const isAbove = place.folder !== start;
  return {
    ...place,
    // The start itself keeps the name that people know.
    folder: isAbove ? place.folder : folder,
    ...(from !== undefined && { from }),
    isAbove,
    isElsewhere: place.folder !== disk.findFolder?.(disk.cwd),
  };
}

const SEES_FOLDERS: readonly CommandName[] = ["doctor", "complete"];

/** Only a client's entry goes on without the folder: clients show nobody why their server ended. */
function refuseMissing(
  { name }: Invocation,
  given: Source["given"],
  { settings }: Resolved,
  input: SettingsInput,
): void {
  const isEntry = name === "serve" && settings.http === undefined && input.terminal?.stdin !== true;
  if (isEntry || SEES_FOLDERS.includes(name) || input.findFolder === undefined) return;
  for (const key of ["project", "paths"] as const) {
    if (!given.has(key)) continue;
    const missing = [settings[key] ?? []].flat().find((path) =>
      pinnedLocation(path) === undefined && !input.findFolder?.(path)
    );
    if (missing === undefined) continue;
    const { flag } = SETTINGS[key];
    fail({ code: "invalid-config", setting: key, source: flag!, problem: `Folder not found: ${missing}` });
  }
}

/** Absolute paths only, and where each value came from: "default", "--mode", "FILE:3". */
interface Resolved {
  readonly settings: Settings;
  readonly provenance: Readonly<Record<keyof Settings, string>>;
}

/** What others can reach knows them by name, or has a token and only reads unless the user says otherwise. */
function guardHttp({ settings, provenance }: Resolved, input: SettingsInput): Resolved {
  const { http, token, noToken, tlsCert, tlsKey, oidcIssuer, oidcAudience, proxyFrom, roles } = settings;
  if (http === undefined) return { settings, provenance };
  const signsIn = oidcIssuer !== undefined
    ? "--oidc-issuer"
    : proxyFrom.length > 0
    ? "--proxy-from"
    : undefined;
  const isNamed = !http.isLoopback && knowsNames(settings, input, (path) => input.look?.(path));
  const mistakes: readonly (readonly [isMade: boolean, setting: keyof Settings, problem: string])[] = [
    [http.url !== undefined, "http", "serve listens at PORT or HOST:PORT; a URL is for install"],
    [noToken && token !== undefined, "noToken", "--no-token cannot be used together with a token"],
    [
      noToken && !http.isLoopback,
      "noToken",
      `--no-token is only for this machine. Listen on 127.0.0.1 instead of ${http.host}`,
    ],
    [noToken && signsIn !== undefined, "noToken", `--no-token cannot be used together with ${signsIn}`],
    [
      oidcIssuer !== undefined && oidcAudience === undefined,
      "oidcAudience",
      "--oidc-issuer requires --oidc-audience: its tokens may be for other services",
    ],
    [
      signsIn !== undefined && roles.length === 0,
      "roles",
      `${signsIn} requires --roles, such as owner=leads,worker=devs,reader=*`,
    ],
    [
      !http.isLoopback && token === undefined && !isNamed,
      "token",
      `A token is required to listen on ${http.host}. Give people their own (bmad-mcp token add), set BMAD_TOKEN, ` +
      "or listen on 127.0.0.1",
    ],
    [tlsCert === undefined && tlsKey !== undefined, "tlsCert", "--tls-key requires --tls-cert"],
    [tlsKey === undefined && tlsCert !== undefined, "tlsKey", "--tls-cert requires --tls-key"],
  ];
  for (const [isMade, setting, problem] of mistakes) {
    if (isMade) fail({ code: "invalid-config", setting, source: provenance[setting], problem });
  }
  if (http.isLoopback || isNamed || provenance.readOnly !== "default") return { settings, provenance };
  return {
    settings: { ...settings, readOnly: true },
    provenance: { ...provenance, readOnly: "default of --http on a public address" },
  };
}

function shareWarnings({ cwd, home, os }: SettingsInput, project: string | undefined): readonly string[] {
  const places = [
    ...(project === undefined ? [["The working folder", cwd]] : []),
    ["The home folder", home],
  ];
  return places.filter(([, folder]) => folder !== undefined && isShare(folder, os)).map(([what, folder]) =>
    `${what} ${folder} is on a network share and was skipped: ${SHARE_ADVICE}`
  );
}

function flagsFor(key: keyof Settings, value: unknown, texts: readonly string[] | undefined) {
  const { flag, value: placeholder } = SETTINGS[key];
  if (flag === undefined || texts === undefined) return [];
  if (placeholder === undefined) return [flag];
  if (!Array.isArray(value)) return [flag, String(value)];
  return placeholder === "DIR" ? value.flatMap((folder: string) => [flag, folder]) : [flag, texts.join(",")];
}
