/**
 * The nouns of the program, as plain data, and the few pure functions that belong to them.
 *
 * Everything that flows through the pipe (origins → inventory → catalog → library → surfaces) is one of
 * these shapes. Nothing here reads, writes or remembers; paths are always relative to a tree and use "/".
 */
import manifest from "../../deno.json" with { type: "json" };

/** Who we are, as clients and people see it. */
export const PRODUCT = { name: manifest.name, title: "BMAD Method", version: manifest.version } as const;

/** Where content can come from, best first. */
export type OriginKind = "project" | "cli" | "env" | "user" | "git" | "package";

/** One place that may hold BMAD content. The list of origins is in order: an earlier one wins. */
export interface Origin {
  /** The kind, with a number from the second of its kind on: `project`, `user`, `user-2`. */
  readonly id: string;
  /** By what rule it is looked in; the priority follows from it. */
  readonly kind: OriginKind;
  /** The number people see; lower wins. Ties are settled by the order of the list. */
  readonly priority: number;
  /** What a person would recognise: a folder, a URL, a pack's name. */
  readonly location: string;
}

/** What is known of the copy that is read in place of an origin which is elsewhere. */
export interface CopyFacts {
  /** The commit whose files it has; undefined while there is no copy. */
  readonly commit?: string;
  /** When it was last found to be what the origin has, in the form of ISO 8601. */
  readonly fetched?: string;
  /** Why there is none, or only an old one. */
  readonly problem?: string;
}

/** The families of on-disk formats that we read. */
export type Generation = "v3" | "v4" | "v6" | "skills";

/** What a thing can be, in the order in which a bare name is taken to mean one or the other. */
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
] as const;

/** The kind that a word names, in the singular or the plural and in any case. */
export function kindNamed(text: string): Kind | undefined {
  const word = text.trim().toLowerCase();
  return KINDS.find((kind) => kind === word || `${kind}s` === word);
}

/** What a thing is on disk. In the skills generation nearly everything is a skill; its roles say the rest. */
export type Kind = typeof KINDS[number];

/**
 * What a thing also is. Two roles keep it out of lists but reachable by name: a shim only forwards to a newer
 * skill, and what is internal is part of the machinery, such as the engine that runs workflows.
 */
export type Role = "agent" | "workflow" | "task" | "shim" | "internal";

/** Whether manifest and disk agree. Without any manifest, what is on disk is verified. */
export type Status = "verified" | "not-in-manifest" | "no-file-found";

/** The phases of work that workflows are grouped by. */
export type Category = "analysis" | "planning" | "solutioning" | "implementation" | "other";

/** One line of an agent's menu. */
export interface MenuItem {
  /** What the user types: `BP` in the skills generation, a command such as `doc-out` in v4. */
  readonly code: string;
  /** What the user reads in the menu: `Expert guided brainstorming facilitation`. */
  readonly label: string;
  /** What the item starts: a skill's id, or nothing when it is a prompt. */
  readonly target?: string;
  /** What the agent is told when there is no target. Items of v4 have neither: their label says it. */
  readonly prompt?: string;
}

/** Who an agent is. */
export interface Persona {
  /** What it does for the user, in a sentence; some files leave it out. */
  readonly role?: string;
  /** Whom it plays, such as `Channels Michael Porter's strategic rigor …`. */
  readonly identity?: string;
  /** How it talks. The key in the file is `style` in v4, else `communication_style`. */
  readonly communicationStyle?: string;
  /** Rules that it keeps, mostly one sentence each; `core_principles` in v4. */
  readonly principles: readonly string[];
  /** Such as `market research`. Only some releases before 6.4 list them; else empty. */
  readonly capabilities: readonly string[];
  /** In the file's order; empty when the agent's file has no menu that we can read. */
  readonly menu: readonly MenuItem[];
  /** What a user added in the agent's own file; only v4 has a place for it, and it is mostly empty. */
  readonly customization?: string;
}

/** What the help catalogue of a module says about when to use a thing. */
export interface HelpRow {
  /** A title such as `BMad Method`, in older files a code: not to be compared with `Item.module`. */
  readonly module: string;
  /** The id of the skill that the row is about: `bmad-prd`. */
  readonly skill: string;
  /** What a person would call the skill: `Create Brief`. */
  readonly title: string;
  /** The short form to start it with: `CB`. */
  readonly code: string;
  /** When to offer the skill, written for a model; may be empty. */
  readonly description: string;
  /** As the file spells it: `2-planning`, `plan`, `anytime`. `categoryOf` makes one word of these. */
  readonly phase: string;
  /** What should have been run before it: `bmad-prd`, `bmad-create-story:create`; mostly empty. */
  readonly after: string;
  /** What it should be run before: `bmad-code-review`; mostly empty. */
  readonly before: string;
  /** Whether BMAD counts it as a step that a project cannot skip. */
  readonly required: boolean;
  /** What it leaves behind, separated by `|`: `traceability matrix|gate decision`; may be empty. */
  readonly outputs: string;
}

