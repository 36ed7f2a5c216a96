/**
 * How much an installation holds, by its own account: manifest rows are counted, no file is looked for.
 *
 * A start only needs numbers. Reading every file would take a third of its time, and most of it in a large
 * installation; the full inventory is taken once the client has its tools, or by the first request.
 */
import { CONFIG_LAYERS } from "../../base/model.ts";
import { parseTable } from "../parse.ts";
import { findText, joinPath, type Tree } from "../tree/mod.ts";
import { MANIFESTS, readRows } from "./compiled.ts";
import { CONFIG_FOLDERS, SKILL_MANIFEST } from "./file_names.ts";
import { type FoundRoot, type LayoutFacts, layoutOf } from "./roots.ts";
import { isShim } from "./skill.ts";

/** What the manifests of an installation list, in numbers. */
export interface Estimate {
  readonly agents: number;
  readonly workflows: number;
  readonly items: number;
  readonly modules: readonly string[];
  /** Whether the whole could be read in a moment. */
  readonly isSmall: boolean;
}

/** Estimates a tree that is one installation of skills, or a large compiled one; undefined for every other tree. */
export function estimateRoots(tree: Tree, roots: readonly FoundRoot[]): Estimate | undefined {
  const [root, ...others] = roots;
  if (root === undefined || others.length > 0) return undefined;
  return COUNTS[layoutOf(root).manifests](tree, root.path);
}

type Count = (tree: Tree, root: string) => Estimate | undefined;

/** How to count by each kind of manifest. */
const COUNTS: Readonly<Record<LayoutFacts["manifests"], Count>> = {
  skills: countSkills,
  kinds: countCompiled,
  none: () => undefined,
};

/** Opens the table of an agent in a configuration. */
const ROSTERED = /^\[agents\.(?:"([^"\]]{1,200})"|([\w-]{1,200}))\][ \t]*$/gm;

/** Counts the rows of the skill manifest; only a roster, which installers write from 6.5 on, tells the agents apart. */
function countSkills(tree: Tree, root: string): Estimate | undefined {
  const layers = CONFIG_LAYERS.map((name) => findText(tree, joinPath(root, name)) ?? "");
  const roster = new Set(layers.flatMap((text) => [...text.matchAll(ROSTERED)].map(([, a, b]) => a ?? b)));
  const { value, problem } = parseTable(findText(tree, joinPath(root, SKILL_MANIFEST)) ?? "");
  if (roster.size === 0 || value.length === 0 || problem !== undefined) return undefined;
  const rows = new Map(value.map((row) => [`${row["module"]}/${row["canonicalId"]}`, row]));
  const shown = [...rows.values()].filter(({ description = "", path = "" }) =>
    !isShim({}, description, { modulePath: path })
  );
  const agents = shown.filter(({ canonicalId }) => roster.has(canonicalId)).length;
  const modules = new Set(shown.map(({ module = "" }) => module));
  const isSmall = rows.size <= SMALL_ROWS;
  return { agents, workflows: shown.length - agents, items: rows.size, modules: [...modules], isSmall };
}

/** Many times what a BMAD release installs. */
const SMALL_ROWS = 500;

/** No BMAD release has manifests a quarter as large; below this, a full inventory takes milliseconds. */
const LARGE_BYTES = 100_000;

function countCompiled(tree: Tree, root: string): Estimate | undefined {
  const config = CONFIG_FOLDERS.map((folder) => joinPath(root, folder))
    .find((folder) => tree.list(folder).length > 0);
  if (config === undefined) return undefined;
  const bytes = MANIFESTS.map(([name]) => tree.stat(joinPath(config, name))?.size ?? 0);
  if (bytes.reduce((sum, size) => sum + size) < LARGE_BYTES) return undefined;
  const files = new Set<string>();
  const modules = new Set<string>();
  let agents = 0;
  let workflows = 0;
  for (const { kind, file, text } of readRows(tree, config, root, [])) {
    if (files.has(file)) continue;
    files.add(file);
    modules.add(text("module") ?? "");
    if (kind === "agent") agents++;
    if (kind === "workflow") workflows++;
  }
  return { agents, workflows, items: files.size, modules: [...modules], isSmall: false };
}
