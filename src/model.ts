/**
 * The nouns of the program, as plain data, and the few pure functions that belong to them.
 *
 * Everything that flows through the pipe (origins → inventory → catalog → library → surfaces) is one of
 * these shapes. Nothing here reads, writes or remembers; paths are always relative to a tree and use "/".
 */
import manifest from "../deno.json" with { type: "json" };

/** Who we are, as clients and people see it. */
export const PRODUCT = { name: manifest.name, title: "BMAD Method", version: manifest.version } as const;

/** Where content can come from, best first. */
export type OriginKind = "project" | "cli" | "env" | "user" | "git" | "package";

/** One place that may hold BMAD content. The list of origins is in order: an earlier one wins. */
export interface Origin {
  readonly id: string;
  readonly kind: OriginKind;
  /** The number people see; lower wins. Ties are settled by the order of the list. */
  readonly priority: number;
  /** What a person would recognise: a folder, a URL, a pack's name. */
  readonly location: string;
}

/** The families of on-disk formats that we read. */
export type Generation = "v4" | "skills";

/** What a thing is on disk. In the skills generation nearly everything is a skill; its roles say the rest. */
export type Kind =
  | "agent"
  | "workflow"
  | "task"
  | "tool"
  | "skill"
  | "team"
  | "template"
  | "checklist"
  | "knowledge"
  | "config";

/** What a skill also is. A shim only forwards to a newer skill: hidden in lists, reachable by name. */
export type Role = "agent" | "workflow" | "task" | "shim";

/** Whether manifest and disk agree. Without any manifest, what is on disk is verified. */
export type Status = "verified" | "not-in-manifest" | "no-file-found";

/** The phases of work that workflows are grouped by. */
export type Category = "analysis" | "planning" | "solutioning" | "implementation" | "other";

/** One line of an agent's menu. */
export interface MenuItem {
  readonly code: string;
  readonly label: string;
  /** What the item starts: a skill's id, or nothing when it is a prompt. */
  readonly target?: string;
  readonly prompt?: string;
}

/** Who an agent is. */
export interface Persona {
  readonly role?: string;
  readonly identity?: string;
  readonly communicationStyle?: string;
  readonly principles: readonly string[];
  readonly capabilities: readonly string[];
  readonly menu: readonly MenuItem[];
}

/** What the help catalogue of a module says about when to use a thing. */
export interface HelpRow {
  readonly module: string;
  readonly skill: string;
  readonly title: string;
  readonly code: string;
  readonly description: string;
  readonly phase: string;
  readonly after: string;
  readonly before: string;
  readonly required: boolean;
  readonly outputs: string;
}

/** One thing found in one tree, before anybody asked what shadows what. */
export interface Item {
  readonly kind: Kind;
  readonly roles: readonly Role[];
  readonly id: string;
  /** The id without the prefixes that BMAD generations put before it: `bmad-agent-analyst` → `analyst`. */
  readonly name: string;
  readonly module: string;
  readonly generation: Generation;
  readonly version?: string;
  readonly status: Status;
  /** The folder whose files belong to the thing; equal to the file's folder when it shares one with others. */
  readonly folder: string;
  /** Whether the whole folder belongs to the thing. */
  readonly ownsFolder: boolean;
  /** The file to read first. */
  readonly file: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly icon?: string;
  readonly description: string;
  readonly phase?: string;
  readonly persona?: Persona;
  readonly help?: HelpRow;
}

/** A name space: what is served below `at` lies below `path` in the tree. The most specific mount counts. */
export interface Mount {
  readonly at: string;
  readonly path: string;
}

/** A BMAD module as its own files describe it. */
export interface Module {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
}

/** Something that is not as it should be, gathered on the way while the work goes on. */
export interface Diagnostic {
  readonly level: "info" | "warning" | "error";
  readonly code: string;
  readonly message: string;
  readonly origin?: string;
  readonly path?: string;
}

/** A BMAD root in a tree, and how it was recognised. */
export interface Root {
  readonly path: string;
  readonly generation: Generation;
  readonly layout: string;
  readonly version?: string;
}

/** All that one tree holds. */
export interface Inventory {
  readonly roots: readonly Root[];
  readonly modules: readonly Module[];
  readonly items: readonly Item[];
  readonly mounts: readonly Mount[];
  readonly diagnostics: readonly Diagnostic[];
}

/** An item with the origin it came from: one record of the master manifest. */
export interface Entry extends Item {
  /** Unique in the manifest: `project:bmm:skill:bmad-prd`. */
  readonly key: string;
  readonly origin: Origin;
  /** The origin's place in the order of origins. */
  readonly rank: number;
  /** The entry's place in its origin's own order. */
  readonly position: number;
}

/** One origin with what was found in it. */
export interface Source {
  readonly origin: Origin;
  readonly inventory: Inventory;
}

/** Every record of every origin: never merged, never flattened. */
export interface Manifest {
  readonly sources: readonly Source[];
  readonly entries: readonly Entry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `bmm/bmad-agent-analyst`: the name that always leads to one thing of the best origin. */
export function qualifiedName(item: Pick<Item, "module" | "id">): string {
  return `${item.module}/${item.id}`;
}

/** Whether an item answers to a kind, by itself or by one of its roles. */
export function isOf(item: Pick<Item, "kind" | "roles">, kind: Kind): boolean {
  return item.kind === kind || (item.roles as readonly string[]).includes(kind);
}

/** Whether an item is kept out of lists. */
export function isHidden(item: Pick<Item, "roles">): boolean {
  return item.roles.includes("shim");
}

const CATEGORIES: readonly (readonly [RegExp, Category])[] = [
  [/analysis/, "analysis"],
  [/plan/, "planning"],
  [/solutioning/, "solutioning"],
  [/implementation|^ship$/, "implementation"],
];

/** The category of a phase as any generation spells it: `2-plan-workflows`, `2-planning` and `plan` are one. */
export function categoryOf(phase: string | undefined): Category {
  return CATEGORIES.find(([pattern]) => phase !== undefined && pattern.test(phase))?.[1] ?? "other";
}
