/** A row of table.ts. Paths are templates: `~` is the home folder, `${NAME:-default}` a variable, `*` any one name. */
import type { EntryShapes, HookShapeName, ShapeName } from "./shapes.ts";

/** Only `jsonc` allows comments and trailing commas. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

export type System = "linux" | "darwin" | "windows";

/** The same on every system, or those of each; a system without any does not have the client. */
type Paths = readonly string[] | Partial<Readonly<Record<System, readonly string[]>>>;

export interface Layout {
  readonly keys: readonly string[];
  readonly shape: ShapeName;
}

export interface HookFile {
  readonly format: "json" | "jsonc";
  readonly keys: readonly string[];
  /** The last key of the list for the end of a turn, if the client then gives its model what a hook says. */
  readonly end?: string;
  readonly isEnd?: true;
  readonly shape: HookShapeName;
  /** Default: those of the client's entries. */
  readonly user?: Paths;
  readonly project?: readonly string[];
  readonly seed?: Readonly<Record<string, unknown>>;
  readonly trust?: string;
}

export interface Client extends Layout, EntryShapes {
  readonly id: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  readonly format: Format;
  /** How a value in its file names the variable `BMAD_TOKEN`, if it can: a shared file must not hold a token. */
  readonly tokenVariable?: string;
  /** The layout of newer versions, used only if the file already has its keys. */
  readonly newer?: Layout;
  /** The files with a user's servers: the first that exists is used, else the first. */
  readonly user?: Paths;
  readonly project?: readonly string[];
  /**
   * How an entry in a project's file names the project: the client's own variable, or `unknown` if it has none and may
   * start servers elsewhere. Undefined: it starts them in the project folder.
   */
  readonly workspace?: string;
  /** What shows that the client is installed. Default: the folder of the user's file. */
  readonly detectBy?: Paths;
  /** On PATH; they show the same: before its first start, a client has no folders. */
  readonly programs?: readonly string[];
  readonly hooks?: HookFile;
  readonly skills?: readonly [user: string, project: string];
  readonly seed?: Readonly<Record<string, string>>;
  readonly next?: string;
  readonly trust?: string;
  readonly manualSteps?: string;
}

/** Every other Unix counts as linux. */
export function onSystem(paths: Client["user"], os: string): readonly string[] {
  if (paths === undefined || "map" in paths) return paths ?? [];
  return paths[os === "windows" || os === "darwin" ? os : "linux"] ?? [];
}

export function variablesIn(template: string): readonly string[] {
  return Array.from(template.matchAll(/\$\{(\w+)/g), ([, name]) => name!);
}
