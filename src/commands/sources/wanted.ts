/**
 * Sources may be entries of a list that another program keeps (a marketplace of plugins, the lock file of skills). It
 * comes from strangers: an entry may name a folder below it, a repository or a package, nothing else.
 */
import { attempt } from "../../base/absence.ts";
import { describe, expectFailure, fail, failFile, failInput, failMissing } from "../../base/errors.ts";
import { Invalid } from "../../base/invalid.ts";
import { moduleNamed } from "../../base/official_modules.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText, asTexts, asValues, firstOf, isValues, parseJson, type Values } from "../../base/values.ts";
import type { Work } from "../../base/work.ts";
import type { Library } from "../../content/library/mod.ts";
import type { openLive } from "../../content/live/mod.ts";
import { parseYaml } from "../../content/parse.ts";
import {
  fetchCommitCopy,
  fetchPackage,
  findCopyFolder,
  findRelease,
  resolveCommit,
} from "../../content/repositories/mod.ts";
import { findText, joinPath, walkFiles } from "../../content/tree/mod.ts";
import type { Invocation } from "../../operations/mod.ts";
import type { Host } from "../../process/host.ts";
import { isGitLocation, pastedSources } from "../../settings/locations/mod.ts";
import { type ListEntry, type Pin, pinnedAt, pinnedLocation, sourceOf } from "../../settings/mod.ts";
import { LIMITS } from "../limits.ts";
import { type GivenSource, listRoot, type SourcesPlan, writtenPath } from "./plan.ts";

export interface SourcesSession {
  readonly host: Host;
  readonly config: Parameters<typeof openLive>[0];
  readonly invocation: Invocation;
  readonly plan: SourcesPlan;
  readonly progress?: Work["progress"];
  show?(text: string): void;
}

async function fetchCopy(location: string, session: SourcesSession, pin?: Pin): Promise<Pin | undefined> {
  const source = pinnedLocation(location);
  if (source === undefined) return undefined;
  const options = optionsOf(session);
  if (source.kind !== "git") return await fetchPackage(source, pin, options);
  const commit = pin?.commit ?? await resolveCommit(source.repository, options);
  await fetchCommitCopy(source.repository, commit, options);
  return { commit };
}

export async function fetchPinned(text: string, pin: Pin, session: SourcesSession): Promise<void> {
  await fetchCopy(pinnedAt(sourceOf(text, session.plan.context), pin), session, pin);
}

/** The name of a branch may have slashes in it, so there may be several. */
export async function fetchFirst(locations: readonly string[], session: SourcesSession) {
  const [location = "", ...others] = locations;
  try {
    return { location, pin: await fetchCopy(location, session) };
  } catch (error) {
    const isOther = /no branch or tag named/.test(describe(expectFailure(error)));
    if (!isOther || others.length === 0) throw error;
    return await fetchFirst(others, session);
  }
}

export async function newestRelease(location: string, session: SourcesSession): Promise<string> {
  const source = pinnedLocation(location);
  if (source?.kind !== "git") return location;
  const release = await findRelease(source.repository, optionsOf(session));
  return release === undefined ? location : `${location}#${release}`;
}

function optionsOf({ plan: { fetching: rules }, host: { now }, progress }: SourcesSession) {
  return { rules, now, progress };
}

export interface WantedSource {
  readonly texts: readonly string[];
  readonly entry?: ListEntry;
}

export async function wantedSources(
  session: SourcesSession,
  given: GivenSource,
): Promise<readonly WantedSource[]> {
  const { plan, invocation: { operands: [operand, ...names] } } = session;
  if (given.kind === "list") {
    const { text, path } = readList(given.path);
    const root = listRoot(path);
    const textsOf = textsIn((folder) => writtenPath(`${root}/${folder}`, plan.context));
    return entriesOf(text, names, path).map((source) => ({ texts: textsOf(source) }));
  }
  if (given.kind !== "remote") return [{ texts: [given.text] }];
  const entry = names.length === 0 ? moduleEntry(operand!, given.texts) : undefined;
  if (entry !== undefined) {
    return [{ texts: [await newestRelease(entry.list, session)], entry }];
  }
  if (names.length === 0) return [{ texts: given.texts }];
  const { location, pin } = await fetchFirst(given.texts, session);
  const all = await entriesAt(session, location, pin);
  return names.flatMap((name) => all(name).map((texts) => ({ texts, entry: { list: location, name } })));
}

