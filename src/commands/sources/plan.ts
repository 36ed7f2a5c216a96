/** A folder that exists is meant first. */
import { failFile, failInput, failMissing } from "../../base/errors.ts";
import { moduleNamed, OFFICIAL_MODULES, type OfficialModule } from "../../base/official_modules.ts";
import { isGitLocation, isNpmLocation, pastedSources } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import type { Host } from "../../process/host.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import { attempt } from "../../base/absence.ts";
import { type Context, isWholeDisk, liesIn, resolvePath, userFolders } from "../../base/paths.ts";
import {
  gitEnvironment,
  lockFileOf,
  type OwnChange,
  parsePins,
  parseSettingsFile,
  pinnedAt,
  pinnedLocation,
  type Pins,
  planOwnChange,
  realFolder,
  resolveRight,
  type SettingsInput,
  sourceOf,
} from "../../settings/mod.ts";
import type { UpdateOptions } from "../../content/repositories/mod.ts";
import type { Start } from "../clients/mod.ts";

export type GivenSource =
  | { readonly kind: "folder" | "archive"; readonly path: string; readonly text: string }
  | { readonly kind: "remote"; readonly texts: readonly string[] }
  /** A file that lists sources, or the folder that has it; and the folder that the list is about. */
  | { readonly kind: "list"; readonly path: string; readonly root: string };

export interface SourcesPlan {
  readonly file: string;
  readonly lock: string;
  readonly own: string;
  readonly context: Context;
  /** With the project's file: `add` makes it count for its caller. */
  readonly trust?: OwnChange;
  readonly given?: GivenSource;
  readonly fetching: UpdateOptions["rules"];
  readonly rights: WantedRights;
}

export function draftOf(file: string): string {
  return `${file}.bmad-mcp-new`;
}

interface SourcesStart extends Start {
  readonly git: UpdateOptions["rules"] | undefined;
}

type SourcesHost = SettingsInput & Pick<Host, "findFolder" | "look" | "namesIn" | "readHead">;

export function planSources(config: SourcesStart, host: SourcesHost): SourcesPlan {
  const { invocation, project, provenance, git } = config;
  const { name, operands: [source, ...entries] } = invocation;
  const { settings } = userFolders(host);
  if (settings === undefined || git === undefined) {
    return failInput("No folder can hold your settings, because HOME is not set");
  }
  const own = realFolder(settings, host.look);
  const isProject = provenance.project === "--project" && project !== undefined;
  const base = isProject ? host.findFolder(project) : own;
  if (base === undefined) return failMissing("folder", project!);
  const file = isProject ? `${base}/.bmad-mcp.toml` : `${own}/config.toml`;
  const { home, os, findFolder } = host;
  const context = { base, home, os, findFolder };
  const isPreview = name === "preview";
  const given = (name === "add" || isPreview) && source !== undefined
    ? givenSource(source, entries, host, context)
    : undefined;
  const plan = {
    file,
    lock: lockFileOf(file),
    own,
    context,
    trust: isProject && name === "add"
      ? planOwnChange({ name: "config", operands: ["trust", base], options: {} }, host, host)
      : undefined,
    given,
    fetching: { ...git, environment: gitEnvironment(host) },
  };
  // The command itself reports a file that cannot be read.
  const listed = name === "remove" || given !== undefined ? undefined : attempt(() => readListed(plan, host));
  const { sources = [], pins } = listed ?? {};
  const locations = given?.kind === "remote"
    ? given.texts
    : sources.map((text) => pinnedAt(sourceOf(text, context), pins?.get(text)));
  // An entry may name anything, also with the next update.
  const hasEntries = given?.kind === "list" || (name === "add" && entries.length > 0) ||
    sources.some((text) => pins?.get(text)?.entry !== undefined);
  const wanted = rightsFor(plan, locations, host.look, { hasEntries, isPreview });
  return { ...plan, rights: joinRights(config.rights, wanted) };
}

