/**
 * The nouns of the program as plain data, and the few pure functions that belong to them.
 *
 * Everything that flows through the pipe (origins → inventory → catalog → library → surfaces) has one of these shapes.
 * Nothing here reads, writes or keeps state; paths are relative to a tree and use "/".
 */
import manifest from "../../deno.json" with { type: "json" };

/** The program's name and version. */
export const PRODUCT = { name: manifest.name, title: "BMAD Method", version: manifest.version } as const;

/** How people run a task of a checkout: with the version of Deno that deno.json names. */
export const DENO_TASK = `npx -y deno@${manifest.engines.deno} task`;

/** Where content can come from, by priority. */
export type OriginKind = "project" | "cli" | "env" | "user" | "git" | "npm" | "package";

/** One source of BMAD content. Origins are listed by priority: an earlier one wins. */
export interface Origin {
  /** The kind, numbered from the second of its kind: `project`, `user`, `user-2`. */
  readonly id: string;
  readonly kind: OriginKind;
  /** Lower wins; among equals, the earlier in the list. */
  readonly priority: number;
  /** For people: a folder, a URL, the name of a pack. */
  readonly location: string;
}

/** The cached copy of a remote origin. */
export interface CopyFacts {
  /** Undefined while there is no copy; of a package, its version instead. */
  readonly commit?: string;
  readonly version?: string;
  /** When it was last confirmed to be current (ISO 8601); missing if it is pinned. */
  readonly fetched?: string;
  readonly problem?: string;
}

/** The families of on-disk formats. */
export type Generation = "v3" | "v4" | "v6" | "skills" | "flat";

/** Every kind of item, in the order in which a bare name is resolved. */
export const KINDS = [
  "agent",
  "workflow",
  "task",
  "tool",
  "skill",
  "team",
  "template",
  "checklist",
  "knowledge",
  "config",
  "file",
] as const;

/** What a name without a kind mostly means, for messages. */
export const ANY_KIND = "agent, workflow or skill";

/** The kind that a word names, singular or plural, in any case. */
export function kindNamed(text: string): Kind | undefined {
  const word = text.trim().toLowerCase();
  return KINDS.find((kind) => kind === word || `${kind}s` === word);
}

/** What an item is on disk. In the skills generation nearly everything is a skill; its roles say the rest. */
export type Kind = typeof KINDS[number];

/**
 * What an item also is. Two roles keep it out of lists, but reachable by name: a shim only forwards to a newer skill, and
 * an internal item is part of the machinery, such as the engine that runs workflows.
 */
export type Role = "agent" | "workflow" | "task" | "shim" | "internal";

/** Whether manifest and disk agree. Without a manifest, everything on disk is verified. */
export type Status = "verified" | "not-in-manifest" | "no-file-found";

/** The phases that group workflows. */
export type Category = "analysis" | "planning" | "solutioning" | "implementation" | "other";

/** One line of an agent's menu. */
export interface MenuItem {
  /** What the user types: `BP` in the skills generation, a command such as `doc-out` in v4. */
  readonly code: string;
  /** What the user reads in the menu: `Expert guided brainstorming facilitation`. */
  readonly label: string;
  /** The id of the skill it starts; missing if it is a prompt. */
  readonly target?: string;
  /** The instruction if it has no target. Items of v4 have neither: their label says it. */
  readonly prompt?: string;
}

/** An agent's character. */
export interface Persona {
  readonly role?: string;
  readonly identity?: string;
  /** In the file, `style` in v4 and `communication_style` elsewhere. */
  readonly communicationStyle?: string;
  /** In the file, `core_principles` in v4. */
  readonly principles: readonly string[];
  /** Listed only by some releases before 6.4: `market research`. */
  readonly capabilities: readonly string[];
  /** In the file's order; empty if the file has no readable menu. */
  readonly menu: readonly MenuItem[];
  /** The user's own addition; only v4 has a field for it. */
  readonly customization?: string;
}