/** One thing found in one tree, before anybody asked what shadows what. */
export interface Item {
  /** Always `skill` in the skills generation: ask with `isOf` whether a thing is an agent. */
  readonly kind: Kind;
  /** Empty in v4, where the kind says everything. */
  readonly roles: readonly Role[];
  /** The name of a skill's folder, the stem of an agent's or task's file, a workflow's name in small letters. */
  readonly id: string;
  /** The id without the prefixes that BMAD generations put before it: `bmad-agent-analyst` → `analyst`. */
  readonly name: string;
  /** The module's code: `bmm`, `core`; `skills` for skills that lie outside any module. */
  readonly module: string;
  /** How its file is written: v4 agents are a YAML block, skills have front matter. */
  readonly generation: Generation;
  /** Of the package or installation around it: `6.12.0`; missing when there is none, or it does not say. */
  readonly version?: string;
  /** A thing with `no-file-found` stays in the manifest and is never served. */
  readonly status: Status;
  /** The folder whose files belong to the thing; equal to the file's folder when it shares one with others. */
  readonly folder: string;
  /** Whether the whole folder belongs to the thing. */
  readonly ownsFolder: boolean;
  /** The file to read first. */
  readonly file: string;
  /** Such as `Business Analyst`: from its own file, the roster of agents or the help catalogue. */
  readonly title?: string;
  /** The name an agent goes by: `Mary`. Other things have none. */
  readonly displayName?: string;
  /** An emoji such as 📊. Agents have one, and v4 teams. */
  readonly icon?: string;
  /** When to use it, in the words of its author; empty when nobody says. */
  readonly description: string;
  /** As BMAD spells it: `2-planning`, `plan`. Missing in v4, and when neither help nor folder tells. */
  readonly phase?: string;
  /** Only for agents, and only when their file was found. */
  readonly persona?: Persona;
  /** Missing for what the help catalogues leave out: most agents, and all of v4. */
  readonly help?: HelpRow;
  /** Whether all of this is from a manifest, and the file may say more. */
  readonly isBrief?: boolean;
}

/** A name space: what is served below `at` lies below `path` in the tree. The most specific mount counts. */
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
  /** For people: `BMad Method`; the code again where no file gives a name. */
  readonly name: string;
  /** From `module.yaml`: `Agile AI-driven development`; empty where we read no such file. */
  readonly description: string;
  /** Of the package or installation it came with; missing when no file tells. */
  readonly version?: string;
}

/** Everything that can be found wrong with content, for programs. */
export type DiagnosticCode =
  | "bad-file"
  | "bad-launcher"
  | "being-fetched"
  | "duplicate-id"
  | "link-refused"
  | "no-content"
  | "no-file-found"
  | "no-folder"
  | "not-a-skill"
  | "old-copy"
  | "origin-unavailable"
  | "reload-failed"
  | "stale-agent"
  | "too-many-files"
  | "unreadable";

/** Something that is not as it should be, gathered on the way while the work goes on. */
export interface Diagnostic {
  /** An `error` cost a whole origin, a `warning` a part of one; `info` is good to know. */
  readonly level: "info" | "warning" | "error";
  /** For programs. */
  readonly code: DiagnosticCode;
  /** For people: what is wrong. */
  readonly message: string;
  /** For people: what mends it; missing where whoever found it does not know. */
  readonly fix?: string;
  /** An origin's id. Readers of trees do not know it: it is added when inventories are joined. */
  readonly origin?: string;
  /** Inside the origin's tree; missing when the trouble is with no single path. */
  readonly path?: string;
}

/**
 * What a tree is to us. A project is the user's own, and only what is clearly BMAD's counts in it; a named folder
 * was given to us as BMAD content; a shared one holds other people's skills too.
 */
export type TreeUse = "project" | "named" | "shared";

/** What a root is called where no manifest tells it. */
export const ROOT_NAMES: readonly string[] = ["_bmad", "bmad", ".bmad"];

/** A BMAD root in a tree, and how it was recognised. */
export interface Root {
  /** The folder in the tree: `_bmad`, `.bmad-core`; "" when the tree itself is the root. */
  readonly path: string;
  /** Follows from the layout. */
  readonly generation: Generation;
  /** How it was recognised, such as `installed skills`: docs/layouts.md has them all. */
  readonly layout: string;
  /** From the installation's manifest or from `package.json`; missing when there is neither. */
  readonly version?: string;
}

