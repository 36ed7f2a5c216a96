/**
 * Commands that are shown to people to be typed next: they mean the same project as the one that shows them.
 */
import type { Config } from "../../app.ts";
import type { Fix } from "../../base/errors.ts";
import { command } from "../../base/text.ts";
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
  return fix === "plan" ? `${program} plan` : "--force";
}
