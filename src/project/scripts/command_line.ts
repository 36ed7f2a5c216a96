/**
 * The command line by which a skill calls a script, read as a shell reads one command. It is never given to a shell:
 * whatever would need one (a second command, a pipe, a variable) is refused.
 */
import { fail } from "../../base/errors.ts";
import { LIMITS } from "../limits.ts";
import { shown } from "./options.ts";

export interface CommandLine {
  readonly path: string;
  readonly script: string;
  readonly args: readonly string[];
}

export function parseCommandLine(line: string): CommandLine {
  if (line.length > LIMITS.scripts.commandLine) refuseLength(line.length);
  return commandOf(splitWords(line));
}

export function commandOf(words: readonly string[]): CommandLine {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  if (length > LIMITS.scripts.commandLine) refuseLength(length);
  for (const word of words) checkCharacters(word);
  const at = skipProgram(words);
  const path = words[at];
  if (path === undefined) {
    return refuse("names no script", "Write a script and its arguments: memlog.py append …");
  }
  return {
    path,
    script: path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1),
    args: words.slice(at + 1),
  };
}

/** Programs that only start the script, and their harmless options. */
const STARTERS: readonly {
  readonly names: RegExp;
  readonly flags: readonly string[];
  readonly valued: readonly string[];
}[] = [
  {
    names: /^uv$/,
    flags: "run --no-cache -n --no-project --script -s --quiet -q --offline --isolated".split(" "),
    valued: ["--with", "--python", "-p"],
  },
  {
    names: /^(?:python(?:3(?:\.\d+)?)?|py)(?:\.exe)?$/,
    flags: ["-B", "-u", "-I", "-E", "-s", "-3"],
    valued: ["-X"],
  },
  { names: /^bmad-mcp(?:\.exe)?$/, flags: ["script"], valued: [] },
];

function skipProgram(words: readonly string[]): number {
  // Variables of the environment have no effect here.
  let at = words.findIndex((word) => !/^[A-Za-z_]\w{0,99}=/.test(word));
  if (at < 0) return words.length;
  for (;;) {
    const program = words[at] ?? "";
    const starter = STARTERS.find(({ names }) => names.test(program.slice(program.lastIndexOf("/") + 1)));
    if (starter === undefined) break;
    at++;
    for (let word; (word = words[at]) !== undefined; at++) {
      if (starter.valued.includes(word)) at++;
      else if (
        !starter.flags.includes(word) && !starter.valued.some((name) => word!.startsWith(`${name}=`))
      ) break;
    }
    const option = words[at];
    if (option?.startsWith("-")) {
      refuse(`has the option ${shown(option)} of ${program}`, "Start with the script: memlog.py append …");
    }
  }
  return at;
}

const TOKEN =
  /(?<space>[ \t]+|\\\r?\n)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[^\w.])|(?<operator>[;|&<>`()\r\n]|\$(?=[\w({]))|(?<plain>[^\s;|&<>`()$'"\\]+|[\\$])|(?<open>['"])|(?<odd>[\s\S])/gy;

function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups, index } of line.trim().matchAll(TOKEN)) {
    const { space, single, double, escaped, operator, plain, open } = groups!;
    if (operator !== undefined) {
      const called = /[\r\n]/.test(operator) ? "a second line" : JSON.stringify(operator);
      refuse(
        `has ${called} outside quotes, which only a shell understands`,
        "Call one script at a time, fill in placeholders, and put texts in quotes",
      );
    }
    if (open !== undefined) refuse(`has an open quote at character ${index + 1}`, "Close it");
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (word === undefined && plain?.startsWith("~")) {
      refuse(`has ${shown(plain)}, which only a shell understands`, "Write the path itself");
    }
    word = (word ?? "") +
      (single ?? double?.replaceAll(/\\(?:\r?\n|(["\\$`]))/g, "$1") ?? escaped ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}

/** Line breaks are judged by option. */
function checkCharacters(word: string): void {
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(word)) refuse("contains control characters", "Leave them out");
}

function refuseLength(length: number): never {
  return refuse(`has ${length} characters`, `Use at most ${LIMITS.scripts.commandLine}`);
}

function refuse(problem: string, hint: string): never {
  return fail({ code: "invalid-input", field: "script", problem: `the command line ${problem}`, hint });
}
