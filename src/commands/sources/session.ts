/**
 * One run of a command for sources: what a location means now, the copy of exactly that in the cache, and why a source
 * has nothing to serve.
 */
import { describe, expectFailure, fail } from "../../base/errors.ts";
import { moduleNamed } from "../../base/official_modules.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText } from "../../base/values.ts";
import type { Work } from "../../base/work.ts";
import type { Library } from "../../content/library/mod.ts";
import type { openLive } from "../../content/live/mod.ts";
import { parseYaml } from "../../content/parse.ts";
import { fetchCommitCopy, fetchPackage, findRelease, resolveCommit } from "../../content/repositories/mod.ts";
import { findText, joinPath, walkFiles } from "../../content/tree/mod.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../operations/mod.ts";
import { type Pin, pinnedAt, pinnedLocation, sourceOf } from "../../settings/mod.ts";
import type { SourcesPlan } from "./plan.ts";

type ContentConfig = Parameters<typeof openLive>[0];

export interface SourcesSession {
  readonly host: Host;
  readonly config: ContentConfig;
  readonly invocation: Invocation;
  readonly plan: SourcesPlan;
  readonly progress?: Work["progress"];
  /** Shows a text before anything is changed; without it, the report has the text. */
  show?(text: string): void;
}

/** Pins what a location means now, with its copy in the cache; undefined for a folder, which has no versions. */
export async function fetchLatest(location: string, session: SourcesSession): Promise<Pin | undefined> {
  const source = pinnedLocation(location);
  if (source === undefined) return undefined;
  const options = optionsOf(session);
  if (source.kind !== "git") return await fetchPackage(source, undefined, options);
  const commit = await resolveCommit(source.repository, options);
  await fetchCommitCopy(source.repository, commit, options);
  return { commit };
}

/** The first of several locations that exists: the name of a branch may have slashes in it. */
export async function fetchFirst(
  locations: readonly string[],
  session: SourcesSession,
): Promise<{ readonly location: string; readonly pin: Pin | undefined }> {
  const [location, ...others] = locations;
  try {
    return { location: location!, pin: await fetchLatest(location!, session) };
  } catch (error) {
    const isOther = /no branch or tag named/.test(describe(expectFailure(error)));
    if (!isOther || others.length === 0) throw error;
    return await fetchFirst(others, session);
  }
}

export async function newestRelease(location: string, session: SourcesSession): Promise<string> {
  const source = pinnedLocation(location);
  const release = source?.kind === "git"
    ? await findRelease(source.repository, optionsOf(session))
    : undefined;
  return release === undefined ? location : `${location}#${release}`;
}

/** Fetches a listed source as it is pinned. */
export async function fetchPinned(text: string, pin: Pin, session: SourcesSession): Promise<void> {
  const source = pinnedLocation(pinnedAt(sourceOf(text, session.plan.context), pin));
  const options = optionsOf(session);
  if (source === undefined) return;
  if (source.kind !== "git") await fetchPackage(source, pin, options);
  else if (pin.commit !== undefined) await fetchCommitCopy(source.repository, pin.commit, options);
}

function optionsOf({ plan: { fetching: rules }, host: { now }, progress }: SourcesSession) {
  return { rules, now, ...(progress && { progress }) };
}

const DESCRIPTIONS = ["", "src", "skills"].map((folder) => joinPath(folder, "module.yaml"));
const MANIFEST = "bmad-skill-manifest.yaml";

function hollowReason({ whole }: Library, id: string): string | undefined {
  const tree = whole.sources.find(({ origin }) => origin.id === id)?.tree;
  const text = tree && DESCRIPTIONS.map((path) => findText(tree, path)).find((found) => found !== undefined);
  if (tree === undefined || text === undefined) return undefined;
  const skills = [...walkFiles(tree, "", () => false)].filter((path) => path.endsWith(`/${MANIFEST}`)).length;
  const code = asText(parseYaml(text).value["code"]);
  const module = code === undefined ? undefined : moduleNamed(code);
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
