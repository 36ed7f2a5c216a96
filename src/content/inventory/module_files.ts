/**
 * Where the files of a module's agents, workflows, tasks, tools and teams are, by names only. What lies inside a skill
 * belongs to the skill, and samples inside workflows are not workflows.
 */
import type { Mount } from "../../base/model.ts";
import { baseName, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { HELP_FILE, MODULE_FILE, SKILL_FILE } from "./file_names.ts";

export type Listed = ReadonlySet<string>;

/** Whether a Markdown file is an agent depends on its text. */
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

/** For a module whose folder may hold other files too. */
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
    // An agent with files of its own lies in a folder with its name; other files there are not agents.
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

/** `others` matches workflow files with other names; a workflow's own folder has none. */
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

function filesIn(tree: Tree, dir: string, pattern: RegExp): readonly string[] {
  return tree.list(dir)
    .filter(({ name, isDirectory }) => !isDirectory && pattern.test(name) && !/^(?:readme|\.)/i.test(name))
    .map(({ name }) => joinPath(dir, name));
}
