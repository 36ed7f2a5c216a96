/**
 * Files that look like items and are none: in `agents`, but too deep, under another ending, or without what an agent needs.
 *
 * They are served as files. Only the names that readers look for are known here; what they make of a text is seen from
 * their items.
 */
import type { Inventory, Root } from "../../base/model.ts";
import { parseTable } from "../parse.ts";
import { baseName, isUnserved, joinPath, type Tree, walkFiles } from "../tree/mod.ts";
import { FILES_MANIFEST } from "./file_names.ts";
import { foldersIn, hasFile } from "./folders.ts";
import { readParsed } from "./layout.ts";
import { findModuleFiles, SAMPLES } from "./module_files.ts";
import { layoutOf } from "./roots.ts";

/** A file that is no item. */
export interface NearItem {
  readonly path: string;
  /** A clause: `a team is teams/NAME.yaml`. */
  readonly reason: string;
}

/** What the items of each folder of a module look like. */
const FORMS: Readonly<Record<string, string>> = {
  agents: "an agent is agents/NAME.md, agents/NAME/NAME.md or agents/NAME.agent.yaml",
  workflows:
    "a workflow is workflows/NAME.yaml or, in a folder, workflow.yaml or NAME-workflow.yaml (or .md)",
  tasks: "a task is tasks/NAME.md or tasks/NAME.xml",
  tools: "a tool is tools/NAME.md or tools/NAME.xml",
  teams: "a team is teams/NAME.yaml",
  skills: "a skill is skills/NAME/SKILL.md",
};

/** Why a file with the right name is no item. */
const REJECTED: Readonly<Record<string, string>> = {
  agents: "beside an installation it needs front matter to be an agent, or it says that it is not one",
  workflows: "it has no name of its own",
};

/** Endings of texts; other files are the data of something. */
const TEXT = /(?:^[^.]+|\.(?:md|mdx|markdown|txt|ya?ml|json|toml|xml))$/i;

/** Every such file in the roots whose modules have a folder for each kind of item; undefined for each other file. */
export function* nearItems(tree: Tree, { roots, items }: Inventory): Generator<NearItem | undefined> {
  const taken = new Set(items.map(({ file }) => file));
  const owned = new Set(items.filter(({ ownsFolder }) => ownsFolder).map(({ folder }) => folder));
  // Those of an agent may also lie beside it.
  const agents = new Set(
    items.filter(({ kind }) => kind === "agent").map(({ file }) => withoutEnding(file)),
  );
  const listed = new Set(roots.flatMap(({ path }) => listedFiles(tree, path)));
  const isPart = (path: string) => owned.has(path) || agents.has(path.replace(/-sidecar$/, ""));
  const byStem = new Map(items.map(({ file }) => [withoutEnding(file), file]));
  const twinReason = (path: string) => {
    const twin = byStem.get(withoutEnding(path));
    return twin && `${baseName(twin)} beside it has its name`;
  };
  for (const folder of moduleFolders(tree, roots)) {
    const named = new Set(Object.values(findModuleFiles(tree, folder)).flat());
    for (const [part, form] of Object.entries(FORMS)) {
      const skip = (path: string) =>
        isUnserved(baseName(path)) || isPart(path) || (part === "workflows" && SAMPLES.has(baseName(path)));
      for (const path of walkFiles(tree, joinPath(folder, part), skip)) {
        const isNear = !taken.has(path) && !listed.has(path) && TEXT.test(baseName(path)) &&
          !/^readme/i.test(baseName(path));
        yield isNear
          ? { path, reason: twinReason(path) ?? (named.has(path) ? REJECTED[part] : undefined) ?? form }
          : undefined;
      }
    }
  }
}

function withoutEnding(file: string): string {
  return file.replace(/\.\w+$/, "");
}

/** The folders that may be modules, in roots without an installer, and with one that noted which files are its own. */
function moduleFolders(tree: Tree, roots: readonly Root[]): readonly string[] {
  const isKnown = (root: Root) =>
    layoutOf(root).is === "hand-written" || hasFile(tree, root.path, FILES_MANIFEST);
  const paths = new Set(
    roots.filter((root) => layoutOf(root).hasKinds && isKnown(root)).map(({ path }) => path),
  );
  return [...paths].flatMap((root) => [
    root,
    ...foldersIn(tree, root).filter((folder) => !/^[._]/.test(baseName(folder))),
  ]);
}

/** The files that an installer wrote into a root. */
function listedFiles(tree: Tree, root: string): readonly string[] {
  return (readParsed(tree, joinPath(root, FILES_MANIFEST), parseTable, []) ?? [])
    .map((row) => joinPath(root, row["path"] ?? ""));
}
