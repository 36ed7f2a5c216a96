/**
 * The sources in a settings file and their pins in the lock file beside it: read, found by name, changed. A pin is written
 * before the source that needs it, and removed after it, so that a process that is killed in between leaves what was
 * served before. Processes wait for each other.
 */
import { fail, reportRefusal } from "../../base/errors.ts";
import { withLock } from "../../process/lock.ts";
import type { Host } from "../../process/host.ts";
import { liesIn, resolvePath } from "../../base/paths.ts";
import { Invalid } from "../../base/invalid.ts";
import { suggest } from "../../base/suggestions.ts";
import {
  parsePins,
  type Pin,
  pinnedLocation,
  type PinnedSource,
  type Pins,
  readSettingsText,
  renderPins,
  sourceOf,
} from "../../settings/mod.ts";
import { changeOwnFile, changeText } from "../clients/mod.ts";
import { withExchanged, withoutElement } from "./list_edit.ts";
import { draftOf, remoteSources, sourcesIn, type SourcesPlan } from "./plan.ts";

export interface Listed {
  readonly sources: readonly string[];
  readonly pins: Pins;
}

interface Changes {
  readonly added?: string;
  readonly replaced?: readonly string[];
  readonly removed?: string;
  readonly pins?: ReadonlyMap<string, PinnedSource>;
}

type Files = Pick<SourcesPlan, "file" | "lock" | "own" | "trust" | "context">;

export function readListed({ file, lock, own }: Files, { readSettings }: Pick<Host, "readSettings">): Listed {
  // A stranger's project must not make us read a file of its choice, nor wait for a pipe.
  const read = (path: string) => {
    try {
      return readSettings(path, { links: path === file && liesIn(path, own) });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return fail({ code: "invalid-file", path, problem });
    }
  };
  const settings = read(file) ?? "";
  const { faults: [fault] } = readSettingsText(settings, file);
  if (fault !== undefined) return fail(fault);
  const text = read(lock);
  const pins = text === undefined ? new Map() : parsePins(text);
  if (pins !== undefined) return { sources: sourcesIn(settings, file), pins };
  const problem = "not a lock file. Delete it, then run bmad-mcp update";
  return fail({ code: "invalid-file", path: lock, problem });
}

/** Changes the files, and trusts the project if that goes with it. Returns whether that was new. */
export async function changeListed(
  files: Files,
  { added, replaced = [], removed, pins }: Changes,
): Promise<boolean> {
  const { file, lock, own, trust, context } = files;
  reportRefusal(own, () => Deno.mkdirSync(own, { recursive: true, mode: 0o700 }));
  return await withLock(`${own}/.sources.lock`, undefined, async () => {
    const change = (path: string, edit: (text: string) => string | undefined) => {
      try {
        // A process that was killed may have left it.
        Deno.removeSync(draftOf(path));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) {
          const hint = `${draftOf(path)} is in the way. Delete it`;
          fail({ code: "not-allowed", what: `change ${path}`, hint });
        }
      }
      changeText(path, edit, { draft: draftOf(path), isPrivate: trust === undefined && path === file });
    };
    let sources: readonly string[] = [];
    const setPins = () =>
      change(lock, (text) => {
        const known = [...parsePins(text) ?? [], ...pins ?? []];
        const kept = known.filter(([source]) => sources.includes(source) || pins?.has(source));
        const next = kept.length === 0 && text === "" ? "" : renderPins(new Map(kept));
        return next === text ? undefined : next;
      });
    if (removed === undefined) {
      change(file, (text) => void (sources = sourcesIn(text, file)));
      setPins();
      if (added !== undefined) {
        change(file, (text) => withExchanged(text, "sources", added, replaced, file));
      }
      sources = sources.filter((one) => !replaced.includes(one));
      if (replaced.length > 0) setPins();
    } else {
      change(file, (text) => {
        sources = sourcesIn(text, file).filter((one) => one !== removed);
        return withoutElement(text, "sources", removed, file);
      });
      setPins();
    }
    return await Promise.resolve(trust !== undefined && changeOwnFile(trust, context));
  });
}

export function findListed(name: string, { sources, pins }: Listed, { context }: Files, cwd: string): string {
  const pasted = remoteSources(name);
  const path = resolvePath(name, { ...context, base: cwd });
  const meant = [name, path, ...(pasted instanceof Invalid ? [] : pasted)];
  const exact = sources.filter((one) => meant.includes(one) || meant.includes(sourceOf(one, context)));
  const isCalled = (one: string) => namesOf(one).some((other) => meant.includes(other));
  const found = exact.length > 0 ? exact : sources.filter(isCalled);
  const [first, ...others] = found;
  if (first === undefined) {
    const known = sources.map((one) => ({ label: one, spellings: [one, ...namesOf(one)] }));
    return fail({ code: "not-found", what: "source", name, suggestions: suggest(name, known) });
  }
  if (others.length === 0) return first;
  const candidates = found.map((one) => ({ name: one, description: shownPin(pins.get(one)) }));
  return fail({ code: "ambiguous", what: "source", name, candidates });
}

/** The sources that are another version of this one: of the same package, or the same folder of a repository. */
export function otherVersions(text: string, { sources }: Listed): readonly string[] {
  const own = unversioned(text);
  return own === undefined ? [] : sources.filter((one) => one !== text && unversioned(one) === own);
}

function unversioned(text: string): string | undefined {
  const source = pinnedLocation(text);
  if (source?.kind === "npm") return `npm:${source.location.name}:/${source.location.subpath ?? ""}`;
  if (source?.kind !== "git") return undefined;
  const { url, subpath = "" } = source.repository;
  return `git+${url.replace(/\.git$/, "")}:/${subpath}`;
}

export function shownPin({ commit, version, integrity }: Pin = {}): string {
  if (commit !== undefined) return `commit ${commit.slice(0, 10)}`;
  if (version !== undefined) return `version ${version}`;
  return integrity === undefined ? "not pinned" : `${integrity.slice(0, 17)}…`;
}

/** What a source is called for short: the repository, the folder in it, the package, the folder; without a version. */
function namesOf(text: string): readonly string[] {
  const source = pinnedLocation(text);
  const lastOf = (path: string) => path.split("/").at(-1)!;
  if (source?.kind === "npm") return [source.location.name, `npm:${source.location.name}`];
  if (source?.kind !== "git") return [lastOf(text), lastOf(text).replace(/\.(?:tgz|tar\.gz)$/, "")];
  const { path, subpath, url } = source.repository;
  const folder = subpath === undefined ? [] : [lastOf(subpath)];
  return [lastOf(path).replace(/\.git$/, ""), `git+${url}`, ...folder];
}
