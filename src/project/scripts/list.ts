/**
 * The list of scripts: those that are native with their calls, and those that are not.
 */
import { parseCommandLine } from "./command_line.ts";
import { examplesOf } from "./help.ts";
import { isWriting } from "./program.ts";
import type { Script } from "./script.ts";

function callsOf(script: Script) {
  return examplesOf(script.usage).map((example) => {
    const line = `${script.name} ${example}`;
    return { script, line, isWriter: isWriting(script, parseCommandLine(line).args) };
  });
}

/**
 * Whether a call of the script changes nothing, by its line as a text spells it: placeholders and brackets of usage may
 * keep it from being understood, so a word that is a writing command decides, too.
 */
export function isReadingCall(script: Script, line: string): boolean {
  const calls = callsOf(script);
  const writers = calls.filter(({ isWriter }) => isWriter).map(({ line }) => line.split(" ")[1]!);
  const [, ...words] = line.trim().split(/\s+/);
  return calls.length > writers.length && !isWriting(script, words) &&
    !words.some((word) => writers.includes(word));
}

/**
 * The list as Markdown, with the calls that may run here; `instead` says what to do without each script that content calls,
 * one line for each.
 */
export function describeScripts(
  scripts: readonly Script[],
  instead: string,
  mayRun: (line: string) => boolean,
): string {
  const called = new Set(
    Array.from(instead.matchAll(/^- ([\w-]{1,80}\.\w{1,4})\b/gm), ([, name]) => name!),
  );
  const listed = scripts.filter(({ name, usage }) => !usage.needsSkill || called.has(name));
  const rows = listed.flatMap(callsOf);
  // Without the option that an example begins with.
  const refused = rows.filter(({ line }) => !mayRun(line)).map(({ line }) =>
    line.split(" ").slice(0, 2).join(" ").replace(/ -.*/, "")
  );
  const natives = scripts.map(({ name }) => name);
  const others = [...called].filter((name) => !natives.includes(name));
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
    ...rows.filter(({ line }) => mayRun(line)).map(({ script, line, isWriter }) => {
      const { about, commands = {} } = script.usage;
      const [, command = ""] = line.split(" ");
      return `| \`${line}\` | ${isWriter ? "writes" : "reads"} | ${commands[command]?.about ?? about} |`;
    }),
    ...(refused.length === 0 ? [] : ["", `Not allowed here: ${refused.join(", ")}.`]),
    "",
    `Not native: ${[...others, ...foreign].join(", ")}. ` +
    "Other scripts of later generations (setup.py, migrate_v6.py …) are not native either.",
    "",
    instead,
  ].join("\n");
}
