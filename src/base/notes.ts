/**
 * Notes in the Markdown lists of the project-memory kit: `- [2026-02-27] text`.
 *
 * In an export of several agents, each has a heading and its lines end with tags. Agents' learnings and imported
 * memories are both read this way. The order stays that of the file.
 */
import { blocksIn, pointsIn, type Section, sectionsOf } from "./markdown.ts";

/** One note, usually a line of a list. */
export interface Note {
  /** As written: `2026-02-27`; missing when the line has none. */
  readonly date?: string;
  /** Without its date and its tags. */
  readonly text: string;
  readonly tags: readonly string[];
  /** The heading above it, in an export of several agents. */
  readonly agent?: string;
  /** Any other heading above it. */
  readonly chapter?: string;
}

/** Every note in the lists of a file, of all authors. */
export function parseNotes(text: string): readonly Note[] {
  return notesOf(text, ({ lines }) => pointsIn(lines));
}

/**
 * Everything that a file says, in lists or not. A heading with nothing below it is a note, too; of the title of the
 * file, the caller knows whether it says anything.
 */
export function parseAllNotes(text: string, isTitleTold: (title: string) => boolean): readonly Note[] {
  return notesOf(text, ({ lines }) => blocksIn(lines), isTitleTold);
}

function notesOf(
  text: string,
  textsOf: (section: Section) => readonly string[],
  isTitleTold?: (title: string) => boolean,
): readonly Note[] {
  const hasChapters = isTitleTold !== undefined;
  const notes: Note[] = [];
  let agent: string | undefined;
  const groups: { readonly level: number; readonly heading: string }[] = [];
  const sections = sectionsOf(text);
  // The first heading of the first level is the title of the file.
  const title = sections.findIndex(({ level }) => level === 1);
  for (const [at, section] of sections.entries()) {
    // One agent's heading makes the file an export: from there on, every heading of that level names an agent.
    const isAgent = section.level === 2 && (agent !== undefined || isAgentHeading(section));
    if (isAgent) agent = section.heading;
    const by = agent === undefined ? {} : { agent };
    const isChapter = hasChapters && !isAgent && section.level > 0 &&
      (at !== title || isTitleTold(section.heading));
    const { text: own, date } = noteOf(isChapter ? section.heading : "", false);
    const texts = textsOf(section);
    while (groups.length > 0 && groups.at(-1)!.level >= section.level) groups.pop();
    const path = groups.map(({ heading }) => heading);
    const above = (headings: readonly string[]) =>
      headings.length === 0 ? {} : { chapter: headings.join(", ") };
    const dated = date === undefined ? {} : { date };
    const chapter = { ...dated, ...(isChapter ? above([...path, own]) : {}) };
    notes.push(...texts.map((point) => ({ ...chapter, ...noteOf(point, agent !== undefined), ...by })));
    const isNote = isChapter || hasChapters && isAgent && !isAgentHeading(section);
    if (!isNote || texts.length > 0) continue;
    // A heading with nothing below it is a note together with the headings that it contains, or by itself.
    if (at !== title && (sections[at + 1]?.level ?? 0) > section.level) {
      groups.push({ level: section.level, heading: isChapter ? own : section.heading });
    } else notes.push({ ...above(path), ...noteOf(section.heading, false), ...(isChapter ? by : {}) });
  }
  return notes;
}

/** One word is the name of an agent; more are the title of a chapter. */
function isAgentHeading({ heading }: Section): boolean {
  return /^@?[\p{L}\p{N}._-]+$/u.test(heading);
}

const TAGS = /(?:\s+`[^`\s]+`)+$/;
/** In characters. A bound, so that the pattern is never run over a long text. */
const MAX_TAGS = 500;

function noteOf(point: string, hasTags: boolean): Note {
  const [, date, rest = point] = /^\[(\d{4}-\d{2}-\d{2})\]\s*([\s\S]*)$/.exec(point) ?? [];
  const tags = hasTags ? TAGS.exec(rest.slice(-MAX_TAGS))?.[0] ?? "" : "";
  return {
    ...(date === undefined ? {} : { date }),
    text: rest.slice(0, rest.length - tags.length),
    tags: tags.match(/[^`\s]+/g) ?? [],
  };
}
