/** What of a project matches a search, as rows: its stories, its documents, and what its agents remember. */
import { BmadError } from "../base/errors.ts";
import { shorten } from "../base/text.ts";
import type { Row } from "../content/library/mod.ts";
import type { Memory } from "../base/model.ts";
import type { ProjectMemory } from "./kit/memory/mod.ts";
import type { FoundDocument, FoundStory, ProjectWork } from "./work/mod.ts";

export interface ProjectHits {
  readonly stories: readonly Row[];
  readonly documents: readonly Row[];
  readonly memories: readonly Row[];
  readonly problem?: string;
}

export async function findInProject(
  words: string,
  work: ProjectWork,
  memory: (() => Promise<ProjectMemory>) | undefined,
): Promise<ProjectHits> {
  const { stories, documents } = await work.find(words);
  return {
    stories: stories.map(storyRow),
    documents: documents.map(documentRow),
    ...(memory === undefined ? { memories: [] } : await findMemories(memory, words)),
  };
}

async function findMemories(
  memory: () => Promise<ProjectMemory>,
  words: string,
): Promise<Pick<ProjectHits, "memories" | "problem">> {
  try {
    const { found } = await memory();
    return { memories: (await found(words, {})).map(memoryRow) };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return { memories: [], problem: error.message };
  }
}

const MAX_TEXT = 240;

/** As many as are shown anywhere: an excerpt takes a while. */
const MAX_EXCERPTS = 50;

function storyRow({ story, epic, excerpt }: FoundStory, at: number): Row {
  const snippet = at < MAX_EXCERPTS ? excerpt?.() : undefined;
  const { ref, key, title, state, status, file } = story;
  return {
    name: ref,
    about: title,
    why: [state, epic.title].filter(Boolean).join(", "),
    data: { ref, key, title, state, status, epic: epic.title, file, snippet },
  };
}

function documentRow({ document, excerpt }: FoundDocument, at: number): Row {
  const snippet = at < MAX_EXCERPTS ? excerpt?.() : undefined;
  const { path, title, role, status, modified } = document;
  const changed = modified === undefined ? undefined : new Date(modified).toISOString();
  return {
    name: path,
    about: title,
    why: [role === "other" ? undefined : role, status].filter(Boolean).join(", ") || undefined,
    data: { path, title, role, status, changed, snippet },
  };
}

function memoryRow({ id, type, agent, text, tags, createdAt }: Memory): Row {
  return {
    name: id,
    about: shorten(text.replaceAll(/\s+/g, " "), MAX_TEXT),
    why: [type, agent, createdAt.slice(0, 10)].join(", "),
    data: { id, type, agent, text: shorten(text, 4 * MAX_TEXT), tags, createdAt },
  };
}