/** A row of a module's help catalogue: when to use an item. */
export interface HelpRow {
  /** A title such as `BMad Method`, or a code in older files: do not compare it with `Item.module`. */
  readonly module: string;
  readonly skill: string;
  readonly title: string;
  readonly code: string;
  /** When to offer the skill, written for a model; may be empty. */
  readonly description: string;
  /** As the file spells it: `2-planning`, `plan`, `anytime`. `phaseCategory` normalises it. */
  readonly phase: string;
  /** What to run before it: `bmad-prd`, `bmad-create-story:create`; usually empty. */
  readonly after: string;
  /** What to run after it: `bmad-code-review`; usually empty. */
  readonly before: string;
  readonly required: boolean;
  /** Its artefacts, separated by `|`: `traceability matrix|gate decision`; may be empty. */
  readonly outputs: string;
}

/** One agent, workflow, skill … found in one tree, regardless of what overrides it. */
export interface Item {
  /** Always `skill` in the generations of skills: use `isOf` to ask whether an item is an agent. */
  readonly kind: Kind;
  /** Empty in v4, where the kind says everything. */
  readonly roles: readonly Role[];
  /** A skill's folder name, the stem of an agent's or task's file, a workflow's name in lower case. */
  readonly id: string;
  /** The id without BMAD's prefixes: `bmad-agent-analyst` → `analyst`. */
  readonly name: string;
  /** The ids that it had before, by its module's own account; missing if there are none. */
  readonly formerIds?: readonly string[];
  /** The module's code: `bmm`, `core`; `skills` for skills outside any module. */
  readonly module: string;
  readonly generation: Generation;
  /** The version of its package or installation, if known: `6.12.0`. */
  readonly version?: string;
  /** Where it was installed from, if a lock file says so: `github owner/repo`. */
  readonly installedFrom?: string;
  /** Who wrote it, if its own file says so; most leave that to their module. */
  readonly author?: string;
  /** Whether a manifest of its installation, module or plugin lists it. */
  readonly isListed?: boolean;
  /** An item with `no-file-found` stays in the manifest and is never served. */
  readonly status: Status;
  /** The folder of its files, possibly shared with other items. */
  readonly folder: string;
  readonly ownsFolder: boolean;
  /** The file to read first. */
  readonly file: string;
  /** Such as `Business Analyst`, from its own file, the roster or the help catalogue. */
  readonly title?: string;
  /** An agent's first name: `Mary`. */
  readonly displayName?: string;
  /** An emoji such as 📊, for agents and v4 teams. */
  readonly icon?: string;
  /** When to use it, in its author's words; may be empty. */
  readonly description: string;
  /** As BMAD spells it: `2-planning`, `plan`. Missing if neither help nor folder says; in v4, only workflows have one. */
  readonly phase?: string;
  /** For agents whose file was found. */
  readonly persona?: Persona;
  /** Missing for most agents and all of v4. */
  readonly help?: HelpRow;
  /** Whether all of this comes from a manifest, and the file may say more. */
  readonly isBrief?: boolean;
  /** What is wrong with its file, where only a manifest was read before. */
  readonly fault?: string;
}

/** A namespace: what is served below `at` is below `path` in the tree. The most specific mount counts. */
export interface Mount {
  /** What follows `bmad://`: `bmm/bmad-prd`; "" is the top. */
  readonly at: string;
  /** A folder in the tree: `.claude/skills/bmad-prd`; "" is the tree itself. */
  readonly path: string;
}

/** A BMAD module as its own files describe it. */
export interface Module {
  /** The first part of qualified names and URIs: `bmm`. */
  readonly code: string;
  /** For people: `BMad Method`; the code if no file gives a name. */
  readonly name: string;
  /** From `module.yaml`; empty without such a file. */
  readonly description: string;
  readonly version?: string;
  /** From whichever file of its layout names one: `LayoutFacts.authorIn`. */
  readonly author?: string;
}

