/**
 * The plan of epics: `epics.md`, its parts in a folder, or the epics of a v4 PRD.
 *
 * A heading `Epic 1: Accounts` begins an epic, a heading `Story 1.2: Login` a story of epic 1. An epic may come twice,
 * in a list of epics and with its stories; both count.
 */
import { type Line, linesOf } from "../../../base/markdown.ts";
import { shorten } from "../../../base/text.ts";
import type { Steps } from "../../../base/work.ts";
import { normalizeText } from "../../../content/parse.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { type Part, readPart, union } from "./document.ts";
import type { Source } from "./source.ts";

/** What a plan says about an epic or a story. */
export interface Planned extends Part {
  /** `1`, `1-2`, `1-2a`. */
  readonly ref: string;
  readonly title: string;
  readonly path: string;
  readonly line: number;
}

/** The epics and stories of all plans by reference, in their order. */
export interface Plans {
  readonly epics: ReadonlyMap<string, Planned>;
  readonly stories: ReadonlyMap<string, Planned>;
}

const EPIC = /^#{1,3}\s+\**epic\s+(\d{1,4})\b\s*(.*)$/is;
const STORY = /^#{2,4}\s+\**story\s+(\d{1,4})[.-](\d{1,4})([a-z]?)\b\s*(.*)$/is;
const OTHER = /^(#{1,4})\s/;

/** More epics and stories than any project plans. */
const MAX_PARTS = 20_000;

/** Reads plans. */
export function* readPlans(source: Source, paths: readonly string[]): Steps<Plans> {
  const epics = new Map<string, Planned>();
  const stories = new Map<string, Planned>();
  let left = MAX_PARTS;
  for (const path of paths) {
    const text = left > 0 ? source.text(path) : undefined;
    if (text === undefined) continue;
    const parts = yield* partsOf(path, text);
    if (parts.length > left) {
      source.report(path, `limit reached: only the first ${MAX_PARTS} epics and stories are read`);
    }
    const own = parts.slice(0, left);
    left -= own.length;
    for (const one of own) {
      const all = one.ref.includes("-") ? stories : epics;
      const before = all.get(one.ref);
      if (before === undefined) all.set(one.ref, one);
      else if (all === epics) all.set(one.ref, { ...before, covers: union(before.covers, one.covers) });
      else if (before.title !== one.title) {
        source.report(
          path,
          `story ${one.ref} is planned twice, first in ${before.path}:${before.line}`,
          one.line,
        );
      }
    }
  }
  return { epics, stories };
}

function* partsOf(path: string, text: string): Steps<readonly Planned[]> {
  const parts: Planned[] = [];
  let open: { ref: string; title: string; line: number; level: number; lines: Line[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { ref, title, line, lines } = open;
    parts.push({ ...readPart(lines), ref, title, path, line });
    open = undefined;
  };
  for (const line of linesOf(normalizeText(text))) {
    const signs = line.isCode || !line.text.startsWith("#") ? undefined : OTHER.exec(line.text)?.[1];
    if (signs === undefined) {
      open?.lines.push(line);
      continue;
    }
    if (parts.length % 100 === 0) yield;
    const [, epic, epicTitle] = EPIC.exec(line.text) ?? [];
    const [, of, number, letter, storyTitle] = STORY.exec(line.text) ?? [];
    const ref = of === undefined
      ? epic && `${Number(epic)}`
      : `${Number(of)}-${Number(number)}${letter!.toLowerCase()}`;
    if (ref === undefined && open !== undefined && signs.length > open.level) open.lines.push(line);
    else close();
    if (ref !== undefined) {
      const title = titleOf((of === undefined ? epicTitle : storyTitle)!);
      open = { ref, title, line: line.number, level: signs.length, lines: [line] };
    }
  }
  close();
  return parts;
}

function titleOf(text: string): string {
  return shorten(text.replace(/^[\s:.–—*-]+/, "").replace(/(?<!\*)\*+$/, ""));
}

/** Documents with epics in a folder, or in a folder of it that is named after them. */
export function findPlans(source: Source, folder: string): readonly string[] {
  const isPlan = (name: string) => /epic|stories/i.test(name) && /\.md$/i.test(name) && !/retro/i.test(name);
  const own = source.filesIn(folder).filter(isPlan).map((name) => joinPath(folder, name));
  const parts = source.foldersIn(folder).filter((name) => /epic/i.test(name)).flatMap((name) => {
    const path = joinPath(folder, name);
    return source.filesIn(path).filter((name) => /\.md$/i.test(name) && !/retro/i.test(name))
      .map((name) => joinPath(path, name));
  });
  return [...own, ...parts];
}
