/** Notes in the Markdown lists of the project-memory kit: `- [2026-02-27] text`. */
import { blocksIn, pointsIn, type Section, sectionsOf } from "./markdown.ts";

export interface Note {
  readonly date?: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly agent?: string;
  readonly chapter?: string;
}

export function parseNotes(text: string): readonly Note[] {
  return notesOf(text, ({ lines }) => pointsIn(lines));
}

/** Everything that a file says, in lists or not. The caller knows whether the file's title says anything. */
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
    const above = (headings: readonly string[]) => headings.length > 0 && { chapter: headings.join(", ") };
    const chapter = { ...date !== undefined && { date }, ...isChapter && above([...path, own]) };
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