/** Every problem that content can have, for programs. */
export type DiagnosticCode =
  | "bad-file"
  | "bad-launcher"
  | "bad-record"
  | "being-fetched"
  | "broken-manifest"
  | "duplicate-id"
  | "limit-reached"
  | "link-refused"
  | "no-content"
  | "no-file-found"
  | "no-folder"
  | "not-a-skill"
  | "not-an-item"
  | "old-copy"
  | "origin-unavailable"
  | "reload-failed"
  | "retired-skill"
  | "served-already"
  | "stale-agent"
  | "stray-customization"
  | "too-many-files"
  | "two-generations"
  | "unreadable";

/** A problem found while reading content; the work goes on. */
export interface Diagnostic {
  /** An `error` loses a whole origin, a `warning` part of one; `info` is good to know. */
  readonly level: "info" | "warning" | "error";
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly fix?: string;
  /** An origin's id, added when inventories are joined. */
  readonly origin?: string;
  /** In the origin's tree; missing if the problem has no single path. */
  readonly path?: string;
}

/** Whether a diagnostic only informs, and is not counted among the issues. */
export function isNotice({ level, code }: Pick<Diagnostic, "level" | "code">): boolean {
  return level === "info" && code !== "being-fetched";
}

/**
 * How a tree is used. In a project only what is clearly BMAD's counts; a named folder was given as BMAD content; a shared
 * one also contains foreign skills.
 */
export type TreeUse = "project" | "named" | "shared";

/** The module of skills that belong to none: no installer knows it. */
export const NO_MODULE = "skills";

/** The names of a root that has no manifest. */
export const ROOT_NAMES: readonly string[] = ["_bmad", "bmad", ".bmad"];

/** A BMAD root in a tree, and how it was recognised. */
export interface Root {
  /** The folder in the tree: `_bmad`, `.bmad-core`; "" when the tree itself is the root. */
  readonly path: string;
  readonly generation: Generation;
  /** How it was recognised, such as `installed skills`: docs/layouts.md has them all. */
  readonly layout: string;
  /** From the installation's manifest or `package.json`, if there is one. */
  readonly version?: string;
}

/** How the customization of a compiled agent names it. */
export interface RenamedAgent extends Pick<Item, "displayName" | "title" | "icon"> {
  /** Its module and id, as in the name of the file: `bmm-analyst`. */
  readonly agent: string;
}