/** All that one tree holds. */
export interface Inventory {
  /** Empty when there is no BMAD content at all; several when generations lie side by side. */
  readonly roots: readonly Root[];
  /** In the order of the roots; a code comes twice when two roots hold it. */
  readonly modules: readonly Module[];
  /** In the order of finding, which becomes the `position` of entries. */
  readonly items: readonly Item[];
  /** A path that no mount covers is not served, even when the tree could read it. */
  readonly mounts: readonly Mount[];
  /** What was left out or only half understood; the rest was still read. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The words of an inventory's things as a search compares them, made beforehand: for each thing, by module, kind and
 * id, one text for each of the fields that are looked through.
 */
export type PreparedWords = Readonly<Record<string, readonly string[]>>;

/** An item with the origin it came from: one record of the master manifest. */
export interface Entry extends Item {
  /** Unique in the manifest: `project:bmm:skill:bmad-prd`. */
  readonly key: string;
  /** Whose tree holds its files. */
  readonly origin: Origin;
  /** The origin's place in the order of origins. */
  readonly rank: number;
  /** The entry's place in its origin's own order. */
  readonly position: number;
}

/** One origin with what was found in it. */
export interface Source {
  /** The place that was read. */
  readonly origin: Origin;
  /** There even when nothing was found: then its lists are empty. */
  readonly inventory: Inventory;
}

/** Every record of every origin: never merged, never flattened. */
export interface Manifest {
  /** Best origin first: an entry's `rank` is an index into this list. */
  readonly sources: readonly Source[];
  /** Also those that are shadowed, hidden or without a file; views pick what they show. */
  readonly entries: readonly Entry[];
}

/** `bmm/bmad-agent-analyst`: the name that always leads to one thing of the best origin. */
export function qualifiedName(item: Pick<Item, "module" | "id">): string {
  return `${item.module}/${item.id}`;
}

/** `bmad-agent-analyst` → `analyst`: a name without the prefixes that generations put before it. */
export function shortName(id: string, module = ""): string {
  const word = id.toLowerCase();
  const plain = word.replace(/^bmad-agent-|^bmad-/, "");
  const own = module !== "" && plain.startsWith(`${module}-`) ? plain.slice(module.length + 1) : plain;
  return own.replace(/^agent-/, "") || word;
}

/** The layers of an installation's configuration, each over the one before it. */
export const CONFIG_LAYERS: readonly string[] = [
  "config.toml",
  "config.user.toml",
  "custom/config.toml",
  "custom/config.user.toml",
];

/** Whether an item answers to a kind, by itself or by one of its roles. */
export function isOf(item: Pick<Item, "kind" | "roles">, kind: Kind): boolean {
  return item.kind === kind || (item.roles as readonly string[]).includes(kind);
}

/** Whether an item is kept out of lists. */
export function isHidden(item: Pick<Item, "roles">): boolean {
  return item.roles.includes("shim") || item.roles.includes("internal");
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

/** What a start must be allowed to do. Everything else is given up. */
export interface WantedRights {
  /** Absolute folders and files that are read. */
  readonly read: readonly string[];
  /** Absolute folders and files that are written. Most starts write nothing. */
  readonly write: readonly string[];
  /** Programs that are started, by name. */
  readonly run: readonly string[];
  /** Whether others are connected to. To be connected to takes nothing: what listens was opened before. */
  readonly net: boolean;
}

/** What the process may still do, for people to read. */
export interface RightsInForce extends WantedRights {
  /** False after `--no-sandbox`: then the whole disk can be read and written. */
  readonly sandboxed: boolean;
  /** What was wanted and the program was started without: `read /srv/team`, `run git`. */
  readonly refused: readonly string[];
}

/** Names that no agent's tool may take, because other tools have them. */
export const RESERVED_TOOL_NAMES = ["bmad-workflow", "bmad-resources"] as const;

/** The parts of a project's context that can be asked for. */
export const CONTEXT_SECTIONS = ["all", "stack", "agents", "decisions", "architecture"] as const;

/** What a session or a run has come to, as far as one can ask for it. */
export const SESSION_STATES = ["all", "active", "completed", "failed"] as const;

/** The kinds of failures that a project's failure museum knows. */
export const FAILURE_CATEGORIES = [
  "CC-FAIL",
  "WRONG-ASSUMPTION",
  "CONTEXT-LOSS",
  "HALLUCINATION",
  "ARCH-MISTAKE",
  "PROCESS-SKIP",
] as const;

/** The stacks that a completion contract can be asked to verify. */
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
