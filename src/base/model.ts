/** The nouns of the program as plain data, from origins to surfaces. Paths are relative to a tree and use "/". */
import manifest from "../../deno.json" with { type: "json" };

export const PRODUCT = { name: manifest.name, title: "BMAD Method", version: manifest.version } as const;

export const DENO_TASK = `npx -y deno@${manifest.engines.deno} task`;

export type OriginKind = "project" | "cli" | "env" | "user" | "git" | "npm" | "package";

/** Listed by priority: an earlier one wins. */
export interface Origin {
  readonly id: string;
  readonly kind: OriginKind;
  readonly priority: number;
  readonly location: string;
}

export interface CopyFacts {
  /** Missing while there is no copy; a package has a version instead. */
  readonly commit?: string;
  readonly version?: string;
  /** When it was last confirmed to be current (ISO 8601); missing if it is pinned. */
  readonly fetched?: string;
  readonly problem?: string;
}

export type Generation = "v3" | "v4" | "v6" | "skills" | "flat";

/** In the order in which a bare name is resolved. */
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

export const ANY_KIND = "agent, workflow or skill";

export function kindNamed(text: string): Kind | undefined {
  const word = text.trim().toLowerCase();
  return KINDS.find((kind) => kind === word || `${kind}s` === word);
}

/** In the skills generation nearly everything is a skill; its roles say the rest. */
export type Kind = typeof KINDS[number];

/** A shim only forwards to a newer skill, and an internal item is machinery: both are reachable, but not listed. */
export type Role = "agent" | "workflow" | "task" | "shim" | "internal";

export const CATEGORIES = ["analysis", "planning", "solutioning", "implementation", "other"] as const;

export type Category = typeof CATEGORIES[number];

export interface MenuItem {
  /** What the user types: `BP` in the skills generation, a command such as `doc-out` in v4. */
  readonly code: string;
  readonly label: string;
  /** The id of the skill it starts; missing for a prompt. */
  readonly target?: string;
  /** The instruction if it has no target. Items of v4 have neither: their label says it. */
  readonly prompt?: string;
}

export interface Persona {
  readonly role?: string;
  readonly identity?: string;
  readonly communicationStyle?: string;
  readonly principles: readonly string[];
  /** Listed only by some releases before 6.4: `market research`. */
  readonly capabilities: readonly string[];
  readonly menu: readonly MenuItem[];
  /** The user's own addition; only v4 has a field for it. */
  readonly customization?: string;
}

export interface HelpRow {
  /** A title such as `BMad Method`, or a code in older files: do not compare it with `Item.module`. */
  readonly module: string;
  readonly skill: string;
  readonly title: string;
  readonly code: string;
  readonly description: string;
  /** As the file spells it: `2-planning`, `plan`, `anytime`. `phaseCategory` normalises it. */
  readonly phase: string;
  /** What to run before it: `bmad-prd`, `bmad-create-story:create`; usually empty. */
  readonly after: string;
  readonly before: string;
  readonly required: boolean;
  readonly outputs: string;
}

export interface Item {
  /** Always `skill` in the generations of skills: use `hasKind` to ask whether an item is an agent. */
  readonly kind: Kind;
  /** Empty in v4, where the kind says everything. */
  readonly roles: readonly Role[];
  readonly id: string;
  readonly name: string;
  readonly formerIds?: readonly string[];
  readonly module: string;
  readonly generation: Generation;
  readonly version?: string;
  readonly installedFrom?: string;
  readonly author?: string;
  readonly isListed?: boolean;
  /** Without a manifest, everything on disk is verified. What has no file stays in the manifest and is never served. */
  readonly status: "verified" | "not-in-manifest" | "no-file-found";
  readonly folder: string;
  readonly ownsFolder: boolean;
  readonly file: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly icon?: string;
  readonly description: string;
  /** As BMAD spells it: `2-planning`, `plan`. Missing if neither help nor folder says; in v4, only workflows have one. */
  readonly phase?: string;
  readonly persona?: Persona;
  readonly help?: HelpRow;
  /** Read from a manifest only: the file may say more. */
  readonly isBrief?: boolean;
  readonly fault?: string;
}

/** A namespace: what is served below `at` is below `path` in the tree. The most specific mount counts. */
export interface Mount {
  /** What follows `bmad://`: `bmm/bmad-prd`; "" is the top. */
  readonly at: string;
  /** A folder in the tree: `.claude/skills/bmad-prd`; "" is the tree itself. */
  readonly path: string;
}

export interface Module {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly author?: string;
}

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
  | "stand-in"
  | "stray-customization"
  | "too-many-files"
  | "two-generations"
  | "unreadable";

export interface Diagnostic {
  /** An `error` loses a whole origin, a `warning` part of one; `info` is good to know. */
  readonly level: "info" | "warning" | "error";
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly fix?: string;
  readonly origin?: string;
  readonly path?: string;
}

export function isNotice({ level, code }: Pick<Diagnostic, "level" | "code">): boolean {
  return level === "info" && code !== "being-fetched";
}

/** `project`: only what is clearly BMAD's; `named`: given as BMAD content; `shared`: with foreign skills, too. */
export type TreeUse = "project" | "named" | "shared";

/** The module of skills that belong to none: no installer knows it. */
export const NO_MODULE = "skills";

/** The names of a root that has no manifest. */
export const ROOT_NAMES: readonly string[] = ["_bmad", "bmad", ".bmad"];

