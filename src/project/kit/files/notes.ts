import type { FileNote, MemoryType } from "../../../base/model.ts";
import { blocksIn, bodyOf, linesOf, sectionsOf } from "../../../base/markdown.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { chaptersOf, readDecisions } from "./documents.ts";
import { allLearnings } from "./learnings.ts";
import { parseMuseum } from "./museum.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";

/** In characters. A longer text is searched in pieces: a question is about one of them. */
const PIECE = 600;

export function readNotes(project: ProjectFolder): readonly FileNote[] {
  const notes: readonly Draft[] = [
    ...fromFile(project, "decisions-log.md", "decisions", (text) => {
      const { decisions, notes } = readDecisions(text);
      return [
        ...decisions.flatMap(({ date, title, text }) => piecesOf(title, text, { date })),
        ...piecesOf("", notes),
      ];
    }),
    ...fromFile(
      project,
      "shared-context.md",
      "shared-context",
      (text) =>
        chaptersOf(text).flatMap(({ heading, sections: [first, ...below] }) => {
          const body = bodyOf(first!.lines);
          return [
            // A heading above others says nothing by itself.
            ...below.length > 0 && body === "" ? [] : piecesOf(heading, body),
            ...below.flatMap((one) => piecesOf(joined([heading, one.heading]), bodyOf(one.lines))),
          ];
        }),
    ),
    ...allLearnings(project).map(({ path, text, chapter = "", ...learning }) => ({
      type: "agent-learnings" as const,
      ...learning,
      text: joined([chapter, text]),
      source: path,
    })),
    ...fromFile(project, "failure-museum.md", "failures", (text) => {
      const { entries, notes } = parseMuseum(text);
      return [
        ...entries.flatMap(({ agent, category, title, facts, date }) =>
          piecesOf(title, factsIn(facts), { agent, tags: [category], date })
        ),
        ...piecesOf("", notes),
      ];
    }),
    ...storyNotes(project),
  ];
  return notes.slice(0, LIMITS.kit.notes).map(({ type, agent, text, tags = [], date, source }) => ({
    type,
    text: text.slice(0, LIMITS.kit.noteChars).toWellFormed(),
    tags,
    source,
    ...(agent !== undefined && { agent }),
    ...(date !== undefined && { date }),
  }));
}

/** The facts of a failure; a label that is not one of the kit's may say something. */
function factsIn(facts: Readonly<Record<string, string>>): string {
  const texts = Object.entries(facts).map(([label, value]) =>
    joined([/^[a-z]+$/.test(label) ? "" : label, value])
  );
  return texts.filter((fact) => fact !== "").join("\n\n");
}

type NoteText = Omit<Draft, "type" | "source">;

function piecesOf(heading: string, text: string, facts: Partial<NoteText> = {}): readonly NoteText[] {
  const pieces: string[] = [];
  let open = "";
  const blocks = text.length <= PIECE
    ? [text]
    : blocksIn(linesOf(text)).flatMap((block) => block.match(/[^]{1,1500}/g) ?? []);
  for (const block of blocks) {
    if (open !== "" && open.length + block.length > PIECE) {
      pieces.push(open);
      open = "";
    }
    open = joined([open, block]);
  }
  const hasRest = text === "" || open !== "";
  return [...pieces, ...hasRest ? [open] : []].map((piece) => ({ ...facts, text: joined([heading, piece]) }))
    .filter(({ text }) => text !== "");
}

type Draft = Pick<FileNote, "type" | "text" | "source"> & Partial<FileNote>;

function fromFile(
  project: ProjectFolder,
  name: string,
  type: MemoryType,
  read: (text: string) => readonly NoteText[],
): readonly Draft[] {
  const file = findFile(project, memoryPaths(project, name));
  const notes = file === undefined ? [] : read(project.clean.text(file.text));
  return notes.map((note) => ({ type, ...note, source: file!.path }));
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

const STORY_FOLDERS = [
  "implementation-artifacts",
  "stories",
  "sprint-artifacts",
  "planning-artifacts/stories",
  "",
];
const DOCUMENTS = ["docs/stories", "docs/sprint-artifacts"];
const STORY = /^(?:story[-_.])?\d+[-_.]\d.*\.md$/i;

/** A story is found by what one of its sections is about, not by its length. */
function storyNotes(project: ProjectFolder): readonly Draft[] {
  const folders = project.outputs.flatMap((output) => STORY_FOLDERS.map((one) => joinPath(output, one)));
  const paths = [...folders, ...DOCUMENTS].flatMap((folder) =>
    project.tree.list(folder).filter(({ name, isDirectory }) => !isDirectory && STORY.test(name))
      .map(({ name }) => joinPath(folder, name))
  );
  let left = LIMITS.kit.storyChars;
  return [...new Set(paths)].slice(0, LIMITS.kit.stories).flatMap((path) => {
    const file = left < 0 ? undefined : findFile(project, [path]);
    left -= file?.text.length ?? 0;
    if (file === undefined || file.problem !== undefined || left < 0) return [];
    const sections = sectionsOf(project.clean.text(file.text));
    const title = sections.find(({ level }) => level === 1)?.heading ?? "";
    return sections.flatMap(({ heading, lines }) => {
      const body = bodyOf(lines);
      return body === "" ? [] : piecesOf(joined([title, heading === title ? "" : heading]), body);
    }).map(({ text }) => ({ type: "stories" as const, text, source: path }));
  });
}