/** A module that is named by its code and lies in a repository: each update takes its newest release. */
export function moduleEntry(name: string, texts: readonly string[]): ListEntry | undefined {
  const module = moduleNamed(name);
  return module?.source === texts[0] && isGitLocation(texts[0]!)
    ? { list: module!.source, name: module!.code }
    : undefined;
}

export async function entryLocations(
  session: SourcesSession,
  { list, name }: ListEntry,
  present: string,
): Promise<readonly string[]> {
  if (moduleNamed(name)?.source === list) return [await newestRelease(list, session)];
  const found = (await entriesAt(session, list, await fetchCopy(list, session)))(name);
  const [first = [], ...others] = found;
  if (others.length === 0) return first;
  const reason = `the entry ${name} of ${list} no longer names it`;
  return found.find((texts) => texts.includes(present)) ??
    fail({ code: "origin-unavailable", origin: present, reason });
}

async function entriesAt(session: SourcesSession, location: string, pin: Pin | undefined) {
  const folder = await copyOf(session, location, pin);
  const { text, path } = readList(folder);
  const shown = `${location}${path.slice(folder.length)}`;
  const textsOf = textsIn((folder) => inside(location, folder));
  return (name: string) => entriesOf(text, [name], shown).map(textsOf);
}

function textsIn(textOf: (folder: string) => string): (source: ListedSource) => readonly string[] {
  return (source) => "folder" in source ? [textOf(source.folder)] : source.locations;
}

async function copyOf({ plan }: SourcesSession, location: string, pin: Pin | undefined): Promise<string> {
  const source = pinnedLocation(location);
  const found = source && pin && await findCopyFolder(plan.fetching, source, pin);
  return found ?? fail({ code: "origin-unavailable", origin: location, reason: "it is not in the cache" });
}

function readList(path: string): { readonly text: string; readonly path: string } {
  for (const file of [path, ...LIST_FILES.map((name) => `${path}/${name}`)]) {
    const text = readPlain(file);
    if (text !== undefined) return { text, path: file };
  }
  const hint = `Expected ${LIST_FILES.join(" or ")}`;
  return failMissing("list of sources", path, { hint });
}

/** Undefined for a link, which could lead anywhere. */
function readPlain(path: string): string | undefined {
  const { isFile, size = 0 } = attempt(() => Deno.lstatSync(path)) ?? {};
  return isFile && size <= LIMITS.sources.listBytes
    ? attempt(() => new TextDecoder().decode(Deno.readFileSync(path)))
    : undefined;
}

function inside(location: string, folder: string): string {
  const source = pinnedLocation(location);
  const { shown, subpath } = source?.kind === "git"
    ? source.repository
    : source?.kind === "npm"
    ? source.location
    : { shown: location };
  const plain = subpath === undefined ? shown : shown.slice(0, shown.lastIndexOf(":/"));
  const path = [subpath, folder].filter(Boolean).join("/").split("/").map(encodeURIComponent).join("/");
  return path === "" ? plain : `${plain}:/${path}`;
}

const LIST_FILES: readonly string[] = [
  ".claude-plugin/marketplace.json",
  ".agents/plugins/marketplace.json",
  "skills-lock.json",
];

type ListedSource = { readonly folder: string } | { readonly locations: readonly string[] };

export function entriesOf(text: string, names: readonly string[], shown: string): readonly ListedSource[] {
  const list = asValues(parseJson(text));
  const entries = new Map<string, () => readonly ListedSource[]>();
  const plugins = Array.isArray(list["plugins"]) ? list["plugins"].map(asValues) : [];
  for (const plugin of plugins) {
    const name = asText(plugin["name"]);
    if (name !== undefined) entries.set(name, () => pluginSources(plugin, list, plugins.length === 1));
  }
  for (const [name, skill] of Object.entries(asValues(list["skills"]))) {
    if (isValues(skill)) entries.set(name, () => [skillSource(skill)]);
  }
  const known = [...entries.keys()];
  if (known.length === 0) {
    return failFile(shown, "neither a marketplace nor a list of skills");
  }
  if (names.length === 0 && known.length > 1) {
    const names = known.slice(0, LIMITS.sources.shownEntries).join(", ");
    return failInput(`${shown} has several entries. Name those that you want: ${names}`);
  }
  return (names.length === 0 ? known : names).flatMap((name) => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry();
    return failMissing("entry", name, { suggestions: suggest(name, known) });
  });
}

