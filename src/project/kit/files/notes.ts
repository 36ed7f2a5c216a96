/**
 * What the files of a project say, note by note, for the search in its memory: decisions, chapters of the shared context,
 * learnings, failures and stories, each with the file that it comes from.
 */
import type { MemoryType } from "../../../base/model.ts";
import { blocksIn, bodyOf, linesOf, sectionsOf } from "../../../base/markdown.ts";
import { joinPath } from "../../../content/tree/mod.ts";
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
/** In characters. A longer text is searched piece by piece: a question is about one of them, and so is its meaning. */
const PIECE = 600;

export function readNotes(project: ProjectFolder): readonly FileNote[] {
  const notes = [
    ...fromFile(project, "decisions-log.md", (text) => {
      const { decisions, notes } = readDecisions(text);
      return [
        ...decisions.flatMap(({ date, title, text }) =>
          piecesOf(title, text).map((text) => ({ type: "decisions" as const, text, date }))
        ),
        ...piecesOf("", notes).map((text) => ({ type: "decisions" as const, text })),
      ];
    }),
    ...fromFile(
      project,
      "shared-context.md",
      (text) =>
        chaptersOf(text).flatMap(({ heading, sections: [first, ...below] }) =>
          [
            ...piecesOf(heading, bodyOf(first!.lines), below.length === 0),
            ...below.flatMap((one) => piecesOf(joined([heading, one.heading]), bodyOf(one.lines))),
          ].map((text) => ({ type: "shared-context", text }))
        ),
    ),
    ...allLearnings(project).map(({ agent, path, text, chapter = "", date, tags }) => ({
      type: "agent-learnings" as const,
      agent,
      text: joined([chapter, text]),
      tags,
      date,
      source: path,
    })),
    ...fromFile(project, "failure-museum.md", (text) => {
      const { entries, notes } = parseMuseum(text);
      return [
        ...entries.flatMap(({ agent, category, title, facts, date }) =>
          piecesOf(title, factsIn(facts)).map((text) => ({
            type: "failures" as const,
            agent,
            text,
            tags: [category],
            date,
          }))
        ),
        ...piecesOf("", notes).map((text) => ({ type: "failures" as const, text })),
      ];
    }),
    ...storyNotes(project),
  ];
  return notes.slice(0, MAX_NOTES).map(({ agent, date, ...note }) => ({
    ...note,
    text: note.text.slice(0, MAX_TEXT).toWellFormed(),
    ...(agent === undefined ? {} : { agent }),
    ...(date === undefined ? {} : { date }),
  }));
}

/** The facts of a failure; a label that is not one of the kit's may say something. */
function factsIn(facts: Readonly<Record<string, string>>): string {
  return Object.entries(facts).map(([label, value]) =>
    /^[a-z]+$/.test(label) ? value : joined([label, value])
  )
    .filter((fact) => fact !== "").join("\n\n");
}

/** A text below its heading, in pieces that end with a paragraph or a point; a heading alone if that is wanted. */
function piecesOf(heading: string, text: string, isAloneTold = true): readonly string[] {
  if (text === "") return heading === "" || !isAloneTold ? [] : [heading];
  if (text.length <= PIECE) return [joined([heading, text])];
  const pieces: string[] = [];
  let open = "";
  const blocks = blocksIn(linesOf(text)).flatMap((block) => block.match(/[^]{1,1500}/g) ?? []);
  for (const block of blocks) {
    if (open !== "" && open.length + block.length > PIECE) {
      pieces.push(open);
      open = "";
    }
    open = joined([open, block]);
  }
  return [...pieces, open].filter((piece) => piece !== "").map((piece) => joined([heading, piece]));
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
const STORY = /^(?:story[-_.])?\d+[-_.]\d.*\.md$/i;
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
      .filter(({ body }) => body !== "").flatMap(({ heading, body }) =>
        piecesOf(joined([title, heading === title ? "" : heading]), body)
      ).map((text) => ({
        type: "stories" as const,
        agent: undefined,
        date: undefined,
        text,
        tags: [],
        source: path,
      }));
  });
}
