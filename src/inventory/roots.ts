/**
 * Which BMAD roots a tree holds, told by structure alone: no file is opened, no name or version is trusted.
 *
 * Kept apart from the reading of roots, because most folders that are looked at hold none, and then no parser
 * needs to be loaded. To add a layout, add a row here and a reader to the table in readers.ts.
 */
import { baseName, joinPath, type Tree } from "../tree.ts";

/** The layouts that we know. */
export type LayoutName = "installed skills" | "source tree" | "v4" | "loose skills";

/** A root and the layout it was recognised by. */
export interface FoundRoot {
  readonly path: string;
  readonly layout: LayoutName;
}

/** The name of the file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
/** The file that lists an installation's skills. */
export const SKILL_MANIFEST = "_config/skill-manifest.csv";
/** The file that makes a folder the source of a module. */
export const MODULE_FILE = "module.yaml";

const V4_NAME = /^\.?bmad-[a-z0-9-]+$/;
const V4_MARKS = ["install-manifest.yaml", "core-config.yaml", "core-config.yml"];

const RULES: readonly { layout: LayoutName; find(tree: Tree): readonly string[] }[] = [
  {
    layout: "installed skills",
    find: (tree) => ["", ...foldersIn(tree, "")].filter((folder) => hasFile(tree, folder, SKILL_MANIFEST)),
  },
  {
    layout: "source tree",
    find: (tree) =>
      [...new Set(["", "src", "skills", ...foldersIn(tree, ""), ...foldersIn(tree, "src")])]
        .filter((folder) => hasFile(tree, folder, MODULE_FILE))
        .filter((folder) => skillFolders(tree, folder).next().done === false),
  },
  {
    layout: "v4",
    find: (tree) =>
      ["", ...foldersIn(tree, "").filter((name) => V4_NAME.test(name))].filter((root) => isV4(tree, root)),
  },
];

/** Every root in a tree. Several generations may live side by side. */
export function findRoots(tree: Tree, shared: boolean): readonly FoundRoot[] {
  const found = RULES.flatMap(({ layout, find }) => find(tree).map((path) => ({ path, layout })));
  // An installation accounts for the IDE folders; without one, skills may lie around by themselves.
  if (found.length > 0) return found;
  return ["", ...ideFolders(tree)].filter((folder) => looseSkills(tree, folder, shared).length > 0)
    .map((path) => ({ path, layout: "loose skills" }));
}

/** Every skill folder below a folder. Folders inside a skill are the skill's own. */
export function* skillFolders(tree: Tree, folder: string): Generator<string> {
  for (const path of foldersIn(tree, folder)) {
    // What coding tools keep in hidden folders is not the module's.
    if (baseName(path).startsWith(".")) continue;
    if (hasFile(tree, path, SKILL_FILE)) yield path;
    else yield* skillFolders(tree, path);
  }
}

/** Every `.x/skills` folder that an IDE keeps skills in. */
export function ideFolders(tree: Tree): readonly string[] {
  return tree.list("").filter((item) => item.isDirectory && item.name.startsWith("."))
    .map((item) => joinPath(item.name, "skills"))
    .filter((folder) => tree.list(folder).length > 0);
}

/**
 * The skills that lie in a folder without an installation. In a folder that others use too, only those count
 * that BMAD's own installer would claim: a name that begins with `bmad`, but not with `bmad-os-`.
 */
export function looseSkills(tree: Tree, folder: string, shared: boolean): readonly string[] {
  const named = (id: string) => id.startsWith("bmad") && !id.startsWith("bmad-os-");
  return tree.list(folder).filter((item) => item.isDirectory).map((item) => item.name)
    .filter((id) => (!shared && folder === "") || named(id))
    .filter((id) => hasFile(tree, joinPath(folder, id), SKILL_FILE));
}

function isV4(tree: Tree, root: string): boolean {
  return tree.list(joinPath(root, "agents")).some((item) => item.name.endsWith(".md")) &&
    (V4_MARKS.some((mark) => hasFile(tree, root, mark)) ||
      // Other projects have these too: they count only below a name of BMAD's, or beside teams.
      (root !== ""
        ? hasFile(tree, root, "config.yaml") || tree.list(joinPath(root, "tasks")).length > 0
        : hasFile(tree, root, "config.yaml") && tree.list("agent-teams").length > 0));
}

function foldersIn(tree: Tree, folder: string): readonly string[] {
  return tree.list(folder).filter((item) => item.isDirectory && !SKIPPED.has(item.name))
    .map((item) => joinPath(folder, item.name));
}

/** Folders that never hold content of their own. */
const SKIPPED = new Set(["node_modules", "__pycache__", "tests", ".git"]);

function hasFile(tree: Tree, folder: string, name: string): boolean {
  return tree.stat(joinPath(folder, name)) !== undefined;
}