/** Single skills of a folder that other plugins share are a source each. */
function pluginSources(plugin: Values, list: Values, isAlone: boolean): readonly ListedSource[] {
  const { source } = plugin;
  if (typeof source !== "string") return [remoteSource(asValues(source))];
  const root = asText(asValues(list["metadata"])["pluginRoot"]) ?? "";
  const folder = innerFolder(/^\.{1,2}\//.test(source) || source === "." ? source : `${root}/${source}`);
  const skills = asTexts(plugin["skills"]).slice(0, LIMITS.sources.skillsPerPlugin);
  if (isAlone || skills.length === 0) return [{ folder }];
  return skills.map((skill) => ({ folder: [folder, innerFolder(skill)].filter(Boolean).join("/") }));
}

function remoteSource(source: Values): ListedSource {
  const text = (key: string) => asText(source[key]);
  const ref = text("sha") ?? text("ref");
  const repository = text("source") === "github" ? text("repo") && `github:${text("repo")}` : text("url");
  if (text("source") === "npm") {
    const [name = "", version] = [text("package"), text("version")];
    return { locations: valid(`npm:${name}${version === undefined ? "" : `@${version}`}`) };
  }
  if (repository === undefined) return unsupported(text("source") ?? "unknown");
  return { locations: repositoryAt(repository, ref, text("path")) };
}

function skillSource(skill: Values): ListedSource {
  const text = (key: string) => asText(skill[key]);
  const type = text("sourceType") ?? "github";
  const folder = text("skillPath")?.replace(/\/?SKILL\.md$/i, "") || undefined;
  const source = text("source");
  if (source === undefined) return unsupported(type);
  if (type === "local") return { folder: innerFolder(source) };
  if (type === "node_modules") return { folder: innerFolder(`node_modules/${source}`) };
  if (type !== "github" && type !== "gitlab" && type !== "git") return unsupported(type);
  const address = text("sourceUrl") ?? (type === "git" ? source : `${type}:${source}`);
  return { locations: repositoryAt(address, text("ref"), folder) };
}

function repositoryAt(address: string, ref: string | undefined, folder: string | undefined) {
  const found = valid(address);
  if (ref === undefined && folder === undefined) return found;
  const [plain] = found[0]!.split("#", 1);
  const inside = folder === undefined ? undefined : innerFolder(folder);
  return valid(`${plain}${ref === undefined ? "" : `#${ref}`}${inside ? `:/${inside}` : ""}`);
}

function valid(text: string): readonly string[] {
  const refuse = (reason: string) => failInput(`The entry names no source that can be added: ${reason}`);
  const found = pastedSources(text);
  if (found instanceof Invalid) return refuse(found.expected);
  const isLocal = found.some((one) => one.startsWith("git+file:"));
  return isLocal ? refuse("it lies on this machine, outside the list") : found;
}

function unsupported(type: string): never {
  return failInput(`Entries of the type "${type}" cannot be added`);
}

function innerFolder(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (!path.startsWith("/") && parts.every((part) => part !== ".." && !/[\\:\p{C}]/u.test(part))) {
    return parts.join("/");
  }
  return failInput(`The entry names a folder outside its list: ${path.slice(0, 100)}`);
}

const DESCRIPTIONS = ["", "src", "skills"].map((folder) => joinPath(folder, "module.yaml"));
const MANIFEST = "bmad-skill-manifest.yaml";

function hollowReason({ whole }: Library, id: string): string | undefined {
  const tree = whole.sources.find(({ origin }) => origin.id === id)?.tree;
  const text = tree && firstOf(DESCRIPTIONS, (path) => findText(tree, path));
  if (text === undefined) return undefined;
  const skills =
    [...walkFiles(tree!, "", () => false)].filter((path) => path.endsWith(`/${MANIFEST}`)).length;
  const code = asText(parseYaml(text).value["code"]);
  const module = moduleNamed(code ?? "");
  const named = code === undefined ? "a module" : `the module ${code}`;
  const what = skills === 0 ? named : `${named} and its ${skills} skills`;
  const where = module?.npm?.isHollow
    ? withCommand("Its repository has them", command`bmad-mcp add ${module.code}`)
    : "Add its repository instead";
  return `it is hollow: it describes ${what}, but has none of the texts. ${where}`;
}

export function failEmpty(library: Library, id: string, origin: string, problem?: string): never {
  const reason = problem ?? hollowReason(library, id) ?? "no agents, workflows or skills found in it";
  return fail({ code: "origin-unavailable", origin, reason });
}
