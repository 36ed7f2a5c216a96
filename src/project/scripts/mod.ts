/** BMAD's own scripts, done natively: the same output and exit status, without Python. */
import { brain } from "./brain.ts";
import { lintSpine, wordMetrics } from "./document_checks.ts";
import { gitEvidence } from "./git_evidence.ts";
import { judgeInstalled, type ScriptState } from "./known.ts";
import { listCustomizableSkills } from "./list_customizable_skills.ts";
import { memlog } from "./memlog.ts";
import { pickMethods } from "./catalogue.ts";
import { listExamples } from "./options.ts";
import { reconKit } from "./recon_kit.ts";
import { RESOLVERS } from "./resolvers.ts";
import { type CommandLine, parseCommandLine, runCommand } from "./run.ts";
import { isWriting, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";
import { sprintPlan } from "./sprint_plan.ts";
import { sprintStatus } from "./sprint_status.ts";
import { tickets } from "./tickets.ts";

export { isCompared, type ScriptState } from "./known.ts";
export { commandOf, parseCommandLine } from "./run.ts";
export { planSprint, type SprintPlan, type SprintRequest } from "./sprint.ts";
export { ScriptError, type ScriptResult, type ScriptWorld } from "./script.ts";

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

export interface ScriptRights {
  readonly isReadOnly: boolean;
  readonly mayRunGit: boolean;
}

/** The line of a text, such as `brain.py list --all`. */
export function isNativeCall(line: string, { isReadOnly, mayRunGit }: ScriptRights): boolean {
  const script = SCRIPTS.find(({ name }) => line.startsWith(name) && !/\w/.test(line.charAt(name.length)));
  const [, ...words] = line.trim().split(/\s+/);
  // A mention without arguments may mean any call.
  if (script === undefined || words.length > 0 && script.foreign?.(words) !== undefined) return false;
  return (mayRunGit || script !== gitEvidence) && (!isReadOnly || isReadingCall(script, words));
}

export function movesStories({ script, args }: CommandLine): boolean {
  return SCRIPTS.some((one) => one.name === script && one.movesStories && isWriting(one, args));
}

function exampleCalls(script: Script) {
  return listExamples(script.usage).map((example) => {
    const line = `${script.name} ${example}`;
    return { script, line, isWriter: isWriting(script, parseCommandLine(line).args) };
  });
}

/** Placeholders and brackets may keep a call from being parsed, so a word that is a writing command decides, too. */
function isReadingCall(script: Script, words: readonly string[]): boolean {
  const calls = exampleCalls(script);
  const writers = calls.filter(({ isWriter }) => isWriter).map(({ line }) => line.split(" ")[1]!);
  return calls.length > writers.length && !isWriting(script, words) &&
    !words.some((word) => writers.includes(word));
}

/** `instead` has one line for each script that content calls: what to do without it. */
export function listScripts(instead: string, rights: ScriptRights): string {
  const called = new Set(
    Array.from(instead.matchAll(/^- ([\w-]{1,80}\.\w{1,4})\b/gm), ([, name]) => name!),
  );
  const listed = SCRIPTS.filter(({ name, usage }) => !usage.needsSkill || called.has(name));
  const { allowed = [], refused = [] } = Object.groupBy(
    listed.flatMap(exampleCalls),
    ({ line }) => isNativeCall(line, rights) ? "allowed" : "refused",
  );
  // Without the option that an example begins with.
  const refusals = refused.map(({ line }) => line.split(" ").slice(0, 2).join(" ").replace(/ -.*/, ""));
  const others = [...called].filter((name) => SCRIPTS.every((script) => script.name !== name));
  const foreign = listed.filter(({ usage }) => usage.notNative !== undefined)
    .map(({ name, usage }) => `${name} ${usage.notNative}`);
  return [
    "# Native scripts",
    "",
    "They need no Python. Give the command line to the call that activated texts name under “scripts”, or to " +
    "`bmad-mcp script`. SCRIPT --help shows the options.",
    "",
    "| Call | Effect | Purpose |",
    "| --- | --- | --- |",
    ...allowed.map(({ script, line, isWriter }) => {
      const { about, commands = {} } = script.usage;
      const [, command = ""] = line.split(" ");
      return `| \`${line}\` | ${isWriter ? "writes" : "reads"} | ${commands[command]?.about ?? about} |`;
    }),
    ...(refusals.length === 0 ? [] : ["", `Not allowed here: ${refusals.join(", ")}.`]),
    "",
    `Not native: ${[...others, ...foreign].join(", ")}. ` +
    "Other scripts of later generations (setup.py, migrate_v6.py …) are not native either.",
    "",
    instead,
  ].join("\n");
}

export function runScript(command: CommandLine, world: ScriptWorld, skill?: string): Promise<ScriptResult> {
  return runCommand(SCRIPTS, command, world, skill);
}

export function installedScripts(world: ScriptWorld): Promise<readonly ScriptState[]> {
  return judgeInstalled(SCRIPTS, world);
}
