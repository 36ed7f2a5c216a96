/**
 * What is known of a client: a row of the table in table.ts, explained.
 *
 * Paths are templates: `~` is the home folder, `${NAME:-default}` a variable, `*` any one name.
 */
import type { ShapeName } from "./shapes.ts";

/** How a file is written. Only `jsonc` has comments and trailing commas; `json` files never get any. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

/** A system that clients run on. */
export type System = "linux" | "darwin" | "windows";

/** All of them. */
export const SYSTEMS: readonly System[] = ["linux", "darwin", "windows"];

/** The same everywhere, or another on each system; a client does not exist where it has none. */
export type PerSystem<T> = T | Partial<Readonly<Record<System, T>>>;

/** Where entries stand in a file, and what they look like. */
export interface Layout {
  /** The keys that lead to the entries: `mcpServers`, then the name of an entry. */
  readonly keys: readonly string[];
  /** The shape of one entry; in a list, entries carry their names in it. */
  readonly shape: ShapeName;
}

/** One client. */
export interface Client extends Layout {
  /** What people type: `claude-code`. */
  readonly id: string;
  /** What people call it: `Claude Code`. */
  readonly title: string;
  /** Other names that people type. */
  readonly aliases?: readonly string[];
  /** The format of its files. */
  readonly format: Format;
  /** Where a file that already has these keys wants entries; the ordinary layout is for all other files. */
  readonly newer?: Layout;
  /** The files that hold a user's servers, best first: the first that is there counts, else the first. */
  readonly user?: PerSystem<readonly string[]>;
  /** The same for a project, from its folder. */
  readonly project?: readonly string[];
  /**
   * How an entry in a project's file names the project: the client's own variable for it, or `absolute` where it has
   * none. Missing for clients that start servers in the project.
   */
  readonly workspace?: string;
  /** What is there when the client is: folders or files, any of which will do. Else the folder of the user's file. */
  readonly signs?: PerSystem<readonly string[]>;
  /** What a new file must say besides. */
  readonly seed?: Readonly<Record<string, string>>;
  /** What is left to do for the user once the entry is there. */
  readonly next: string;
  /** What is left to do besides when the entry stands in a project's file. */
  readonly trust?: string;
  /** How to add a server by hand, where no file can be written. */
  readonly byHand?: string;
}

/** What counts on one system; what is neither of the other two is taken for linux. */
export function onSystem<T>(value: PerSystem<readonly T[]> | undefined, os: string): readonly T[] {
  if (value === undefined) return [];
  if (isSame(value)) return value;
  const system: System = os === "windows" || os === "darwin" ? os : "linux";
  return value[system] ?? [];
}

function isSame<T>(value: PerSystem<readonly T[]>): value is readonly T[] {
  return Array.isArray(value);
}
