/**
 * Where a project keeps its work, by the resolved configuration of its modules.
 */
import { asText, asValues, fillNames, type Values } from "../../../base/values.ts";
import { normalizePath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { BoardFolders } from "./model.ts";

export function foldersOf(configs: readonly Values[], roots: readonly string[]): BoardFolders {
  const named = (...keys: readonly string[]) =>
    configs.flatMap((values) =>
      keys.flatMap((key) => {
        const text = asText(values[key]);
        return text === undefined ? [] : folderInProject(text, values, roots) ?? [];
      })
    );
  const output = named("output_folder")[0];
  const v4 = configs.find((values) => asText(values["devStoryLocation"]) !== undefined);
  const initiative = configs.map((values) => asText(values["active_initiative"])).find((name) =>
    name !== undefined
  );
  const outputs = output === undefined ? [] : [output];
  return {
    ...(output !== undefined && { output }),
    // Early releases wrote everything into the output folder.
    planning: [...new Set([...named("planning_artifacts"), ...outputs])],
    implementation: [
      ...new Set([
        ...named("implementation_artifacts", "sprint_artifacts", "dev_story_location"),
        ...outputs,
      ]),
    ],
    ...(v4 !== undefined && { v4: foldersOfV4(v4, roots) }),
    ...(initiative !== undefined && { initiative }),
  };
}

function foldersOfV4(values: Values, roots: readonly string[]): NonNullable<BoardFolders["v4"]> {
  const prd = asValues(values["prd"]);
  const inside = (value: unknown, otherwise: string) =>
    folderInProject(asText(value) ?? otherwise, values, roots) ?? otherwise;
  return {
    stories: inside(values["devStoryLocation"], "docs/stories"),
    prd: inside(prd["prdShardedLocation"], "docs/prd"),
    prdFile: inside(prd["prdFile"], "docs/prd.md"),
  };
}

export function recordFolders({ output, planning, implementation, v4 }: BoardFolders): readonly string[] {
  return [output, ...planning, ...implementation, v4?.stories, v4?.prd, v4?.prdFile].filter((one) =>
    one !== undefined
  );
}

/** The path in the project that a value means; undefined when it is elsewhere, or the project itself. */
export function folderInProject(value: string, values: Values, roots: readonly string[]): string | undefined {
  const filled = fill(value, values);
  if (filled.length > LIMITS.source.folder) return undefined;
  const parts = filled.replace(/^\{project[-_]root\}[\\/]?/, "").split(/[\\/]/);
  // An unknown value, such as a date, ends the path.
  const end = parts.findIndex((part) => /[{}*]/.test(part));
  const folder = (end < 0 ? parts : parts.slice(0, end)).join("/");
  const root = roots.map((root) => root.replaceAll("\\", "/"))
    .find((root) => `${folder}/`.startsWith(`${root}/`));
  if (root === undefined && /^([A-Za-z]:)?\/|^~/.test(folder)) return undefined;
  return normalizePath(folder.slice(root === undefined ? 0 : root.length + 1)) || undefined;
}

function fill(text: string, values: Values): string {
  let filled = text;
  for (let depth = 0; depth < 4 && filled.length <= LIMITS.source.folder; depth++) {
    filled = fillNames(filled, /\{(\w+)\}/g, (name) => {
      const value = values[name];
      return typeof value === "string" ? value : undefined;
    }, LIMITS.source.folder);
  }
  return filled;
}
