/** By an installation's own account: reading every file would take a third of a start's time. */
import { CONFIG_LAYERS } from "../../base/model.ts";
import { parseTable } from "../parse.ts";
import { findText, joinPath, type Tree } from "../tree/mod.ts";
import { MANIFESTS, readRows } from "./compiled.ts";
import { CONFIG_FOLDERS, hasFile, ideFolders, SKILL_FILE, SKILL_MANIFEST } from "./folders.ts";
import { type FoundRoot, layoutOf } from "./roots.ts";
import { isShim } from "./skill.ts";

export type Estimate = NonNullable<ReturnType<typeof countSkills>>;

export function estimateRoots(tree: Tree, roots: readonly FoundRoot[]): Estimate | undefined {
  const [root, ...others] = roots;
  if (root === undefined || others.length > 0) return undefined;
  const { manifests } = layoutOf(root);
  if (manifests === "none") return undefined;
  return (manifests === "skills" ? countSkills : countCompiled)(tree, root.path);
}

const ROSTERED = /^\[agents\.(?:"([^"\]]{1,200})"|([\w-]{1,200}))\][ \t]*$/gm;

/** Only a roster tells agents from other skills; installers write one from 6.5 on. */
function countSkills(tree: Tree, root: string) {
  const layers = CONFIG_LAYERS.map((name) => findText(tree, joinPath(root, name)) ?? "");
  const roster = new Set(layers.flatMap((text) => [...text.matchAll(ROSTERED)].map(([, a, b]) => a ?? b)));
  const { value, problem } = parseTable(findText(tree, joinPath(root, SKILL_MANIFEST)) ?? "");
  if (roster.size === 0 || value.length === 0 || problem !== undefined) return undefined;
  const ides = ideFolders(tree);
  const isHere = ({ canonicalId: id = "", path = "" }) =>
    tree.hasFile(path) || ides.some((ide) => hasFile(tree, joinPath(ide, id), SKILL_FILE));
  if (!value.some(isHere)) return undefined;
  const rows = new Map(value.map((row) => [`${row["module"]}/${row["canonicalId"]}`, row]));
  const shown = [...rows.values()].filter(({ description = "", path = "" }) =>
    !isShim({}, description, { modulePath: path })
  );
  const agents = shown.filter(({ canonicalId }) => roster.has(canonicalId)).length;
  const modules = new Set(shown.map(({ module = "" }) => module));
  const isSmall = rows.size <= SMALL_ROWS;
  return { agents, workflows: shown.length - agents, items: rows.size, modules: [...modules], isSmall };
}

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
