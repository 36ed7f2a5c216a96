/** How does a test read a board, and say what is on it? */
import { diskTree } from "../../src/content/tree/mod.ts";
import { readBoard } from "../../src/project/work/board/mod.ts";
import type { Board, BoardFolders, FormName, Problem } from "../../src/project/work/formats/mod.ts";
import { type TreeFile, withTree } from "./trees.ts";

export const FOLDERS: BoardFolders = {
  output: "out",
  planning: ["out/plan"],
  implementation: ["out/impl"],
};

export const V4_FOLDERS: BoardFolders = {
  planning: [],
  implementation: [],
  v4: { stories: "docs/stories", prd: "docs/prd", prdFile: "docs/prd.md" },
};

export function foldersOf(form: FormName): BoardFolders {
  return form === "v4-story" ? V4_FOLDERS : FOLDERS;
}

export function boardOf(files: Readonly<Record<string, TreeFile>>, folders = FOLDERS): Promise<Board> {
  return withTree(files, (root) => readBoard(diskTree(root), folders));
}

/** As a program gets it: without what is undefined. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function states({ epics }: Board): readonly string[] {
  return epics.map(({ ref, state, stories }) =>
    `${ref} ${state}: ${stories.map((one) => `${one.ref} ${one.state}`)}`
  );
}

export function told(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, line, problem }) => `${path}:${line} ${problem}`);
}

export function driftOf({ epics }: Board): readonly string[] {
  return epics.flatMap(({ drift, stories }) => told([...drift, ...stories.flatMap((one) => one.drift)]));
}

export async function withStories<T>(count: number, fn: (root: string) => T | Promise<T>): Promise<T> {
  const numbers = Array.from({ length: count }, (_, at) => [Math.floor(at / 10) + 1, at % 10 + 1] as const);
  const criteria =
    "1. The list is sorted (FR3)\n2. **Given** a name **When** it is typed **Then** it is found\n";
  const notes =
    "- A sentence about the architecture that the developer should know, with a [link](docs/a.md#b).\n";
  const story = (epic: number, number: number) =>
    `# Story ${epic}.${number}: Feature ${number}\n\nStatus: ${
      number < 5 ? "done" : "backlog"
    }\n\n## Story\n\n` +
    `As a user,\nI want it.\n\n## Acceptance Criteria\n\n${criteria.repeat(4)}\n## Tasks / Subtasks\n\n` +
    `${"- [x] Do it (AC: 1)\n  - [ ] Do that\n".repeat(12)}\n## Dev Notes\n\n${notes.repeat(45)}`;
  return await withTree({
    "out/impl/sprint-status.yaml": `development_status:\n${
      numbers.map(([epic, number]) => `  ${epic}-${number}-feature: ${number < 5 ? "done" : "backlog"}\n`)
        .join("")
    }`,
    "out/plan/epics.md": numbers.map(([epic, number]) =>
      `${number === 1 ? `## Epic ${epic}: Part\n\n` : ""}### Story ${epic}.${number}: Feature ${number}\n\n` +
      `**Acceptance Criteria:**\n\n${criteria}\n`
    ).join(""),
    ...Object.fromEntries(
      numbers.map(([epic, number]) => [`out/impl/${epic}-${number}-feature.md`, story(epic, number)]),
    ),
  }, fn);
}
