/** The first file counts: of one, the kit's name, then Grimoire's. */
import { KITS, type ProjectKit, RUNS_FOLDER } from "../../../settings/plan/mod.ts";
import { normalizeText, type Values } from "../../../content/parse.ts";
import { diskTree, findText, joinPath } from "../../../content/tree/mod.ts";

export interface Cleaner {
  values(values: Values): Values;
  text(text: string): string;
}

export type ProjectFolder = ReturnType<typeof openFolder>;

const MAX_MIB = 2;
const MAX_BYTES = MAX_MIB << 20;

export function openFolder({ root, base, output, runs, runsProblem }: ProjectKit, clean: Cleaner) {
  const runsIn = (output: string) => joinPath(output, RUNS_FOLDER);
  const others = KITS.filter((kit) => kit.base !== base);
  return {
    root,
    tree: diskTree(root, { maxBytes: MAX_BYTES }),
    bases: [base, ...others.map((kit) => kit.base)],
    outputs: [output, ...others.map((kit) => kit.output)] as const,
    runs: [runs ?? runsIn(output), ...others.map((kit) => runsIn(kit.output))] as const,
    ...(runsProblem === undefined ? {} : { runsProblem }),
    clean,
  };
}

export function findFile({ tree }: ProjectFolder, paths: readonly string[]) {
  for (const path of paths) {
    const facts = tree.stat(path);
    if (facts === undefined) continue;
    if (facts.size > MAX_BYTES) return { path, text: "", problem: `larger than ${MAX_MIB} MiB` };
    const text = findText(tree, path);
    return text === undefined
      ? { path, text: "", problem: "not readable as text" }
      : { path, text: normalizeText(text) };
  }
  return undefined;
}

export function memoryPaths({ bases }: ProjectFolder, name: string): readonly string[] {
  return bases.map((base) => joinPath(base, "_memory", name));
}
