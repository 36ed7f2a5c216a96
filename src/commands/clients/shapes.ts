/**
 * The shape of an entry: which keys hold the command and its arguments, and which other keys a client needs.
 *
 * Used both ways: to build an entry, and to read what an existing entry runs.
 */
import { shownWords } from "../../settings/mod.ts";
import { command } from "../../base/text.ts";

/** A program and its arguments. */
export interface Launch {
  /** A path, or a name on PATH. */
  readonly command: string;
  readonly args: readonly string[];
}

/** An entry, parsed. */
export type Entry = Readonly<Record<string, unknown>>;

interface Shape {
  /** Keys before the command; `name` is the entry's own name. */
  before?(name: string): Entry;
  readonly command: string;
  /** The key of the arguments; without one, the command's key has a list that starts with the command. */
  readonly args?: string;
  /** Keys after the arguments. */
  readonly after?: Entry;
  /** Whether entries are in a list, each with its name inside, and not in a map by name. */
  readonly listed?: true;
}

const SPLIT = { command: "command", args: "args" } as const;

/** Every shape, by its name. */
export const SHAPES = {
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
} satisfies Readonly<Record<string, Shape>>;

/** The name of a shape. */
export type ShapeName = keyof typeof SHAPES;

const shapeNamed = (name: ShapeName): Shape => SHAPES[name];

/** Builds an entry that runs a command. */
export function buildEntry(shape: ShapeName, name: string, launch: Launch): Entry {
  const { before, after } = shapeNamed(shape);
  return { ...before?.(name), ...launchPart(shape, launch), ...after };
}

/** The part of an entry that says what to run. The rest may be the user's own. */
export function launchPart(shape: ShapeName, { command, args }: Launch): Entry {
  const keys = shapeNamed(shape);
  return keys.args === undefined
    ? { [keys.command]: [command, ...args] }
    : { [keys.command]: command, [keys.args]: args };
}

/** What an entry runs; undefined if it runs nothing, such as the entry of a remote server. */
export function readLaunch(shape: ShapeName, entry: Entry): Launch | undefined {
  const keys = shapeNamed(shape);
  const command = entry[keys.command];
  const [first, ...rest] = [command, keys.args === undefined ? [] : entry[keys.args] ?? []].flat();
  const args = rest.filter((arg) => typeof arg === "string");
  return typeof first === "string" && args.length === rest.length ? { command: first, args } : undefined;
}

/** Whether entries of a shape are in a list. */
export function isListed(shape: ShapeName): boolean {
  return shapeNamed(shape).listed === true;
}

/** Whether an entry is switched off, in any client's way of saying so. */
export function isSwitchedOff(entry: Entry): boolean {
  return entry["disabled"] === true || entry["enabled"] === false;
}

/** What a launch starts, for people, with secrets masked: a command line, or a list of words that cannot be one. */
export function renderLaunch(launch: Launch): string {
  const args = shownWords([launch.command, ...launch.args]);
  return command`${{ args }}` ?? JSON.stringify(args);
}
