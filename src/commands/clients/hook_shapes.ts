/**
 * The shape of a hook: which keys hold the command line and its time limit.
 *
 * No shape has a matcher: whether a session continues an earlier one is decided by `prime`, in one place for all clients.
 */
import type { Entry } from "./shapes.ts";

/** Seconds; `prime` itself takes less. */
const LIMIT = 10;

interface HookShape {
  /** Whether each item of the list is a group, with the hooks in a list of its own. */
  readonly isGrouped?: true;
  build(line: string): Entry;
}

/** Every shape, by its name. */
export const HOOK_SHAPES = {
  grouped: { isGrouped: true, build: (command) => ({ type: "command", command, timeout: LIMIT }) },
  /** The limit in milliseconds. */
  "grouped-ms": {
    isGrouped: true,
    build: (command) => ({ type: "command", command, timeout: LIMIT * 1_000 }),
  },
  flat: { build: (command) => ({ command, timeout: LIMIT }) },
  copilot: {
    build: (line) => ({
      type: "command",
      bash: line,
      // PowerShell would print a quoted path instead of running it.
      powershell: /^["']/.test(line) ? `& ${line}` : line,
      timeoutSec: LIMIT,
    }),
  },
} as const satisfies Readonly<Record<string, HookShape>>;

/** The name of a shape. */
export type HookShapeName = keyof typeof HOOK_SHAPES;

/** Where a hook stands in its group, if the shape has groups. */
export const GROUP_KEY = "hooks";

/** The arguments that make this program answer a hook. */
export const HOOK_ARGS: readonly string[] = ["prime", "--hook"];

const OWN_LINE = new RegExp(` ${HOOK_ARGS.join(" ")}(?: |$)`);

/** Whether a hook runs this program, in any version and from any folder. */
export function isOwnHook(hook: Entry): boolean {
  return Object.values(hook).some((value) => typeof value === "string" && OWN_LINE.test(value));
}

/** An item of the list with a hook. */
export function buildHook(shape: HookShapeName, line: string): Entry {
  const { build, isGrouped }: HookShape = HOOK_SHAPES[shape];
  return isGrouped ? { [GROUP_KEY]: [build(line)] } : build(line);
}

/** Whether a shape has groups. */
export function isGrouped(shape: HookShapeName): boolean {
  const { isGrouped }: HookShape = HOOK_SHAPES[shape];
  return isGrouped === true;
}
