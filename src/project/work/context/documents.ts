/**
 * The documents of a project that a story may need, by their role.
 *
 * They are found by their names, in the folders of planning and documentation. What reviews, validates or researches a
 * document is not the document.
 */
import { baseName, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { type Board, type BoardFolders, filesBelow } from "../formats/mod.ts";

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
const PROJECT_CONTEXT = "project-context.md";

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
  const roleOf = (root: string, path: string): Role => {
    if (stories.has(path)) return "story";
    if (BESIDE.test(baseName(path))) return "other";
    const inside = path.slice(root.length + 1);
    return ROLES.find(([, names]) => names.test(inside))?.[0] ?? "other";
  };
  const found = new Map<string, Role>();
  // A folder may lie in another one: what is said of it first counts.
  const seen = new Set<string>();
  for (const root of [...roots, v4 && parentPath(v4.prdFile), "docs"]) {
    for (const path of root ? filesBelow(tree, root) : []) {
      if (!/\.md$/i.test(path) || seen.has(path) || found.size >= MAX_DOCUMENTS) continue;
      const role = roleOf(root!, path);
      seen.add(path);
      if (keeps(role)) found.set(path, role);
    }
  }
  if (tree.hasFile(PROJECT_CONTEXT)) found.getOrInsert(PROJECT_CONTEXT, "decisions");
  return [...found].map(([path, role]) => ({ path, role }));
}
