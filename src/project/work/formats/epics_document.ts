/** The plan of epics. One may come twice: in a list of epics, and with its stories. */
import { cacheTexts } from "../../../base/cache.ts";
import { isPlain, type Line, linesOf } from "../../../base/markdown.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import type { Interruptible } from "../../../base/work.ts";
import { normalizeText } from "../../../content/parse.ts";
import { baseName, joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type Body, readPart } from "./document.ts";
import { placeOf } from "./model.ts";
import { pathsIn, type Source } from "./source.ts";
import { storyRef } from "./sprint_keys.ts";
import { union } from "./story_facts.ts";

export interface Planned extends Body {
  readonly ref: string;
  readonly title: string;
  readonly path: string;
  readonly line: number;
}

export interface Plans {
  readonly epics: ReadonlyMap<string, Planned>;
  readonly stories: ReadonlyMap<string, Planned>;
}

interface PlanHeading {
  readonly epic: number;
  /** As written: `2`, `02a`; undefined for an epic. */
  readonly story: string | undefined;
  readonly ref: string;
  readonly title: string;
  /** BMAD's own script reads no stars, and wants a dot in a story's number. */
  readonly isStrict: boolean;
}

const TITLE = /^(\W{0,4})(?:epic\s+(\d{1,15})(?!\d)|story\s+(\d{1,15})([.-])(\d{1,15}(?!\d)([a-z]?)))(.*)$/is;
const SIGNS = /^#{1,4}(?!#)/;
const OTHER = /^#+\s/;

