/**
 * Notes in the Markdown lists of the project-memory kit: `- [2026-02-27] text`.
 *
 * In an export of several agents, each has a heading and its lines end with tags. Agents' learnings and imported
 * memories are both read this way. The order stays that of the file.
 */
import { pointsIn, type Section, sectionsOf } from "./markdown.ts";

/** One line of a list. */
export interface Note {
  /** As written: `2026-02-27`; missing when the line has none. */
  readonly date?: string;
  /** Without its date and its tags. */
  readonly text: string;
  readonly tags: readonly string[];
  /** The heading above it, in an export of several agents. */
  readonly agent?: string;
}

/** Every note in a file, whoever wrote it. */
export function parseNotes(text: string): readonly Note[] {
  const notes: Note[] = [];
  let agent: string | undefined;
  for (const section of sectionsOf(text)) {
    // One agent's heading makes the file an export: from there on, every heading of that level names an agent.
    if (section.level === 2 && (agent !== undefined || isAgentHeading(section))) agent = section.heading;
    const by = agent === undefined ? {} : { agent };
    notes.push(...pointsIn(section.lines).map((point) => ({ ...noteOf(point, agent !== undefined), ...by })));
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
