/** Where skills and modules lie in a tree, by names alone: no file is opened, but links that are texts. */
import { type Mount, ROOT_NAMES, type TreeUse } from "../../base/model.ts";
import { compareVersions } from "../../base/versions.ts";
import {
  baseName,
  findText,
  isUnserved,
  joinPath,
  normalizePath,
  parentPath,
  type Tree,
} from "../tree/mod.ts";
import { LIMITS } from "../limits.ts";

export const SKILL_FILE = "SKILL.md";
export const HELP_FILE = "module-help.csv";
export const SKILL_MANIFEST = "_config/skill-manifest.csv";
export const FILES_MANIFEST = "_config/files-manifest.csv";
export const CONFIG_FOLDERS: readonly string[] = ["_config", "_cfg"];
export const AGENT_CHANGES = ".customize.yaml";
export const MODULE_FILE = "module.yaml";
/** Before 6.0.0-alpha.15. */
export const OLD_MODULE_FILE = "_module-installer/install-config.yaml";
export const V3_FILE = "ide-bmad-orchestrator.cfg.md";
export const PLUGIN_FILE = ".claude-plugin/marketplace.json";
export const CUSTOM_FILES: readonly string[] = ["custom", "config.toml", "config.user.toml"];
/** Name the module of a flat skill, or describe a module; the first form is last. */
export const RECORD_FILES: readonly string[] = ["bmod.toml", "module-manifest.toml"];
export const LOCK_FILE = "skills-lock.json";

const SKIPPED = new Set(["node_modules", "__pycache__", "tests", ".git"]);

export function misspelledRoots(tree: Tree): readonly string[] {
  return foldersIn(tree, "").filter((folder) =>
    !ROOT_NAMES.includes(folder) && ROOT_NAMES.includes(folder.toLowerCase()) &&
    modulesIn(tree, folder).length > 0
  );
}

export function hasRootName(tree: Tree, folder: string): boolean {
  return ROOT_NAMES.includes(folderName(tree, folder));
}

export function folderName({ location }: Tree, folder: string): string {
  return baseName(folder === "" ? location.replaceAll("\\", "/") : folder);
}

export function hasFile(tree: Tree, folder: string, name: string): boolean {
  return tree.hasFile(joinPath(folder, name));
}

export function foldersIn(tree: Tree, folder: string): readonly string[] {
  return tree.list(folder).filter((item) => item.isDirectory && !SKIPPED.has(item.name))
    .map((item) => joinPath(folder, item.name));
}

export function* skillFolders(tree: Tree, folder: string): Generator<string> {
  for (const path of foldersIn(tree, folder)) {
    // Hidden folders belong to coding tools, not to the module.
    if (baseName(path).startsWith(".")) continue;
    if (hasFile(tree, path, SKILL_FILE)) yield path;
    else yield* skillFolders(tree, path);
  }
}

export function ideFolders(tree: Tree): readonly string[] {
  const folders = toolFolders(tree).map((folder) => linkedFolder(tree, joinPath(folder, "skills")));
  return [...new Set(folders)].filter((folder) => folder !== undefined);
}

function toolFolders(tree: Tree): readonly string[] {
  return foldersIn(tree, "").filter((folder) => folder.startsWith("."));
}

export function isRecorded(tree: Tree, folder: string): boolean {
  // A listing is needed anyway; looking up a missing file takes longer.
  return tree.list(folder).some(({ name, isDirectory }) => !isDirectory && RECORD_FILES.includes(name));
}

/** A link that git on Windows wrote as a text file. Undefined if it leaves the tree or leads to another link. */
function textLink(tree: Tree, path: string): string | undefined {
  const { size = 0 } = tree.stat(path) ?? {};
  if (size === 0 || size > LIMITS.roots.linkBytes) return undefined;
  const [, target] = /^(?![\\/])([^\n\r\0]+)\n?$/.exec(findText(tree, path) ?? "") ?? [];
  const folder = target === undefined ? undefined : normalizePath(joinPath(parentPath(path), target));
  return folder !== undefined && tree.list(folder).length > 0 ? folder : undefined;
}

function linkedFolder(tree: Tree, path: string): string | undefined {
  return tree.list(path).length > 0 ? path : textLink(tree, path);
}

export function flatSkillFolders(tree: Tree, folder: string): readonly string[] {
  const links = tree.list(folder).filter(({ name, isDirectory }) => !isDirectory && !name.includes("."))
    .slice(0, LIMITS.roots.links).map(({ name }) => textLink(tree, joinPath(folder, name)))
    .filter((target) => target !== undefined);
  return [...foldersIn(tree, folder), ...links];
}