/** The content of one tree. */
export interface Inventory {
  /** Empty without BMAD content; several if generations are side by side. */
  readonly roots: readonly Root[];
  /** In the order of the roots; a code can occur once per root. */
  readonly modules: readonly Module[];
  /** In the order found, which becomes the `position` of entries. */
  readonly items: readonly Item[];
  /** A path that no mount covers is not served, even if the tree could read it. */
  readonly mounts: readonly Mount[];
  /** Other names of compiled agents, from their customization; missing where there are none. */
  readonly renamed?: readonly RenamedAgent[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Precomputed search terms: for each item, by module, kind and id, one text for each searched field. */
export type PreparedWords = Readonly<Record<string, readonly string[]>>;

/** An item with the origin it came from: one record of the master manifest. */
export interface Entry extends Item {
  /** Unique in the manifest: `project:bmm:skill:bmad-prd`. */
  readonly key: string;
  readonly origin: Origin;
  readonly rank: number;
  readonly position: number;
}

/** One origin with its inventory. */
export interface Source {
  readonly origin: Origin;
  readonly inventory: Inventory;
}

/** Every record of every origin: never merged, never flattened. */
export interface Manifest {
  /** By priority: an entry's `rank` is an index into this list. */
  readonly sources: readonly Source[];
  /** Including those that are overridden, hidden or without a file; views choose what they show. */
  readonly entries: readonly Entry[];
}

/** `bmm/bmad-agent-analyst`: the name that is unique within an origin. */
export function qualifiedName(item: Pick<Item, "module" | "id">): string {
  return `${item.module}/${item.id}`;
}

/** `bmad-agent-analyst` → `analyst`: a name without BMAD's prefixes. */
export function shortName(id: string, module = ""): string {
  const word = id.toLowerCase();
  const plain = word.replace(/^bmad-agent-|^bmad-/, "");
  const own = module !== "" && plain.startsWith(`${module}-`) ? plain.slice(module.length + 1) : plain;
  return own.replace(/^agent-/, "") || word;
}

/** The layers of an installation's configuration; later ones override. */
export const CONFIG_LAYERS: readonly string[] = [
  "config.toml",
  "config.user.toml",
  "custom/config.toml",
  "custom/config.user.toml",
];

/** Whether an item has a kind, by itself or by one of its roles. */
export function isOf(item: Pick<Item, "kind" | "roles">, kind: Kind): boolean {
  return item.kind === kind || (item.roles as readonly string[]).includes(kind);
}

/** What an item is to those who start it: a skill is mostly an agent or a workflow. */
export function startedAs(item: Pick<Item, "kind" | "roles">): Kind {
  return (["agent", "workflow"] as const).find((kind) => isOf(item, kind)) ?? item.kind;
}

/** Files that others use: they are read, and nobody starts them. */
const SUPPORTING: readonly Kind[] = ["template", "checklist", "knowledge", "config", "file"];

/** Whether a kind is one of them. */
export function isSupporting(kind: Kind): boolean {
  return SUPPORTING.includes(kind);
}

/** Whether an item is kept out of lists. */
export function isHidden(item: Pick<Item, "roles">): boolean {
  return item.roles.includes("shim") || item.roles.includes("internal");
}

/** What a start needs to be allowed to do. Everything else is revoked. */
export interface WantedRights {
  readonly read: readonly string[];
  /** Absolute folders and files. Most starts write nothing. */
  readonly write: readonly string[];
  readonly run: readonly string[];
  /** Whether to make connections. Accepting them needs no right: the socket is opened before. */
  readonly net: boolean;
}

/** The union of several sets of rights. */
export function joinRights(...all: readonly WantedRights[]): WantedRights {
  const allOf = (right: "read" | "write" | "run") => [...new Set(all.flatMap((rights) => rights[right]))];
  return { read: allOf("read"), write: allOf("write"), run: allOf("run"), net: all.some(({ net }) => net) };
}

/** What the process may still do, for people. */
export interface RightsInForce extends WantedRights {
  /** False after `--no-sandbox`: then the whole disk can be read and written. */
  readonly sandboxed: boolean;
  /** Rights that are missing from the start: `read /srv/team`, `run git`. */
  readonly refused: readonly string[];
}

/** Names that no agent's tool may take, because other tools have them, whether or not they are offered. */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  "bmad bmad_work list_workflows get_workflow_details execute_workflow list_tasks execute_task get_knowledge",
  "bmad-workflow bmad-resources get_project_context get_agent_memory get_failure_museum remember_structured",
  "recall_structured search_codebase get_workflow_status list_sessions spawn_subagent_task",
  "run_completion_contract create_delivery_contract delegate_to_agent update_run answer_subagent_task",
].flatMap((names) => names.split(" "));

/** The sections of a project's context. */
export const CONTEXT_SECTIONS = ["all", "stack", "agents", "decisions", "architecture"] as const;

/** The states of sessions and runs, as a filter. */
export const SESSION_STATES = ["all", "active", "completed", "failed"] as const;

/** The categories of a project's failure museum. */
export const FAILURE_CATEGORIES = [
  "CC-FAIL",
  "WRONG-ASSUMPTION",
  "CONTEXT-LOSS",
  "HALLUCINATION",
  "ARCH-MISTAKE",
  "PROCESS-SKIP",
] as const;

/** The stacks that a completion contract can verify. */
export const STACKS = [
  "auto",
  "go",
  "typescript",
  "python",
  "terraform",
  "ansible",
  "docker",
  "k8s",
] as const;

/** The kinds of memories; each is a collection of its own. */
export const MEMORY_TYPES = [
  "shared-context",
  "decisions",
  "agent-learnings",
  "failures",
  "stories",
] as const;

/** The kind of a memory. */
export type MemoryType = typeof MEMORY_TYPES[number];

/** How long the name of somebody who holds a story, and of the worktree that they work in, may be. */
export const MAX_OWNER = 60;
