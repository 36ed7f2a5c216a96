/**
 * Which BMAD roots a tree holds, told by structure alone: no file is opened, no version is trusted, and a name only
 * where there is nothing else to go by.
 *
 * Kept apart from the reading of roots, because most folders that are looked at hold none, and then no parser
 * needs to be loaded. To add a layout, add a row here and a reader to the table in readers.ts.
 */
import { ROOT_NAMES, type TreeUse } from "../../base/model.ts";
import { baseName, joinPath, type Tree } from "../tree/mod.ts";
import { holdsAgentSource, holdsModule, SKILL_FILE } from "./module_files.ts";

/** The layouts that we know. */
export type LayoutName =
  | "installed skills"
  | "compiled"
  | "source tree"
  | "source modules"
  | "v4"
  | "v3"
  | "hand-written"
  | "plugin"
  | "loose skills";

/** A root and the layout it was recognised by. */
export interface FoundRoot {
  readonly path: string;
  readonly layout: LayoutName;
}

/** The file that lists an installation's skills. */
export const SKILL_MANIFEST = "_config/skill-manifest.csv";
/** Where installers keep their manifests, newest first. */
export const CONFIG_FOLDERS: readonly string[] = ["_config", "_cfg"];
/** The file that makes a folder the source of a module. */
export const MODULE_FILE = "module.yaml";
/** The same before 6.0.0-alpha.15. */
export const OLD_MODULE_FILE = "_module-installer/install-config.yaml";
/** The file in which the third generation describes its agents. */
export const V3_FILE = "ide-bmad-orchestrator.cfg.md";
/** The file in which a repository of plugins lists its skills. */
export const PLUGIN_FILE = ".claude-plugin/marketplace.json";

const V4_NAME = /^\.?bmad-[a-z0-9-]+$/;
const V4_MARKS = ["install-manifest.yaml", "core-config.yaml", "core-config.yml"];
/** Folders that only the fourth generation has. */
const V4_FOLDERS = ["agent-teams", "templates", "checklists"];

type Find = (tree: Tree, use: TreeUse) => readonly string[];

const RULES: readonly { layout: LayoutName; find: Find }[] = [
  {
    layout: "installed skills",
    find: (tree) => topFolders(tree).filter((folder) => hasFile(tree, folder, SKILL_MANIFEST)),
  },
  { layout: "compiled", find: (tree) => topFolders(tree).filter((folder) => isCompiled(tree, folder)) },
  {
    layout: "source tree",
    find: (tree) =>
      sourceFolders(tree).filter((folder) => isModuleSource(tree, folder))
        .filter((folder) => skillFolders(tree, folder).next().done === false),
  },
  {
    layout: "source modules",
    find: (tree) =>
      sourceFolders(tree).filter((folder) =>
        (isModuleSource(tree, folder) && holdsModule(tree, folder)) ||
        holdsAgentSource(tree, folder)
      ),
  },
  { layout: "v4", find: findV4 },
  { layout: "v3", find: (tree) => ["", "bmad-agent"].filter((folder) => hasFile(tree, folder, V3_FILE)) },
];

/** Every root in a tree. Several generations may live side by side. */
export function findRoots(tree: Tree, use: TreeUse): readonly FoundRoot[] {
  const found = RULES.flatMap(({ layout, find }) => find(tree, use).map((path) => ({ path, layout })));
  const taken = found.filter(({ layout }) => layout !== "installed skills").map(({ path }) => path);
  const installed = found.filter(({ layout }) => layout === "installed skills").map(({ path }) => path);
  // What somebody added to an installation of skills by hand is read as well.
  const named = handWritten(tree, use, taken)
    .filter((path) => !installed.includes(path) || modulesIn(tree, path).length > 0);
  // A folder that somebody named is itself a root only where nothing in it is one.
  const isWhole = use === "named" && found.length === 0 && named.length === 0;
  const written = isWhole && modulesIn(tree, "").length > 0 ? [""] : named;
  const all = [...found, ...written.map((path) => ({ path, layout: "hand-written" as const }))];
  if (all.length === 0 && hasFile(tree, "", PLUGIN_FILE)) return [{ path: "", layout: "plugin" }];
  // An installation accounts for the folders of IDEs; without one, skills may lie around by themselves.
  if (all.some(({ layout }) => layout !== "hand-written" && layout !== "v4" && layout !== "v3")) return all;
  const tops = all.length === 0 ? ["", ...ideFolders(tree)] : ideFolders(tree);
  const loose = tops.filter((folder) => looseSkills(tree, folder, use).length > 0);
  return [...all, ...loose.map((path) => ({ path, layout: "loose skills" as const }))];
}