function givenSource(
  text: string,
  entries: readonly string[],
  { cwd, home, os, findFolder, namesIn, readHead }: SourcesHost,
  { base }: Context,
): GivenSource {
  const here: Context = { base: cwd, home, os, findFolder };
  const path = resolvePath(text.replace(/^file:\/\/(?=\/)/, ""), here);
  const written = writtenPath(path, { base });
  if (findFolder(path) !== undefined) {
    const names = namesIn?.(path) ?? [];
    const isBare = ["HEAD", "objects", "refs"].every((name) => names.includes(name));
    if (isBare) return { kind: "remote", texts: [`git+file://${encodeURI(path)}`] };
    if (isWholeDisk(path, here)) {
      return failInput("A source cannot be a whole disk");
    }
    return entries.length > 0 ? { kind: "list", path, root: path } : { kind: "folder", path, text: written };
  }
  if (readHead?.(path) !== undefined) {
    if (/\.(?:tgz|tar\.gz)$/i.test(path)) return { kind: "archive", path, text: written };
    if (/\.json$/i.test(path)) return { kind: "list", path, root: listRoot(path) };
    return failInput(`Neither an archive nor a list of sources: ${path}`);
  }
  if (/^(?:\.{0,2}[\\/]|~|\.{1,2}$|[A-Za-z]:[\\/]|file:)/.test(text)) {
    return failMissing("folder or file", text);
  }
  const texts = remoteSources(text);
  if (texts instanceof Invalid) {
    return failInput(`Cannot add this source: ${texts.expected}`);
  }
  return { kind: "remote", texts };
}

export function writtenPath(path: string, { base }: Pick<Context, "base">): string {
  const plain = path.replace(/(?<!\/)\/+$/, "");
  return liesIn(plain, base) && plain !== base ? `./${plain.slice(base.length + 1)}` : plain;
}

/** The folder that it is in, or the one above the folder that plugins have for it. */
export function listRoot(path: string): string {
  return path.replace(/\/(?:\.claude-plugin\/|\.agents\/plugins\/)?[^/]+$/, "");
}

export interface Listed {
  readonly sources: readonly string[];
  readonly pins: Pins;
}

export function readListed(
  { file, lock, own }: Pick<SourcesPlan, "file" | "lock" | "own">,
  { readSettings }: Pick<Host, "readSettings">,
) {
  // A stranger's project must not make us read a file of its choice, nor wait for a pipe.
  const read = (path: string) => {
    try {
      return readSettings(path, { links: path === file && liesIn(path, own) });
    } catch (error) {
      return failFile(path, error instanceof Error ? error.message : String(error));
    }
  };
  const sources = sourcesIn(read(file) ?? "", file);
  const text = read(lock);
  const pins = text === undefined ? new Map() : parsePins(text);
  if (pins !== undefined) return { sources, pins };
  return failFile(lock, "not a lock file. Delete it, then run bmad-mcp update");
}

export function sourcesIn(text: string, file: string): readonly string[] {
  return parseSettingsFile(text, file).find(({ key }) => key === "sources")?.texts ?? [];
}

function rightsFor(
  { file, lock, own, given, fetching, context }: Omit<SourcesPlan, "rights">,
  locations: readonly string[],
  look: Host["look"],
  { hasEntries, isPreview }: { readonly hasEntries: boolean; readonly isPreview: boolean },
): WantedRights {
  const files = isPreview || liesIn(file, own) ? [] : [file, lock].flatMap((one) => [one, draftOf(one)]);
  for (const path of files) {
    const { reason } = resolveRight({ path, kind: "file", isPlain: true }, look);
    if (reason !== undefined) failFile(path, "not a plain file");
  }
  const path = given === undefined || given.kind === "remote"
    ? []
    : [given.kind === "list" ? given.root : given.path];
  const archives = locations.map((text) => sourceOf(text, context))
    .filter((location) => pinnedLocation(location)?.kind === "archive");
  const named = [...path, ...archives].flatMap((path) => resolveRight({ path }, look).real ?? []);
  return {
    read: [own, ...files, fetching.cache, ...named],
    write: [...(isPreview ? [] : [own]), ...files, fetching.cache],
    run: [
      ...(hasEntries || locations.some(isGitLocation) ? ["git"] : []),
      // Bash keeps npm within its limits.
      ...(hasEntries || locations.some(isNpmLocation) ? ["bash"] : []),
    ],
    net: false,
  };
}

/** The code of a module is not the name of a package: npm has packages of strangers called `cis` or `core`. */
export function remoteSources(text: string): readonly string[] | Invalid {
  const module = moduleNamed(text);
  return module === undefined ? pastedSources(text) : [module.source];
}

export function moduleAt(location: string): OfficialModule | undefined {
  const found = pinnedLocation(location);
  const plain = found?.kind === "npm"
    ? `npm:${found.location.name}`
    : found?.kind === "git"
    ? `git+${found.repository.url}`
    : undefined;
  return OFFICIAL_MODULES.find(({ source, npm }) => source === plain || (npm && `npm:${npm.name}` === plain));
}
