/**
 * What the files of a project say, note by note, for the search in its memory: decisions, chapters of the shared context,
 * learnings, failures and stories, each with the file that it comes from.
 */
import type { MemoryType } from "../../base/model.ts";
import { bodyOf, sectionsOf } from "../../base/markdown.ts";
import { joinPath } from "../../content/tree/mod.ts";
import { chaptersOf } from "./chapters.ts";
import { readDecisions } from "./decisions.ts";
import { allLearnings } from "./learnings.ts";
import { parseMuseum } from "./museum.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";

/** Something that a file says. */
export interface FileNote {
  readonly type: MemoryType;
  /** Who says it, if the file tells. */
  readonly agent?: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly date?: string;
  /** The file, inside the project. */
  readonly source: string;
}

/** More notes than any team writes down. */
const MAX_NOTES = 5_000;
/** Of one note, and of the files of all stories, in characters: more of it is not searched. */
const MAX_TEXT = 2_000;
const MAX_STORY_TEXT = 4 << 20;

export function readNotes(project: ProjectFolder): readonly FileNote[] {
  const notes = [
    ...fromFile(
      project,
      "decisions-log.md",
      (text) =>
        readDecisions(text).decisions.map(({ date, title, text }) => ({
          type: "decisions",
          text: joined([title, text]),
          date,
        })),
    ),
    ...fromFile(project, "shared-context.md", (text) =>
      chaptersOf(text).map((chapter) => ({
        type: "shared-context",
        text: joined([chapter.heading, chapter.text]),
      }))),
    ...allLearnings(project).map(({ agent, path, text, chapter = "", date, tags }) => ({
      type: "agent-learnings" as const,
      agent,
      text: joined([chapter, text]),
      tags,
      date,
      source: path,
    })),
    ...fromFile(
      project,
      "failure-museum.md",
      (text) =>
        parseMuseum(text).entries.map(({ agent, category, title, facts, date }) => ({
          type: "failures",
          agent,
          text: joined([title, ...Object.values(facts)]),
          tags: [category],
          date,
        })),
    ),
    ...storyNotes(project),
  ];
  return notes.slice(0, MAX_NOTES).map(({ agent, date, ...note }) => ({
    ...note,
    text: note.text.slice(0, MAX_TEXT).toWellFormed(),
    ...(agent === undefined ? {} : { agent }),
    ...(date === undefined ? {} : { date }),
  }));
}

type Draft = Omit<FileNote, "source" | "tags" | "agent" | "date"> & {
  readonly tags?: readonly string[];
  readonly agent?: string | undefined;
  readonly date?: string | undefined;
};

function fromFile(project: ProjectFolder, name: string, read: (text: string) => readonly Draft[]) {
  const file = findFile(project, memoryPaths(project, name));
  if (file === undefined) return [];
  return read(project.clean.text(file.text)).map((note) => ({ tags: [], ...note, source: file.path }));
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** Where stories lie, below the output folders and the project itself. */
const STORY_FOLDERS = [
  "implementation-artifacts",
  "stories",
  "sprint-artifacts",
  "planning-artifacts/stories",
  "",
];
const DOCUMENTS = ["docs/stories", "docs/sprint-artifacts"];
/** `1-2-login.md`, `1.2.login.story.md`, `story-1.2.md` */
const STORY = /^(?:story[-_.])?\d+[-_.]\d+.*\.md$/i;
const MAX_STORIES = 300;

/** The sections of each story file: a story is found by what it is about, not by its length. */
function storyNotes(project: ProjectFolder) {
  const folders = [
    ...project.outputs.flatMap((output) => STORY_FOLDERS.map((one) => joinPath(output, one))),
    ...DOCUMENTS,
  ];
  const paths = folders.flatMap((folder) =>
    project.tree.list(folder).filter(({ name, isDirectory }) => !isDirectory && STORY.test(name))
      .map(({ name }) => joinPath(folder, name))
  );
  let left = MAX_STORY_TEXT;
  return [...new Set(paths)].slice(0, MAX_STORIES).flatMap((path) => {
    const file = left < 0 ? undefined : findFile(project, [path]);
    left -= file?.text.length ?? 0;
    if (file === undefined || file.problem !== undefined || left < 0) return [];
    const sections = sectionsOf(project.clean.text(file.text));
    const title = sections.find(({ level }) => level === 1)?.heading ?? "";
    return sections.map(({ heading, lines }) => ({ heading, body: bodyOf(lines) }))
      .filter(({ body }) => body !== "").map(({ heading, body }) => ({
        type: "stories" as const,
        agent: undefined,
        date: undefined,
        text: joined([title, heading === title ? "" : heading, body]),
        tags: [],
        source: path,
      }));
  });
}
