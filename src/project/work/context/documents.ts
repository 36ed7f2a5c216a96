/**
 * The documents of a project that a story may need, by their role.
 *
 * They are found by their names, in the folders of planning and documentation. What reviews, validates or researches a
 * document is not the document.
 */
import { joinPath, parentPath, type Tree } from "../../../content/tree/mod.ts";
import type { Board, BoardFolders } from "../formats/mod.ts";

/** What a document is for. */
export type Role = "PRD" | "architecture" | "UX" | "decisions" | "spec" | "plan" | "story" | "other";

/** A document of the project. */
export interface Document {
  readonly path: string;
  readonly role: Role;
}

/** Found in the path from the folder that was searched; the first that fits counts. */
const ROLES: readonly (readonly [Role, RegExp])[] = [
  ["decisions", /decision|(?:^|[-_./])adrs?(?:[-_./]|$)|project-context|constitution/i],
  ["UX", /(?:^|[-_./])ux(?:[-_./]|$)|front-end-spec|wireframe|(?:^|\/)(?:design|experience)\.md$/i],
  [
    "architecture",
    /architect|tech-stack|coding-standards|source-tree|data-model|(?:^|[-_./])arch(?:[-_./]|$)/i,
  ],
  ["PRD", /(?:^|[-_./])(?:prd|gdd|requirements?)(?:[-_./]|$)/i],
  ["plan", /(?:^|[-_./])(?:epics?|stories)(?:[-_./]|$)/i],
  ["spec", /(?:^|[-_./])(?:tech-spec|brief)(?:[-_./]|$)|(?:^|\/)spec\.md$/i],
];
const BESIDE =
  /valid|report|(?:^|[-_])review|checklist|retro|research|brainstorm|memlog|changelog|readme|status/i;
/** More than any project has. */
const MAX_DOCUMENTS = 300;
const MAX_FOLDERS = 500;
const MAX_DEPTH = 4;

/** The documents that a story may need, without the files of stories. */
export function findDocuments(tree: Tree, folders: BoardFolders, board: Board): readonly Document[] {
  const { planning, output } = folders;
  return walk(tree, folders, board, {
    roots: [...planning, output],
    keeps: (role) => role !== "story" && role !== "other",
  });
}

/** All documents, also those that no story needs. */
export function everyDocument(tree: Tree, folders: BoardFolders, board: Board): readonly Document[] {
  const { planning, implementation, output } = folders;
  return walk(tree, folders, board, { roots: [...planning, ...implementation, output], keeps: () => true });
}

function walk(
  tree: Tree,
  { v4 }: BoardFolders,
  board: Board,
  { roots, keeps }: {
    readonly roots: readonly (string | undefined)[];
    readonly keeps: (role: Role) => boolean;
  },
): readonly Document[] {
  const stories = new Set(
    board.epics.flatMap((epic) => epic.stories.flatMap(({ file, plan }) => [file, plan])),
  );
  const roleOf = (root: string, path: string, name: string): Role => {
    if (stories.has(path)) return "story";
    const inside = path.slice(root.length + 1);
    return BESIDE.test(name) ? "other" : ROLES.find(([, names]) => names.test(inside))?.[0] ?? "other";
  };
  const found = new Map<string, Role>();
  const seen = new Set<string>();
  const look = (root: string, folder: string, depth: number): void => {
    if (depth > MAX_DEPTH || seen.size >= MAX_FOLDERS || seen.has(folder)) return;
    seen.add(folder);
    for (const { name, isDirectory } of tree.list(folder)) {
      const path = joinPath(folder, name);
      if (/^[._]|^(?:node_modules|archive)$/.test(name) || found.size >= MAX_DOCUMENTS) continue;
      if (isDirectory) look(root, path, depth + 1);
      else if (/\.md$/i.test(name)) {
        const role = roleOf(root, path, name);
        if (keeps(role)) found.getOrInsert(path, role);
      }
    }
  };
  for (const root of [...roots, v4 && parentPath(v4.prdFile), "docs"]) {
    if (root !== undefined && root !== "") look(root, root, 0);
  }
  for (const path of ["project-context.md"]) if (tree.hasFile(path)) found.getOrInsert(path, "decisions");
  return [...found].map(([path, role]) => ({ path, role }));
}
