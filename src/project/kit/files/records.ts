import { recover } from "../../../base/absence.ts";
import { asText } from "../../../content/parse.ts";
import { compareTexts, splitLines } from "../../../base/text.ts";
import { BmadError } from "../../../base/errors.ts";
import type { Memory, MemoryType } from "../../../base/model.ts";
import { type Clock, pause, type Work } from "../../../base/work.ts";
import { LIMITS } from "../../limits.ts";
import type { Cleaner } from "./project_folder.ts";

export function newestFirst(a: { readonly date?: string }, b: { readonly date?: string }): number {
  return compareTexts(b.date ?? "", a.date ?? "");
}

/** A day at the beginning of a text, in brackets, stars or alone, or in round brackets at its end. */
const DAY = String.raw`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})`;
const FIRST = new RegExp(String.raw`^[\s[(*_\x60]*(?:${DAY})(?!\d)[\])*_\x60]*[\s:,|—–-]*`);
const LAST = new RegExp(String.raw`\s*[([](?:${DAY})[)\]]\s*$`);

export function takeDate(text: string): { readonly date?: string; readonly rest: string } {
  const [head, tail] = [text.slice(0, 60), text.slice(-30)];
  const first = FIRST.exec(head);
  const found = first ?? LAST.exec(tail);
  if (found === null) return { rest: text };
  const [whole, year, month, day, otherDay, otherMonth, otherYear] = found;
  const parts = [year ?? otherYear!, month ?? otherMonth!, day ?? otherDay!];
  const date = parts.map((part) => part.padStart(2, "0")).join("-");
  const rest = first === null ? text.slice(0, -whole.length) : text.slice(whole.length);
  return Number(parts[1]) > 12 || Number(parts[2]) > 31 ? { rest: text } : { date, rest: rest.trim() };
}

export function timeOf(value: unknown): number | undefined {
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The time in the name of a run: `dev-story-20260227-143022`. */
export function timeInName(runId: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/.exec(runId) ?? [];
  return timeOf(year && `${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

export type Remembered = Omit<Memory, "id" | "project">;

interface RememberedFilter {
  readonly type?: MemoryType;
  readonly agent?: string;
  readonly aliases?: readonly string[];
}

export type FindRemembered = (filter: RememberedFilter) => Promise<readonly Remembered[]>;

export interface RememberedPart {
  readonly memories: readonly Remembered[];
  readonly problem?: string;
}

export type ReadRemembered = ReturnType<typeof openRemembered>;

export function openRemembered(
  find: FindRemembered,
  { clean, after, signal }: Pick<Clock, "after"> & Pick<Work, "signal"> & { readonly clean: Cleaner },
) {
  const unread = (why: string) => ({ memories: [], problem: `Memories cannot be shown: ${why}` });
  return async (filter: RememberedFilter): Promise<RememberedPart> => {
    const done = new AbortController();
    const end = AbortSignal.any([done.signal, ...signal === undefined ? [] : [signal]]);
    const read = async () => {
      const found = await Promise.race([find(filter), pause(LIMITS.kit.rememberedMs, end, { after })]);
      signal?.throwIfAborted();
      return found === undefined
        ? unread("they take too long to read")
        : { memories: found.map((memory) => ({ ...memory, text: clean.text(memory.text) })) };
    };
    return await recover(BmadError, read, ({ message }) => unread(message)).finally(() => done.abort());
  };
}

export function dayOf(createdAt: string): { readonly date?: string } {
  const [date] = /^\d{4}-\d{2}-\d{2}/.exec(createdAt) ?? [];
  return { ...(date && { date }) };
}

export function titleOf(text: string): { readonly title: string; readonly rest: string } {
  const [title = "", ...others] = splitLines(text);
  return { title, rest: others.join("\n").trim() };
}
