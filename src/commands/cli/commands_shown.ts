/**
 * Commands that are shown to people to be typed next: they mean the same project as the one that shows them.
 */
import type { Calls, Config, ReviewCalls, WriteCalls } from "../../app.ts";
import type { Failure, Fix } from "../../base/errors.ts";
import { qualifiedName } from "../../base/model.ts";
import { asksToRemember } from "../../base/remembering.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import { SETTINGS } from "../../settings/mod.ts";

/** The program, and the project if it was named on the command line: what precedes the word of a command. */
export function programOf({ settings: { project }, provenance }: Config): string {
  const { flag } = SETTINGS.project;
  return project === undefined || provenance.project !== flag
    ? "bmad-mcp"
    // A folder that cannot be written is left to the user.
    : command`bmad-mcp ${{ args: [flag] }} ${project}` ?? `bmad-mcp ${flag} DIR`;
}

/** What to type for each way out of a refusal. */
export function fixCommand(fix: Fix, program: string): string {
  const words: Readonly<Record<Fix, string>> = {
    plan: `${program} plan`,
    owner: "--by NAME",
    force: "--force",
  };
  return words[fix];
}

/** What to type after a failure, as a sentence; undefined where it says that itself. */
export function wayOn(failure: Failure, program: string): string | undefined {
  if (failure.code !== "not-found") return undefined;
  if (failure.origin !== undefined) return `Use ${command`--origin ${failure.origin}` ?? NO_COMMAND}`;
  if (failure.module !== undefined) {
    return `Add the module with \`${program} ${command`add ${failure.module}` ?? NO_COMMAND}\``;
  }
  const isUnlisted = failure.what === "story" && failure.hint === undefined;
  return isUnlisted ? `List all stories with \`${program} board\`` : undefined;
}

/** Commands that people give their wishes to. */
const WISHED = ["search", "execute", "show", "list", "script"];

/** What to type for a request to remember or to recall that another command got; undefined for any other request. */
export function memoryCommands(config: Config): string | undefined {
  const { name, operands } = config.invocation;
  if (!WISHED.includes(name) || !asksToRemember(operands.join(" "))) return undefined;
  const program = programOf(config);
  const recall = `recall with \`${program} memory recall WORDS\``;
  return config.settings.readOnly
    ? `Project memory: ${recall}`
    : `Project memory: remember with \`${program} memory remember TEXT\`, ${recall}`;
}

/** The commands that open what a delivered text refers to. */
export function contentCommands(config: Config): Calls {
  const program = programOf(config);
  return {
    open: `${program} show URI`,
    start: `${program} execute NAME`,
    script: config.settings.readOnly ? undefined : `${program} script LINE`,
    next: `${program} list next`,
  };
}

/** The commands for a next step. */
export function stepCommands(config: Config): WriteCalls {
  const program = { line: programOf(config) };
  return {
    execute: ({ entry, item, message }) =>
      command`${program} execute ${qualifiedName(entry)}${given("--item", item)}${given("-m", message)}` ??
        NO_COMMAND,
    trace: (story) => command`${program} trace ${story} --stale` ?? NO_COMMAND,
    review: (story) => command`${program} review ${story}` ?? NO_COMMAND,
    ...(!config.settings.readOnly && {
      mark: (story: string, status: string, by?: string) =>
        command`${program} mark ${story} ${status}${given("--by", by)}` ?? NO_COMMAND,
      claim: (story: string, by?: string) =>
        command`${program} claim ${story}${given("--by", by)}` ?? NO_COMMAND,
      plan: () => command`${program} plan` ?? NO_COMMAND,
      answer: (number: number) => command`${program} answer ${String(number)} TEXT` ?? NO_COMMAND,
    }),
  };
}

/** The commands for a review. */
export function reviewCommands(config: Config): ReviewCalls {
  const program = { line: programOf(config) };
  return {
    review: (story) => command`${program} review ${story}` ?? NO_COMMAND,
    force: fixCommand("force", program.line),
    ...(!config.settings.readOnly && {
      begin: (story: string) => command`${program} review ${story} --lens NAME` ?? NO_COMMAND,
      record: (story: string) =>
        command`${program} finding ${story} TEXT --severity high --file FILE:LINE` ?? NO_COMMAND,
      settle: (story: string, id: string, verdict: string, reason?: string) =>
        command`${program} finding ${story} ${id} --verdict ${verdict}${given("--reason", reason)}` ??
          NO_COMMAND,
    }),
  };
}

/** A flag with its value, if there is one. */
function given(flag: "--item" | "-m" | "--by" | "--reason", value: string | undefined) {
  return { line: value === undefined ? "" : command` ${{ args: [flag] }} ${value}` };
}
