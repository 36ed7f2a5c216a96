/**
 * The documents of a project by their role, found by their names in the folders of planning, implementation and
 * documentation. What reviews, validates or researches a document is not the document.
 */
import type { Interruptible } from "../../../base/work.ts";
import { shorten } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { baseName, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { BoardFolders } from "./model.ts";
import type { Epic } from "./story_facts.ts";
import { filesBelow } from "./source.ts";

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

/** Found in the path from the folder that was searched; the first that fits counts. */
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
  // A folder may lie in another one: what is said of it first counts.
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
