/**
 * A pin is written before the source that needs it, and removed after it, so that a killed process leaves what was
 * served before. In the settings file, every byte but those of the list stays.
 */
import { unlessMissing } from "../../base/absence.ts";
import { fail, failMissing, forbid, reportRefusal } from "../../base/errors.ts";
import { withLock } from "../../process/lock.ts";
import { resolvePath } from "../../base/paths.ts";
import { Invalid } from "../../base/invalid.ts";
import { suggest } from "../../base/suggestions.ts";
import { splitKeepingEnds } from "../../base/text.ts";
import {
  parsePins,
  parseSettingsFile,
  type Pin,
  pinnedLocation,
  type PinnedSource,
  renderPins,
  sourceOf,
} from "../../settings/mod.ts";
import { changeOwnFile, changeText } from "../clients/mod.ts";
import { draftOf, type Listed, remoteSources, sourcesIn, type SourcesPlan } from "./plan.ts";

interface Changes {
  readonly added?: string;
  readonly replaced?: readonly string[];
  readonly removed?: string;
  readonly pins?: ReadonlyMap<string, PinnedSource>;
}

type Files = Pick<SourcesPlan, "file" | "lock" | "own" | "trust" | "context">;

export async function changeListed(
  files: Files,
  { added, replaced = [], removed, pins }: Changes,
): Promise<boolean> {
  const { file, lock, own, trust, context } = files;
  reportRefusal(own, () => Deno.mkdirSync(own, { recursive: true, mode: 0o700 }));
  return await withLock(`${own}/.sources.lock`, undefined, async () => {
    const change = (path: string, edit: (text: string) => string | undefined) => {
      const draft = draftOf(path);
      try {
        // A process that was killed may have left it.
        unlessMissing(() => Deno.removeSync(draft));
      } catch {
        forbid(`change ${path}`, `${draft} is in the way. Delete it`);
      }
      changeText(path, edit, { draft, isPrivate: trust === undefined && path === file });
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
        change(file, (text) => withExchanged(text, added, replaced, file));
      }
      sources = sources.filter((one) => !replaced.includes(one));
      if (replaced.length > 0) setPins();
    } else {
      change(file, (text) => {
        sources = sourcesIn(text, file).filter((one) => one !== removed);
        return withoutElement(text, removed, file);
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
  const called = sources.filter((one) => namesOf(one).some((other) => meant.includes(other)));
  const found = exact.length > 0 ? exact : called;
  const [first, ...others] = found;
  if (first === undefined) {
    const known = sources.map((one) => ({ label: one, spellings: [one, ...namesOf(one)] }));
    return failMissing("source", name, { suggestions: suggest(name, known) });
  }
  if (others.length === 0) return first;
  const candidates = found.map((one) => ({ name: one, description: shownPin(pins.get(one)) }));
  return fail({ code: "ambiguous", what: "source", name, candidates });
}

/** Of the same package, or the same folder of a repository. */
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

function namesOf(text: string): readonly string[] {
  const source = pinnedLocation(text);
  const lastOf = (path: string) => path.split("/").at(-1)!;
  if (source?.kind === "npm") return [source.location.name, `npm:${source.location.name}`];
  if (source?.kind !== "git") return [lastOf(text), lastOf(text).replace(/\.(?:tgz|tar\.gz)$/, "")];
  const { path, subpath, url } = source.repository;
  const folder = subpath === undefined ? [] : [lastOf(subpath)];
  return [lastOf(path).replace(/\.git$/, ""), `git+${url}`, ...folder];
}

export function withElement(text: string, value: string, path: string): string | undefined {
  const quoted = JSON.stringify(value);
  const list = findList(text, path);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  if (list === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : newline;
    return `${text}${gap}sources = [${newline}  ${quoted},${newline}]${newline}`;
  }
  const { isList, elements, open } = list;
  if (elements.some((one) => one.value === value)) return undefined;
  const last = elements.at(-1);
  if (last === undefined) return replace(text, open, open, quoted);
  // A single text is a list of one.
  if (!isList) {
    return replace(text, last.start, last.end, `[${text.slice(last.start, last.end)}, ${quoted}]`);
  }
  const lineStart = text.lastIndexOf("\n", last.start - 1) + 1;
  const before = text.slice(lineStart, last.start);
  const isOnOwnLine = before.trim() === "";
  const added = isOnOwnLine ? `${newline}${before}${quoted},` : ` ${quoted}`;
  if (last.comma === last.end) return replace(text, last.end, last.end, `,${added.replace(/,$/, "")}`);
  // A comment behind the last element stays behind it.
  const lineEnd = text.indexOf("\n", last.comma);
  const at = isOnOwnLine && lineEnd > 0 ? lineEnd - (text[lineEnd - 1] === "\r" ? 1 : 0) : last.comma;
  return replace(text, at, at, added);
}

function withExchanged(text: string, value: string, others: readonly string[], path: string) {
  const { elements = [] } = findList(text, path) ?? {};
  const first = elements.some((one) => one.value === value)
    ? undefined
    : elements.find((one) => others.includes(one.value));
  const exchanged = first === undefined ? text : replace(text, first.start, first.end, JSON.stringify(value));
  const rest = others.reduce((left, other) => withoutElement(left, other, path) ?? left, exchanged);
  const next = withElement(rest, value, path) ?? rest;
  return next === text ? undefined : next;
}

export function withoutElement(text: string, value: string, path: string): string | undefined {
  const { isList, elements = [] } = findList(text, path) ?? {};
  const at = elements.findIndex((one) => one.value === value);
  if (at < 0) return undefined;
  const { start, end, comma } = elements[at]!;
  if (!isList) return replace(text, start, end, "[]");
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", comma) + 1 || text.length;
  const rest = text.slice(lineStart, start) + text.slice(comma, lineEnd);
  // An element on a line of its own goes with its line, and with what is said about it there.
  if (/^[ \t]*(?:#[^\n]*)?\r?\n?$/.test(rest)) return replace(text, lineStart, lineEnd, "");
  if (comma > end || at === 0) return text.slice(0, start) + text.slice(comma).replace(/^[ \t]+/, "");
  return replace(text, elements[at - 1]!.end, end, "");
}

function findList(text: string, path: string) {
  const row = parseSettingsFile(text, path).find(({ key }) => key === "sources");
  if (row === undefined) return undefined;
  const lines = splitKeepingEnds(text);
  const begin = text.indexOf("=", lines.slice(0, row.line - 1).join("").length) + 1;
  const source = lines.slice(0, row.end).join("");
  const tokens = [...source.slice(begin).matchAll(/"(?:[^"\\]|\\[^])*"?|'[^']*'?|#[^\n]*|[[\],]/g)]
    .map((match) => ({ text: match[0], start: begin + match.index }))
    .filter(({ text }) => !text.startsWith("#"));
  const elements = tokens.flatMap(({ text, start }, at) => {
    if (!/^["']/.test(text)) return [];
    const end = start + text.length;
    const next = tokens[at + 1];
    const value = text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text) as string;
    return [{ value, start, end, comma: next?.text === "," ? next.start + 1 : end }];
  });
  return { isList: tokens[0]?.text === "[", open: (tokens[0]?.start ?? begin) + 1, elements };
}

function replace(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