/** Whether a tree holds any root. In most of those that do, the first rule finds it. */
export function holdsRoot(tree: Tree, use: TreeUse): boolean {
  return RULES.some(({ find }) => find(tree, use).length > 0) || findRoots(tree, use).length > 0;
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
export function looseSkills(tree: Tree, folder: string, use: TreeUse): readonly string[] {
  const isClaimed = (id: string) => id.startsWith("bmad") && !id.startsWith("bmad-os-");
  return tree.list(folder).filter((item) => item.isDirectory).map((item) => item.name)
    .filter((id) => (use === "named" && folder === "") || isClaimed(id))
    .filter((id) => hasFile(tree, joinPath(folder, id), SKILL_FILE));
}

/** The folders that are modules in a hand-written root: its folders, or the root itself when it is flat. */
export function modulesIn(tree: Tree, root: string): readonly string[] {
  // What coding tools keep in hidden folders is no module.
  const folders = foldersIn(tree, root).filter((folder) => !baseName(folder).startsWith("."));
  return [root, ...folders].filter((folder) => holdsModule(tree, folder) || holdsSkills(tree, folder));
}

/** Roots that no installer made, told by their name. */
function handWritten(tree: Tree, use: TreeUse, taken: readonly string[]): readonly string[] {
  if (use === "shared") return [];
  return tree.list("").filter(({ name, isDirectory }) => isDirectory && ROOT_NAMES.includes(name))
    .map(({ name }) => name).filter((root) => !taken.includes(root))
    .filter((root) => modulesIn(tree, root).length > 0 || isCustomized(tree, root));
}

/** Files with which a project changes what comes from elsewhere. */
export const CUSTOM_FILES: readonly string[] = ["custom", "config.toml", "config.user.toml"];

function isCustomized(tree: Tree, root: string): boolean {
  return CUSTOM_FILES.some((name) => tree.list(root).some((item) => item.name === name));
}

function holdsSkills(tree: Tree, folder: string): boolean {
  return foldersIn(tree, joinPath(folder, "skills")).some((path) => hasFile(tree, path, SKILL_FILE));
}

function isCompiled(tree: Tree, folder: string): boolean {
  return CONFIG_FOLDERS.map((config) => joinPath(folder, config)).some((config) =>
    hasFile(tree, config, "agent-manifest.csv") || hasFile(tree, config, "workflow-manifest.csv") ||
    (hasFile(tree, config, "manifest.yaml") && !hasFile(tree, folder, SKILL_MANIFEST))
  );
}

function isModuleSource(tree: Tree, folder: string): boolean {
  return hasFile(tree, folder, MODULE_FILE) || hasFile(tree, folder, OLD_MODULE_FILE);
}

/** Where the sources of modules lie: at the top, in `src`, in `skills`, in `src/modules`. */
function sourceFolders(tree: Tree): readonly string[] {
  const places = [
    "",
    "src",
    "skills",
    ...foldersIn(tree, ""),
    ...foldersIn(tree, "src"),
    ...foldersIn(tree, "src/modules"),
  ];
  // An installed root is no source, though its modules look like one.
  return [...new Set(places)].filter((folder) => folder === "" || !isCompiled(tree, folder));
}

function findV4(tree: Tree, use: TreeUse): readonly string[] {
  const packs = foldersIn(tree, "expansion-packs");
  const roots = ["", ...foldersIn(tree, ""), ...packs]
    .filter((folder) => folder === "" || V4_NAME.test(baseName(folder)))
    .filter((folder) => isV4(tree, folder, use));
  // In the source, what core and packs share lies beside them.
  return roots.includes("bmad-core") && tree.list("common/tasks").length > 0 ? [...roots, "common"] : roots;
}

function isV4(tree: Tree, root: string, use: TreeUse): boolean {
  const holds = (folder: string) => tree.list(joinPath(root, folder)).length > 0;
  if (!tree.list(joinPath(root, "agents")).some((item) => item.name.endsWith(".md"))) return false;
  if (V4_MARKS.some((mark) => hasFile(tree, root, mark))) return true;
  // Others have these too: they count below a name of BMAD's, or in what was given to us as BMAD's.
  if (root !== "") return hasFile(tree, root, "config.yaml") || holds("tasks") || V4_FOLDERS.some(holds);
  return V4_FOLDERS.some(holds) &&
    (use === "named" || (hasFile(tree, root, "config.yaml") && holds("agent-teams")));
}

function topFolders(tree: Tree): readonly string[] {
  return ["", ...foldersIn(tree, "")];
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
