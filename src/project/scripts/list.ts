/**
 * The list of scripts: those that are native with their calls, and those that are not.
 */
import { parseCommandLine } from "./command_line.ts";
import { MANUALS } from "./manual.ts";
import type { Script } from "./script.ts";

/** One call of a script, and whether it writes. */
interface ListedCall {
  readonly line: string;
  readonly isWriter: boolean;
}

function callsOf(script: Script): readonly ListedCall[] {
  return MANUALS[script.name]!.examples.map((example) => {
    const line = `${script.name} ${example}`;
    return { line, isWriter: script.isWriter(parseCommandLine(line).args) };
  });
}

/** The names of the scripts that change nothing. */
export function readersOf(scripts: readonly Script[]): readonly string[] {
  return scripts.filter((script) => !callsOf(script).some(({ isWriter }) => isWriter)).map(({ name }) =>
    name
  );
}

/** The list as Markdown; `instead` says what to do without each script that content calls, one line for each. */
export function describeScripts(scripts: readonly Script[], instead: string): string {
  const natives = scripts.map(({ name }) => name);
  const others = new Set(
    Array.from(instead.matchAll(/^- ([\w-]{1,80}\.\w{1,4})\b/gm), ([, name]) => name!).filter((name) =>
      !natives.includes(name)
    ),
  );
  return [
    "# Native scripts",
    "",
    "They need no Python. Give the command line to the call that activated texts name under “scripts”, or to " +
    "`bmad-mcp script`. SCRIPT --help shows the options.",
    "",
    "| Call | Effect | Purpose |",
    "| --- | --- | --- |",
    ...scripts.flatMap((script) => {
      const { about, commands = {} } = MANUALS[script.name]!;
      return callsOf(script).map(({ line, isWriter }) => {
        const [, command = ""] = line.split(" ");
        return `| \`${line}\` | ${isWriter ? "writes" : "reads"} | ${commands[command] ?? about} |`;
      });
    }),
    "",
    `Not native: ${[...others].join(", ") || "none of those that the served content calls"}. ` +
    "Scripts of later generations (setup.py, migrate_v6.py …) are not native either.",
    "",
    instead,
  ].join("\n");
}
