/** Commands to type next mean the same project as the one that shows them. */
import type { App, Calls, Config } from "../../app.ts";
import type { Failure, Fix } from "../../base/errors.ts";
import { qualifiedName } from "../../base/model.ts";
import { type Spell, spellCalls, type WorkCalls } from "../../handlers.ts";
import { OPERATIONS, type Param, type WorkOperation } from "../../operations/mod.ts";
import { asksToRemember } from "../../base/remembering.ts";
import { command, NO_COMMAND } from "../../base/text.ts";
import { SETTINGS } from "../../settings/mod.ts";

/** With the project if it was named on the command line. */
export function programOf({ settings, provenance, project: folder }: Config, named?: string): string {
  const flag = SETTINGS.project.flag!;
  const isGiven = provenance.project === flag;
  const project = named !== undefined ? folder : isGiven ? settings.project : undefined;
  if (project === undefined) return "bmad-mcp";
  // A folder that cannot be written is left to the user.
  return command`bmad-mcp ${{ args: [flag] }} ${project}` ?? `bmad-mcp ${flag} DIR`;
}

export function fixCommand(fix: Fix, program: string): string {
  const words: Readonly<Record<Fix, string>> = {
    plan: `${program} plan`,
    next: `${program} next`,
    owner: "--by NAME",
    self: "--by NAME",
    reason: "--reason WHY",
    force: "--force",
    overrule: "--force",
  };
  return words[fix];
}

export function wayOn(failure: Failure, program: string): string | undefined {
  if (failure.code !== "not-found") return undefined;
  if (failure.origin !== undefined) return `Use ${command`--origin ${failure.origin}` ?? NO_COMMAND}`;
  if (failure.module !== undefined) {
    return `Add the module with \`${program} ${command`add ${failure.module}` ?? NO_COMMAND}\``;
  }
  const isUnlisted = failure.what === "story" && failure.hint === undefined;
  return isUnlisted ? `List all stories with \`${program} board\`` : undefined;
}

const WISHED = ["search", "execute", "show", "list", "script"];

export function memoryCommands(config: Config): string | undefined {
  const { name, operands } = config.invocation;
  if (!WISHED.includes(name) || !asksToRemember(operands.join(" "))) return undefined;
  const program = programOf(config);
  const recall = `recall with \`${program} memory recall WORDS\``;
  return config.settings.readOnly
    ? `Project memory: ${recall}`
    : `Project memory: remember with \`${program} memory remember TEXT\`, ${recall}`;
}

export function contentCommands({ config, named }: Pick<App, "config" | "named">): Calls {
  const program = programOf(config, named);
  return {
    open: `${program} show URI`,
    start: `${program} execute NAME`,
    script: config.settings.readOnly ? undefined : `${program} script LINE`,
    next: `${program} list next`,
    review: `${program} review STORY`,
  };
}

export function workCommands({ config, named }: Pick<App, "config" | "named">): WorkCalls {
  const program = { line: programOf(config, named) };
  return spellCalls((operation, args) => spellCommand(program, operation, args), {
    execute: ({ entry, item, message }) => {
      const flags = [
        ...(item === undefined ? [] : ["--item", item]),
        ...(message === undefined ? [] : ["-m", message]),
      ];
      const rest = { line: flags.length === 0 ? "" : command` ${{ args: flags }}` };
      return command`${program} execute ${qualifiedName(entry)}${rest}` ?? NO_COMMAND;
    },
    force: fixCommand("force", program.line),
    reads: true,
    writes: !config.settings.readOnly,
  });
}

function spellCommand(
  program: { readonly line: string },
  operation: WorkOperation,
  args: Parameters<Spell>[1],
): string {
  const params = Object.entries<Param>(OPERATIONS[operation].params);
  const operands = params.flatMap(([key, { operand }]) =>
    operand === undefined || args[key] === undefined ? [] : [String(args[key])]
  );
  const flags = params.flatMap(([key, { operand, flag = `--${key}`, kind }]) =>
    operand !== undefined || args[key] === undefined
      ? []
      : kind === "flag"
      ? [flag]
      : [flag, String(args[key])]
  );
  const words = operands.map((word) => command`${word}`);
  const line = words.includes(undefined) ? undefined : ["", ...words].join(" ");
  const rest = { line: flags.length === 0 ? "" : command` ${{ args: flags }}` };
  return command`${program} ${{ line: operation }}${{ line }}${rest}` ?? NO_COMMAND;
}
