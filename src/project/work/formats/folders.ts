/** Where work and documents are kept. What reviews or validates a document is not the document. */
import type { Interruptible } from "../../../base/work.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asValues, fillNames, type Values } from "../../../base/values.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { baseName, normalizePath, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { BoardFolders } from "./model.ts";
import type { Epic } from "./story_facts.ts";
import { filesBelow, uniqueFolders } from "./source.ts";

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
  return {
    output,
    // Early releases wrote everything into the output folder.
    planning: uniqueFolders(...named("planning_artifacts"), output),
    implementation: uniqueFolders(
      ...named("implementation_artifacts", "sprint_artifacts", "dev_story_location"),
      output,
    ),
    v4: v4 && foldersOfV4(v4, roots),
    initiative: configs.map((values) => asText(values["active_initiative"])).find(Boolean),
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
  return uniqueFolders(output, ...planning, ...implementation, v4?.stories, v4?.prd, v4?.prdFile);
}

/** Undefined elsewhere, and for the project itself. */
export function folderInProject(value: string, values: Values, roots: readonly string[]): string | undefined {
  const filled = fill(value, values);
  if (filled.length > LIMITS.source.folder) return undefined;
  const parts = filled.replace(/^\{project[-_]root\}[\\/]?/, "").split(/[\\/]/);
  // An unknown value, such as a date, ends it.
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

export type DocumentRole = (typeof DOCUMENT_ROLES)[number] | "story" | "other";

export interface Document {
  readonly path: string;
  readonly role: DocumentRole;
}

export const DOCUMENT_ROLES = [
  "brief",
  "PRD",
  "GDD",
  "spec",
  "UX",
  "architecture",
  "decisions",
  "epics",
] as const;

/** Looked for in the path below the searched folder; the first that fits counts. */
const NAMES: readonly (readonly [DocumentRole, RegExp])[] = [
  ["decisions", /decision|(?:^|[-_./ ])adrs?(?:[-_./ ]|$)|project-context|constitution/i],
  ["UX", /(?:^|[-_./ ])ux(?:[-_./ ]|$)|front-end[- ]spec|wireframe|(?:^|\/)(?:design|experience)\.md$/i],
  [
    "architecture",
    /architect|tech-stack|coding-standards|source-tree|data-model|(?:^|[-_./ ])arch(?:[-_./ ]|$)/i,
  ],
  ["PRD", /(?:^|[-_./ ])(?:prd|requirements?)(?:[-_./ ]|$)/i],
  ["GDD", /(?:^|[-_./ ])gdd(?:[-_./ ]|$)/i],
  ["epics", /(?:^|[-_./ ])(?:epics?|stories)(?:[-_./ ]|$)/i],
  ["brief", /(?:^|[-_./ ])(?:brief|prfaq)s?(?:[-_./ ]|$)/i],
  ["spec", /(?:^|[-_./ ])tech(?:nical)?[- ]spec(?:[-_./ ]|$)|(?:^|\/)spec\.md\b/i],
];
const BESIDE =
  /valid|report|(?:^|[-_ ])review|checklist|retro|research|brainstorm|memlog|changelog|readme|status|handoff|distill/i;
const PROJECT_CONTEXT = "project-context.md";

export function documentRole(name: string): DocumentRole {
  if (BESIDE.test(baseName(name))) return "other";
  return NAMES.find(([, names]) => names.test(name))?.[0] ?? "other";
}

export function* findDocuments(
  tree: Tree,
  { planning, implementation, output, v4 }: BoardFolders,
  { epics }: { readonly epics: readonly Epic[] },
): Interruptible<readonly Document[]> {
  const stories = new Set(epics.flatMap((epic) => epic.stories.flatMap(({ file, plan }) => [file, plan])));
  const found = new Map<string, DocumentRole>();
  // Folders may lie in each other: the first counts.
  for (const root of [...planning, ...implementation, output, v4 && parentPath(v4.prdFile), "docs"]) {
    for (const path of root ? yield* filesBelow(tree, root) : []) {
      if (!/\.md$/i.test(path) || found.has(path)) continue;
      found.set(path, stories.has(path) ? "story" : documentRole(path.slice(root!.length + 1)));
    }
  }
  if (tree.hasFile(PROJECT_CONTEXT)) found.getOrInsert(PROJECT_CONTEXT, "decisions");
  return [...found].map(([path, role]) => ({ path, role }));
}

export function documentStatus(text: string, clean: (text: string) => string): string | undefined {
  const status = asText(parseDocumentFront(text).value["status"])?.trim();
  return status ? shorten(clean(status), LIMITS.documents.statusLength) : undefined;
}
