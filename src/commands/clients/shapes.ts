/**
 * What an entry looks like: the same command in the words of each client.
 *
 * A shape says which keys carry the command and its arguments and what must stand around them. It is used both ways:
 * to write an entry, and to tell what an entry that is there runs.
 */

/** A program and its arguments. */
export interface Launch {
  /** A path, or a name that is found on PATH. */
  readonly command: string;
  /** What it is given, word by word. */
  readonly args: readonly string[];
}

/** An entry as a file holds it. */
export type Entry = Readonly<Record<string, unknown>>;

interface Shape {
  /** What stands before the command; `name` is the entry's own name. */
  before?(name: string): Entry;
  readonly command: string;
  /** The key of the arguments; without one, the command's key holds a list with the command first. */
  readonly args?: string;
  /** What stands behind. */
  readonly after?: Entry;
  /** Whether entries stand in a list, each with its name inside, and not under their names. */
  readonly listed?: true;
}

const SPLIT = { command: "command", args: "args" } as const;

/** The name of a shape. */
export type ShapeName =
  | "plain"
  | "stdio"
  | "copilot"
  | "joined"
  | "joined-bare"
  | "switched"
  | "zed"
  | "kimi"
  | "goose"
  | "listed";

const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  plain: SPLIT,
  stdio: { before: () => ({ type: "stdio" }), ...SPLIT },
  copilot: { before: () => ({ type: "local" }), ...SPLIT, after: { tools: ["*"] } },
  joined: { before: () => ({ type: "local" }), command: "command", after: { enabled: true } },
  "joined-bare": { before: () => ({ type: "local" }), command: "command" },
  switched: { ...SPLIT, after: { disabled: false } },
  zed: { before: () => ({ source: "custom" }), ...SPLIT },
  kimi: { before: () => ({ transport: "stdio" }), ...SPLIT },
  goose: {
    before: (name) => ({ name, description: "The BMAD Method", type: "stdio" }),
    command: "cmd",
    args: "args",
    after: { enabled: true, timeout: 300 },
  },
  listed: { before: (name) => ({ name }), ...SPLIT, listed: true },
};

/** An entry that runs a command. */
export function buildEntry(shape: ShapeName, name: string, launch: Launch): Entry {
  const { before, after } = SHAPES[shape];
  return { ...before?.(name), ...launchPart(shape, launch), ...after };
}

/** The part of an entry that says what is run. The rest may be the user's own. */
export function launchPart(shape: ShapeName, { command, args }: Launch): Entry {
  const keys = SHAPES[shape];
  return keys.args === undefined
    ? { [keys.command]: [command, ...args] }
    : { [keys.command]: command, [keys.args]: args };
}

/** What an entry runs; undefined when it runs nothing, such as one for a remote server. */
export function readLaunch(shape: ShapeName, entry: Entry): Launch | undefined {
  const keys = SHAPES[shape];
  const command = entry[keys.command];
  const [first, ...rest] = [command, keys.args === undefined ? [] : entry[keys.args] ?? []].flat();
  const args = rest.filter((arg) => typeof arg === "string");
  return typeof first === "string" && args.length === rest.length ? { command: first, args } : undefined;
}

/** Whether entries of a shape stand in a list. */
export function isListed(shape: ShapeName): boolean {
  return SHAPES[shape].listed === true;
}

/** Whether an entry is switched off, in the words of any client. */
export function isSwitchedOff(entry: Entry): boolean {
  return entry["disabled"] === true || entry["enabled"] === false;
}
