/**
 * One row of the table of clients (table.ts): what we must know about a client to configure it.
 *
 * Paths are templates: `~` is the home folder, `${NAME:-default}` a variable, `*` any one name.
 */
import type { HookShapeName } from "./hook_shapes.ts";
import type { RemoteShapeName } from "./remote_shapes.ts";
import type { ShapeName } from "./shapes.ts";

/** Only `jsonc` allows comments and trailing commas. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

/** A system that clients run on. */
export type System = "linux" | "darwin" | "windows";

/** The same on every system, or one value for each; a system without one does not have the client. */
export type PerSystem<T> = T | Partial<Readonly<Record<System, T>>>;

/** Where a file has its entries, and what they look like. */
export interface Layout {
  /** The keys that lead to the entries: `mcpServers`. */
  readonly keys: readonly string[];
  readonly shape: ShapeName;
}

/** Where a client has the commands that it runs when a session begins. Every such file is JSON. */
export interface HookFile {
  readonly format: "json" | "jsonc";
  /** The keys that lead to the list of hooks. */
  readonly keys: readonly string[];
  /** The last key of the list for the end of a turn, if the client then gives its model what a hook says. */
  readonly end?: string;
  /** Whether the list for the end of a turn is meant. */
  readonly isEnd?: true;
  readonly shape: HookShapeName;
  readonly user: PerSystem<readonly string[]>;
  readonly project: readonly string[];
  /** Keys that a new file must have. */
  readonly seed?: Readonly<Record<string, unknown>>;
  /** What the user has to do before it is run. */
  readonly trust?: string;
}

/** One client. */
export interface Client extends Layout {
  /** What people type: `claude-code`. */
  readonly id: string;
  /** Its name: `Claude Code`. */
  readonly title: string;
  /** Other names that people type. */
  readonly aliases?: readonly string[];
  readonly format: Format;
  /** The shape of an entry for a server by HTTP, if it is known. */
  readonly remote?: RemoteShapeName;
  /** How a value in its file names the variable `BMAD_TOKEN`, if it can: a shared file must not hold a token. */
  readonly tokenVariable?: string;
  /** The layout of newer versions, used only if the file already has its keys. */
  readonly newer?: Layout;
  /** The files with a user's servers: the first that exists is used, else the first. */
  readonly user?: PerSystem<readonly string[]>;
  /** The same for a project, relative to its folder. */
  readonly project?: readonly string[];
  /**
   * How an entry in a project's file names the project: the client's own variable, or `unknown` for a client that has
   * none and may start servers elsewhere. Undefined for clients that start them in the project folder.
   */
  readonly workspace?: string;
  /** Files or folders that show that the client is installed. Default: the folder of the user's file. */
  readonly detectBy?: PerSystem<readonly string[]>;
  /** Programs on PATH that show the same: before its first start, a client has no folders. */
  readonly programs?: readonly string[];
  /** Its hooks for the start of a session; undefined if it has none whose output the model is given. */
  readonly hooks?: HookFile;
  /** Keys that a new file must have. */
  readonly seed?: Readonly<Record<string, string>>;
  /** What the user has to do after installing. */
  readonly next?: string;
  /** What else the user has to do if the entry is in a project's file. */
  readonly trust?: string;
  /** How to add a server by hand, for a client without a file that we can write. */
  readonly manualSteps?: string;
}

/** The values for one system. Every other Unix counts as linux. */
export function onSystem<T>(value: PerSystem<readonly T[]> | undefined, os: string): readonly T[] {
  if (value === undefined) return [];
  if (isForAll(value)) return value;
  return value[os === "windows" || os === "darwin" ? os : "linux"] ?? [];
}

function isForAll<T>(value: PerSystem<readonly T[]>): value is readonly T[] {
  return Array.isArray(value);
}

/** The variables in a path template. */
export function variablesIn(template: string): readonly string[] {
  return Array.from(template.matchAll(/\$\{(\w+)/g), ([, name]) => name!);
}