export function readPlanTitle(heading: string): PlanHeading | undefined {
  const [, lead, epic, of, dot, story, letter, rest] = TITLE.exec(heading) ?? [];
  if (rest === undefined) return undefined;
  return {
    epic: Number(epic ?? of),
    story,
    ref: epic === undefined ? storyRef(of!, `${parseInt(story!)}`, letter) : `${Number(epic)}`,
    title: rest.trimStart().replace(/^:/, "").trim().replace(/(?<!#)#+$/, "").trimEnd(),
    isStrict: lead === "" && dot !== "-",
  };
}

/** An epic has up to three number signs, a story two to four. */
function readPlanHeading(line: string): PlanHeading | undefined {
  const level = SIGNS.exec(line)?.[0].length;
  const found = level === undefined ? undefined : readPlanTitle(line.slice(level).trimStart());
  const isMeant = found?.story === undefined ? level! <= 3 : level! >= 2;
  return isMeant ? found : undefined;
}

const FENCE = /^\s{0,3}(?:```|~~~)/;

/** BMAD's own script lets every fence open or close code. */
export function* scriptLines(
  lines: readonly string[],
): Iterable<{ readonly text: string; readonly line: number; readonly heading: PlanHeading | undefined }> {
  let isCode = false;
  for (const [at, text] of lines.entries()) {
    const isFence = FENCE.test(text);
    if (isFence) isCode = !isCode;
    if (isCode || isFence || !text.startsWith("#")) continue;
    const heading = readPlanHeading(text);
    yield { text, line: at + 1, heading: heading?.isStrict ? heading : undefined };
  }
}

const kept = cacheTexts<ReturnType<typeof withDifferences>>(LIMITS.documents.cachedPlans);

/** Where sprints are made of plans, it matters what BMAD's own script reads. */
export function* readPlans(
  source: Source,
  paths: readonly string[],
  hasSprints = true,
): Interruptible<Plans> {
  const epics = new Map<string, Planned>();
  const stories = new Map<string, Planned>();
  let left = LIMITS.documents.planned;
  for (const path of paths) {
    const text = left > 0 ? source.text(path) : undefined;
    if (text === undefined) continue;
    const { parts, differences } = kept.find(path, text) ??
      kept.keep(path, text, withDifferences(text, yield* partsOf(path, text)));
    if (parts.length > left) {
      const { planned } = LIMITS.documents;
      source.report(path, `limit reached: only the first ${planned} epics and stories are read`);
    }
    const own = parts.slice(0, left);
    left -= own.length;
    if (hasSprints && own.length === parts.length) {
      for (const { problem, line } of differences) source.report(path, problem, line);
    }
    for (const one of own) {
      const all = one.ref.includes("-") ? stories : epics;
      const before = all.get(one.ref);
      if (before === undefined) all.set(one.ref, one);
      else if (all === epics) all.set(one.ref, { ...before, covers: union(before.covers, one.covers) });
      else if (before.title !== one.title) {
        const problem = `story ${one.ref} is planned twice, first in ${placeOf(before)}`;
        source.report(path, problem, one.line);
      }
    }
  }
  return { epics, stories };
}

/** It reads no bold headings and no numbers with a dash, but those in comments. */
function withDifferences(text: string, parts: readonly PlannedPart[]) {
  if (isPlain(text) && parts.every(({ isStrict }) => isStrict)) return { parts, differences: [] };
  const theirs = [...scriptLines(splitLines(normalizeText(text)))].flatMap(({ heading, line }) =>
    heading === undefined ? [] : [{ ref: heading.ref, line }]
  );
  const name = (ref: string) => ref.includes("-") ? `Story ${ref.replace("-", ".")}` : `Epic ${ref}`;
  const unread = missingIn(theirs, parts).map(({ ref, line }) => ({
    problem: `sprint_plan.py does not read this heading; begin it with "${name(ref)}:"`,
    line,
  }));
  const hidden = missingIn(parts, theirs).map(({ ref, line }) => ({
    problem: `sprint_plan.py reads ${name(ref)} here, although it is a comment or code`,
    line,
  }));
  return { parts, differences: [...unread, ...hidden] };
}

function missingIn(
  reading: readonly Pick<Planned, "ref">[],
  other: readonly Pick<Planned, "ref" | "line">[],
): readonly Pick<Planned, "ref" | "line">[] {
  const refs = new Set(reading.flatMap(({ ref }) => [ref, ref.split("-")[0]!]));
  return other.filter(({ ref }) => !refs.has(ref));
}

interface PlannedPart extends Planned, Pick<PlanHeading, "isStrict"> {}

function* partsOf(path: string, text: string): Interruptible<readonly PlannedPart[]> {
  const parts: PlannedPart[] = [];
  let open:
    | Pick<PlannedPart, "ref" | "title" | "line" | "isStrict"> & { level: number; lines: Line[] }
    | undefined;
  const close = () => {
    if (open === undefined) return;
    const { level: _, lines, ...part } = open;
    parts.push({ ...readPart(lines), ...part, path });
    open = undefined;
  };
  for (const line of linesOf(normalizeText(text))) {
    const level = line.isCode ? undefined : SIGNS.exec(line.text)?.[0].length;
    const heading = level === undefined ? undefined : readPlanHeading(line.text);
    if (heading === undefined && (level === undefined || !OTHER.test(line.text))) {
      open?.lines.push(line);
      continue;
    }
    if (parts.length % 100 === 0) yield;
    if (heading === undefined && open !== undefined && level! > open.level) open.lines.push(line);
    else close();
    if (heading !== undefined) {
      const { ref, isStrict } = heading;
      const title = shorten(heading.title.replace(/^[\s:.–—*-]+/, "").replace(/(?<!\*)\*+$/, ""));
      open = { ref, title, line: line.number, isStrict, level: level!, lines: [line] };
    }
  }
  close();
  return parts;
}

export function findPlans(source: Source, folder: string): readonly string[] {
  const plansIn = (path: string) =>
    source.filesIn(path).filter((name) => /\.md$/i.test(name) && !/retro/i.test(name))
      .map((name) => joinPath(path, name));
  const own = plansIn(folder).filter((path) => /epic|stories/i.test(baseName(path)));
  const parts = pathsIn(source, folder).filter((path) => /epic/i.test(baseName(path)));
  return [...own, ...parts.flatMap(plansIn)];
}