/** A new ledger gets the first name. */
export const SPRINT_FILES: readonly string[] = ["sprint-status.yaml", "sprint-status.yml"];
export const SPEC_FILES: readonly string[] = ["stories.yaml", "stories.yml"];
export const TICKETS_FILE = "tickets.toml";
export const LEDGER_FILES: readonly string[] = [...SPRINT_FILES, ...SPEC_FILES, TICKETS_FILE];

export interface Root {
  readonly path: string;
  readonly generation: Generation;
  /** Such as `installed skills` (docs/layouts.md). */
  readonly layout: string;
  readonly version?: string;
}

export interface RenamedAgent extends Pick<Item, "displayName" | "title" | "icon"> {
  readonly agent: string;
}

export interface Inventory {
  readonly roots: readonly Root[];
  readonly modules: readonly Module[];
  /** In the order found, which becomes the `position` of entries. */
  readonly items: readonly Item[];
  /** A path that no mount covers is not served, even if the tree could read it. */
  readonly mounts: readonly Mount[];
  readonly renamed?: readonly RenamedAgent[];
  readonly diagnostics: readonly Diagnostic[];
}

export type PreparedWords = Readonly<Record<string, readonly string[]>>;

export interface Entry extends Item {
  /** Unique in the manifest: `project:bmm:skill:bmad-prd`. */
  readonly key: string;
  readonly origin: Origin;
  readonly rank: number;
  readonly position: number;
}

export interface Source {
  readonly origin: Origin;
  readonly inventory: Inventory;
}

/** Never merged, never flattened. */
export interface Manifest {
  /** By priority: an entry's `rank` is an index into this list. */
  readonly sources: readonly Source[];
  /** Including those that are overridden, hidden or without a file; views choose what they show. */
  readonly entries: readonly Entry[];
}

export function qualifiedName(item: Pick<Item, "module" | "id">): string {
  return `${item.module}/${item.id}`;
}

export function shortName(id: string, module = ""): string {
  const word = id.toLowerCase();
  const plain = word.replace(/^bmad-agent-|^bmad-/, "");
  const own = module !== "" && plain.startsWith(`${module}-`) ? plain.slice(module.length + 1) : plain;
  return own.replace(/^agent-/, "") || word;
}

/** Later ones override. */
export const CONFIG_LAYERS: readonly string[] = [
  "config.toml",
  "config.user.toml",
  "custom/config.toml",
  "custom/config.user.toml",
];

export function hasKind(item: Pick<Item, "kind" | "roles">, kind: Kind): boolean {
  return item.kind === kind || (item.roles as readonly string[]).includes(kind);
}

export function startedAs(item: Pick<Item, "kind" | "roles">): Kind {
  return (["agent", "workflow"] as const).find((kind) => hasKind(item, kind)) ?? item.kind;
}

const SUPPORTING: readonly Kind[] = ["template", "checklist", "knowledge", "config", "file"];

export function isSupporting(kind: Kind): boolean {
  return SUPPORTING.includes(kind);
}

export function isHidden(item: Pick<Item, "roles">): boolean {
  return item.roles.includes("shim") || item.roles.includes("internal");
}

export interface WantedRights {
  readonly read: readonly string[];
  /** Absolute folders and files. Most starts write nothing. */
  readonly write: readonly string[];
  readonly run: readonly string[];
  /** For outgoing connections. Accepting them needs no right: the socket is opened before. */
  readonly net: boolean;
}

export function joinRights(...all: readonly Partial<WantedRights>[]): WantedRights {
  const allOf = (right: "read" | "write" | "run") => [
    ...new Set(all.flatMap((rights) => rights[right] ?? [])),
  ];
  return {
    read: allOf("read"),
    write: allOf("write"),
    run: allOf("run"),
    net: all.some(({ net }) => net === true),
  };
}

export interface RightsInForce extends WantedRights {
  /** False after `--no-sandbox`: then the whole disk can be read and written. */
  readonly sandboxed: boolean;
  readonly refused: readonly string[];
}

/** Names that no agent's tool may take, because other tools have them, offered or not. */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  "bmad bmad_work list_workflows get_workflow_details execute_workflow list_tasks execute_task get_knowledge",
  "bmad-workflow bmad-resources get_project_context get_agent_memory get_failure_museum remember_structured",
  "recall_structured search_codebase get_workflow_status list_sessions spawn_subagent_task",
  "run_completion_contract create_delivery_contract delegate_to_agent update_run answer_subagent_task",
].flatMap((names) => names.split(" "));

export const CONTEXT_SECTIONS = ["all", "stack", "agents", "decisions", "architecture"] as const;

export const SESSION_STATES = ["all", "active", "completed", "failed"] as const;

export const FAILURE_CATEGORIES = [
  "CC-FAIL",
  "WRONG-ASSUMPTION",
  "CONTEXT-LOSS",
  "HALLUCINATION",
  "ARCH-MISTAKE",
  "PROCESS-SKIP",
] as const;

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

export const MEMORY_TYPES = [
  "shared-context",
  "decisions",
  "agent-learnings",
  "failures",
  "stories",
] as const;

export type MemoryType = typeof MEMORY_TYPES[number];

export interface Memory {
  /** A UUID made from project, agent and the start of the text: memories of two types can share one. */
  readonly id: string;
  readonly type: MemoryType;
  readonly agent: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly project: string;
  /** Local time without a zone, as the kit writes it. */
  readonly createdAt: string;
}

export interface FileNote extends Pick<Memory, "type" | "text" | "tags"> {
  readonly agent?: string;
  readonly date?: string;
  readonly source: string;
}

export const MAX_OWNER = 60;