export function flatFolders(tree: Tree, use: TreeUse): readonly string[] {
  if (use === "shared") return recordedFolders(tree, [""]);
  const tools = ideFolders(tree);
  const inner = (folder: string) => foldersIn(tree, folder).map((path) => joinPath(path, "skills"));
  // Most tools share `.agents`, and links lead there.
  const inProject = [...tools.filter(isShared), ...tools.filter((folder) => !isShared(folder))];
  // `agent` is a tool's folder too. Plugins lie in a marketplace, or in the cache of a tool.
  const others = ["agent/skills", "skills", ...inner("plugins")];
  const cached = toolFolders(tree).flatMap((folder) => skillsBelow(tree, joinPath(folder, "plugins")));
  const found = recordedFolders(tree, [...inProject, ...others, ...cached, ...(use === "named" ? [""] : [])]);
  // A named folder may be such a cache, or any folder above it.
  return found.length > 0 || use !== "named" ? found : recordedFolders(tree, skillsBelow(tree, ""));
}

function recordedFolders(tree: Tree, folders: readonly string[]): readonly string[] {
  const real = folders.map((folder) => linkedFolder(tree, folder)).filter((folder) => folder !== undefined);
  return [...new Set(real)].filter((folder) =>
    flatSkillFolders(tree, folder).some((path) => isRecorded(tree, path))
  );
}

function skillsBelow(tree: Tree, start: string): readonly string[] {
  const found: string[] = [];
  let level = [start];
  for (let depth = 0, count = 0; depth <= LIMITS.roots.levels && level.length > 0; depth++) {
    level = level.slice(0, LIMITS.roots.folders - count);
    count += level.length;
    found.push(...level.map((folder) => joinPath(folder, "skills")));
    level = level.flatMap((folder) => hasFile(tree, folder, SKILL_FILE) ? [] : newestFirst(tree, folder))
      .filter((folder) => !baseName(folder).startsWith(".") && baseName(folder) !== "skills");
  }
  return found;
}

function newestFirst(tree: Tree, folder: string): readonly string[] {
  return foldersIn(tree, folder).toSorted((a, b) => compareVersions(baseName(b), baseName(a)));
}

function isShared(folder: string): boolean {
  return folder.startsWith(".agents/");
}

export function isClaimed(id: string): boolean {
  return id.startsWith("bmad") && !id.startsWith("bmad-os-");
}

/** In a folder shared with others, only ids that BMAD's installer would claim. */
export function looseSkillIds(tree: Tree, folder: string, use: TreeUse): readonly string[] {
  return tree.list(folder).filter((item) => item.isDirectory).map((item) => item.name)
    .filter((id) => (use === "named" && folder === "") || isClaimed(id))
    .filter((id) => hasFile(tree, joinPath(folder, id), SKILL_FILE))
    .filter((id) => !isRecorded(tree, joinPath(folder, id)));
}

export function installedModules(tree: Tree, root: string): readonly string[] {
  return foldersIn(tree, root).filter((folder) =>
    hasFile(tree, folder, "config.yaml") && hasFile(tree, folder, HELP_FILE)
  );
}

/** The installers of 6.1 and 6.2.0 kept the core's skills here, and only copies and launchers in the tools' folders. */
export function keepsSkills(tree: Tree, root: string): boolean {
  return ["core/skills", "core/tasks"].flatMap((folder) => foldersIn(tree, joinPath(root, folder)))
    .some((folder) => hasFile(tree, folder, SKILL_FILE));
}

export function modulesIn(tree: Tree, root: string): readonly string[] {
  const folders = foldersIn(tree, root).filter((folder) => !baseName(folder).startsWith("."));
  return [root, ...folders].filter((folder) => holdsItems(tree, folder));
}

export function holdsItems(tree: Tree, folder: string): boolean {
  return holdsModule(tree, folder) || !ownSkills(tree, folder).next().done;
}

export function ownSkills(tree: Tree, folder: string): Generator<string> {
  return skillFolders(tree, joinPath(folder, "skills"));
}

export function contentsOf(tree: Tree, root: string): readonly string[] {
  return tree.list(root).map(({ name }) => name).filter((name) => !isUnserved(name))
    .map((name) => joinPath(root, name));
}

export function configFolders(tree: Tree, root: string): readonly string[] {
  return foldersIn(tree, root).filter((folder) =>
    !/^[._]/.test(baseName(folder)) && hasFile(tree, folder, "config.yaml")
  );
}

export type Listed = ReadonlySet<string>;

