/**
 * BMAD's own scripts, done natively: the same output and exit status, without Python.
 *
 * To add one, write a `Script` in a file of its own and add it to `SCRIPTS`.
 */
import { brain } from "./brain.ts";
import type { CommandLine } from "./command_line.ts";
import { gitEvidence } from "./git_evidence.ts";
import { judgeInstalled } from "./installed.ts";
import type { ScriptState } from "./known.ts";
import { describeScripts, isReadingCall } from "./list.ts";
import { lintSpine } from "./lint_spine.ts";
import { listCustomizableSkills } from "./list_customizable_skills.ts";
import { memlog } from "./memlog.ts";
import { pickMethods } from "./pick_methods.ts";
import { reconKit } from "./recon_kit.ts";
import { RESOLVERS } from "./resolvers.ts";
import { parseArguments } from "./options.ts";
import { execute } from "./program.ts";
import { runCommand } from "./run.ts";
import type { Script, ScriptResult, ScriptWorld } from "./script.ts";
import { sprintPlan } from "./sprint_plan.ts";
import { sprintStatus } from "./sprint_status.ts";
import { tickets } from "./tickets.ts";
import { wordMetrics } from "./word_metrics.ts";

export { type CommandLine, commandOf, parseCommandLine, splitWords } from "./command_line.ts";
export { isCompared, type ScriptState } from "./known.ts";
export { stampsEntries } from "./memlog.ts";
export { ScriptError } from "./program.ts";
export { planSprint, type SprintPlan, type SprintRequest } from "./sprint_generate.ts";
export type { Argument, Given, Usage } from "./options.ts";
export type { Need, Script, ScriptFiles, ScriptResult, ScriptSkill, ScriptWorld } from "./script.ts";

/** All native scripts. */
export const SCRIPTS: readonly Script[] = [
  memlog,
  reconKit,
  lintSpine,
  wordMetrics,
  pickMethods,
  brain,
  listCustomizableSkills,
  sprintPlan,
  sprintStatus,
  gitEvidence,
  tickets,
  ...RESOLVERS,
];

/** What a start may do. */
export interface ScriptRights {
  readonly isReadOnly: boolean;
  readonly mayRunGit: boolean;
}

/** Whether a native script does what the line of a text asks for, such as `brain.py list --all`, and may do it. */
export function isNativeCall(line: string, { isReadOnly, mayRunGit }: ScriptRights): boolean {
  const script = SCRIPTS.find(({ name }) => line.startsWith(name) && !/\w/.test(line.charAt(name.length)));
  const [, ...words] = line.trim().split(/\s+/);
  // A mention without arguments may mean any call.
  if (script === undefined || words.length > 0 && script.foreign?.(words) !== undefined) return false;
  return (mayRunGit || script !== gitEvidence) && (!isReadOnly || isReadingCall(script, line));
}

/** The list of scripts as Markdown; `instead` says what to do without each that content calls. */
export function listScripts(instead: string, rights: ScriptRights): string {
  return describeScripts(SCRIPTS, instead, (line) => isNativeCall(line, rights));
}

/** Runs the native script that a command line calls; fails, naming the file and its command, for any other. */
export function runScript(command: CommandLine, world: ScriptWorld, skill?: string): Promise<ScriptResult> {
  return runCommand(SCRIPTS, command, world, skill);
}

/** Runs a native script with its arguments as they are: without values of the project, and without a note. */
export function runNative(
  script: Script,
  args: readonly string[],
  world: ScriptWorld,
): Promise<ScriptResult> {
  return execute(script, parseArguments(script.usage, args), world);
}

/** Every script of BMAD's that is installed, with what is known of it. */
export function installedScripts(world: ScriptWorld): Promise<readonly ScriptState[]> {
  return judgeInstalled(SCRIPTS, world);
}