export function findModuleFiles(tree: Tree, folder: string, listed: Listed = new Set()) {
  const agents = [...agentFiles(tree, joinPath(folder, "agents"))].filter((file) => !listed.has(file));
  const files = (part: keyof typeof SINGLE_FILES) =>
    filesIn(tree, joinPath(folder, part), SINGLE_FILES[part]).filter((file) => !listed.has(file));
  return {
    agentSources: agents.filter((file) => file.endsWith(".agent.yaml")),
    agents: agents.filter((file) => /\.md$/i.test(file)),
    workflows: [...workflowFiles(tree, joinPath(folder, "workflows"), listed, FLAT_FILE)],
    tasks: files("tasks"),
    tools: files("tools"),
    teams: files("teams"),
  };
}

const SINGLE_FILES = { tasks: /\.(xml|md)$/i, tools: /\.(xml|md)$/i, teams: /\.ya?ml$/i } as const;

const OTHER_FOLDERS = ["data", "templates", "checklists", "knowledge", "testarch", "gametest"];
const PARTS = ["agents", "workflows", ...Object.keys(SINGLE_FILES), ...OTHER_FOLDERS]
  .concat("config.yaml", MODULE_FILE, HELP_FILE);

export function partMounts(module: string, folder: string): readonly Mount[] {
  return PARTS.map((part) => ({ at: `${module}/${part}`, path: joinPath(folder, part) }));
}

export function holdsModule(tree: Tree, folder: string): boolean {
  return !agentFiles(tree, joinPath(folder, "agents")).next().done ||
    !workflowFiles(tree, joinPath(folder, "workflows"), new Set(), FLAT_FILE).next().done ||
    Object.entries(SINGLE_FILES).some(([part, pattern]) =>
      filesIn(tree, joinPath(folder, part), pattern).length > 0
    );
}

export function holdsAgentSource(tree: Tree, folder: string): boolean {
  return agentFiles(tree, joinPath(folder, "agents")).some((file) => file.endsWith(".agent.yaml"));
}

function* agentFiles(tree: Tree, dir: string): Generator<string> {
  for (const { name, isDirectory } of tree.list(dir)) {
    if (!isDirectory) {
      const isAgent = name.endsWith(".agent.yaml") || /\.md$/i.test(name);
      if (isAgent && !/^(?:readme|\.)/i.test(name)) yield joinPath(dir, name);
      continue;
    }
    // An agent with files of its own lies in a folder with its name, where other files are no agents.
    for (const file of [`${name}.agent.yaml`, `${name}.md`, `${name}.MD`]) {
      if (tree.stat(joinPath(dir, name, file)) !== undefined) yield joinPath(dir, name, file);
    }
  }
}

const WORKFLOW_FILE = /^workflow(-[\w-]+)?\.(ya?ml|md|xml)$/i;
const NAMED_FILE = /-workflow\.(ya?ml|md)$/i;
const FLAT_FILE = /^(?!readme|\.).*\.(ya?ml|md)$/i;
/** Folders of a workflow that may hold other workflows as samples. */
export const SAMPLES: ReadonlySet<string> = new Set([
  "data",
  "examples",
  "reference",
  "references",
  "templates",
  "node_modules",
]);

function* workflowFiles(
  tree: Tree,
  folder: string,
  listed: Listed,
  others: RegExp | undefined,
): Generator<string> {
  if (listed.has(folder)) return;
  const items = tree.list(folder);
  if (items.some(({ name }) => name === SKILL_FILE)) return;
  const isOwn = items.some(({ name, isDirectory }) => !isDirectory && WORKFLOW_FILE.test(name));
  const taken = isOwn ? undefined : others;
  for (const { name, isDirectory } of items) {
    const path = joinPath(folder, name);
    if (!isDirectory) {
      if ((WORKFLOW_FILE.test(name) || taken?.test(name)) && !listed.has(path)) yield path;
    } else if (!SAMPLES.has(name)) yield* workflowFiles(tree, path, listed, taken && NAMED_FILE);
  }
}

export function workflowIn(tree: Tree, folder: string): string | undefined {
  const files = tree.list(folder).filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
  const name = files.find((name) => WORKFLOW_FILE.test(name)) ?? files.find((name) => NAMED_FILE.test(name));
  return name === undefined ? undefined : joinPath(folder, name);
}

export function ownsFolderOf(file: string): boolean {
  return baseName(parentPath(file)) !== "workflows";
}

export function filesIn(tree: Tree, dir: string, pattern: RegExp): readonly string[] {
  return tree.list(dir)
    .filter(({ name, isDirectory }) => !isDirectory && pattern.test(name) && !/^(?:readme|\.)/i.test(name))
    .map(({ name }) => joinPath(dir, name));
}
