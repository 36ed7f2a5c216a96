/**
 * Runs the native script that a command line calls; for any other, says how to run it. The line is split as a shell
 * does, but what needs a shell (a second command, a pipe, a variable) is refused.
 */
import { recover } from "../../base/absence.ts";
import { fail, failField, failMissing } from "../../base/errors.ts";
import { whyNot } from "../../base/people.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText, asValues, fillNames, type Values } from "../../base/values.ts";
import { localTime } from "../../base/time.ts";
import { LIMITS } from "../limits.ts";
import { parseStamp, sprintTime } from "../work/formats/mod.ts";
import { judgeScript, sharedFolders } from "./known.ts";
import { ConfigError, readCustomization } from "./resolvers.ts";
import { allArguments, type Argument, parseArguments, shown } from "./options.ts";
import {
  callName,
  configTables,
  execute,
  failed,
  findSkill,
  type Script,
  type ScriptResult,
  type ScriptSkill,
  type ScriptWorld,
  withoutSecrets,
} from "./script.ts";

export type CommandLine = ReturnType<typeof commandOf>;

export function parseCommandLine(line: string): CommandLine {
  checkLength(line.length);
  return commandOf(splitWords(line));
}

export function commandOf(words: readonly string[]) {
  checkLength(words.reduce((sum, word) => sum + word.length, 0));
  // Line breaks are judged by option.
  // deno-lint-ignore no-control-regex
  const isOdd = words.some((word) => /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(word));
  if (isOdd) refuse("contains control characters", "Leave them out");
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

/** Programs that only start the script, with their harmless options. */
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

function checkLength(length: number): void {
  const most = LIMITS.scripts.commandLine;
  if (length > most) refuse(`has ${length} characters`, `Use at most ${most}`);
}

function refuse(problem: string, hint: string): never {
  return failField("script", `the command line ${problem}`, hint);
}

/** Scripts of the generation after 6.x only. */
const LATER = /^(?:setup|setup_check|migrate_v6|read_store|read_toml|stamp_release|validate_manifests)\.py$/;

/** `named` is the skill whose text has the line, if the caller knows it. */
export async function runCommand(
  scripts: readonly Script[],
  command: CommandLine,
  given: ScriptWorld,
  named?: string,
): Promise<ScriptResult> {
  const { path, script: called } = command;
  const script = scripts.find(({ name }) => name === called || name === `${called}.py`);
  // A user's own `tools/memlog.py` is not one of BMAD's scripts.
  const isScript = path === called || /(?:^|[\\/])scripts[\\/][^\\/]+$/.test(path);
  if (script === undefined || !isScript) return refuseUnknown(scripts, command, given);
  const foreign = script.foreign?.(command.args);
  if (foreign !== undefined) return refuseUnknown(scripts, command, given, foreign);
  const world = withOwner(given, command, named);
  const read = await openValues(script, command.args, world);
  const parsed = parseArguments(script.usage, command.args, read);
  const isWriting = parsed.is === "values" && script.isWriter?.(parsed.given) === true;
  if (isWriting && !world.files.isWritable) {
    fail({
      code: "not-allowed",
      what: `run ${callName(script.name, parsed.given)}`,
      hint: world.person && whyNot(world.person, "work") ||
        "it writes, and this start is read-only. Write the file with your own tools",
      isRight: true,
    });
  }
  const result = await execute(script, parsed, world);
  const note = await strangerNote(script, command, world, isWriting && result.status === 0);
  return { ...limited(script.name, result), ...(note !== undefined && { note }) };
}

async function strangerNote(script: Script, line: CommandLine, world: ScriptWorld, isDone: boolean) {
  const original = findOriginal({ ...line, script: script.name }, world);
  if (original === undefined) return undefined;
  const { strange, rules, lacks } = await judgeScript(original, script, world);
  if (strange.length === 0) return undefined;
  const files = strange.map((place) => place.replace(`${world.files.root}/`, "")).join(", ");
  const lacking = lacks.length === 0 ? "" : ` and lacks ${lacks.join(", ")}`;
  const run = isDone
    ? "It is written: do not run it again. The original, for the next call"
    : "To run the original instead";
  return `note: ${files} is in no BMAD release that was compared. ` +
    `This follows the rules of ${rules}${lacking}. ${runOriginal(original.place, line.args, run)}`;
}

/** Finding the skill of a script looks into all skills, so it is done on demand. */
function withOwner(world: ScriptWorld, command: CommandLine, named: string | undefined): ScriptWorld {
  if (named !== undefined) {
    return {
      ...world,
      skill: findSkill(world, named) ?? failMissing("skill", named),
    };
  }
  let owner: { readonly skill: ScriptSkill | undefined } | undefined;
  return {
    ...world,
    get skill() {
      return (owner ??= { skill: findOwner(command, world.skills) }).skill;
    },
  };
}

const NAME = /\{(\w+(?:\.\w+)?)\}/g;

/** From the configuration and, after `workflow.` or `agent.`, the skill's customization. Free text stays. */
async function openValues(script: Script, args: readonly string[], world: ScriptWorld) {
  const names = args.flatMap((arg) => arg.match(NAME) ?? []);
  const isCustom = names.some((name) => name.includes("."));
  const custom = isCustom ? await withoutSecrets(customValues(world)) : {};
  const tables = names.length === 0 ? [] : await configTables(world);
  const config: Values = Object.assign({}, ...tables.toReversed());
  const now = localTime(world.clock.now());
  return (value: string, option: Argument | undefined): string => {
    if (option?.isMultiline) return withRoot(value, world);
    const text = fillNames(value, NAME, (name) => {
      const [table, key] = name.split(".");
      return key === undefined ? undefined : asText(asValues(custom[table!])[key]);
    });
    const known: Values = { date: option?.isSprintTime ? sprintTime(now) : now.slice(0, 10), ...config };
    // A folder may be spelled with the name of another.
    const fill = (text: string) => fillNames(text, NAME, (name) => asText(known[name]));
    const spelled = option?.isPattern ? text : fill(fill(text));
    const filled = withRoot(option?.isRecorded ? spelled.replace(/^\{project-root\}\//, "") : spelled, world);
    if (option?.isSprintTime === "only") {
      return filled === now.slice(0, 10)
        ? sprintTime(now)
        : parseStamp(filled, { isLenient: true })?.text ?? filled;
    }
    return /[\r\n]/.test(filled) ? refuseLines(script, option) : filled;
  };
}

function customValues(world: ScriptWorld): Values {
  const { skill } = world;
  return skill && recover(ConfigError, () => readCustomization(world, skill.location, "", [])) || {};
}

function limited(name: string, { status, stdout, stderr }: ScriptResult): ScriptResult {
  if (stdout.length > LIMITS.scripts.stdout) {
    return failed(1, `${name}: error: the output is longer than ${LIMITS.scripts.stdout} characters\n`);
  }
  const isLong = stderr.length > LIMITS.scripts.stderr;
  return {
    status,
    stdout,
    stderr: isLong ? `${stderr.slice(0, LIMITS.scripts.stderr).toWellFormed()}…\n` : stderr,
  };
}

function findOwner({ path, script }: Omit<CommandLine, "args">, skills: readonly ScriptSkill[]) {
  const [, folder] = /(?<![^\\/])([^\\/]+)[\\/]scripts[\\/][^\\/]+$/.exec(path) ?? [];
  return skills.find(({ name }) => name === folder) ??
    skills.find((skill) => skill.read(`scripts/${script}`) !== undefined);
}

function findOriginal({ path, script }: Omit<CommandLine, "args">, { files, skills, skill }: ScriptWorld) {
  const { root } = files;
  const plain = path.replace(/^\{project-root\}\//, "");
  const given = plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
  const isOwn = (one: string) => /^[\w./-]+$/.test(one) && !one.startsWith("/") && files.tree.hasFile(one);
  const own = [given, ...sharedFolders({ files }).map((folder) => `${folder}/${script}`)].find(isOwn);
  const text = own === undefined ? undefined : files.find(own);
  if (text !== undefined) return { name: script, place: `${root}/${own}`, text };
  const inSkill = `scripts/${script}`;
  const owner = skill?.read(inSkill) === undefined ? findOwner({ path, script }, skills) : skill;
  const read = owner?.read(inSkill);
  if (owner === undefined || read === undefined) return undefined;
  const place = `${owner.location}/${inSkill}`;
  const exact = place.startsWith(`${root}/`) ? files.find(place.slice(root.length + 1)) : undefined;
  return { name: script, place, text: exact ?? read };
}

function runOriginal(place: string, args: readonly string[], how = "Run it with your own shell"): string {
  return place.startsWith("bmad://")
    ? `Read ${place} and do what it says`
    : withCommand(how, command`uv run ${{ args: [place, ...args] }}`);
}

/** `{skill-root}` of a script that all skills share is known to its caller alone. */
function withRoot(value: string, world: ScriptWorld): string {
  const [all, name] = /^\{(project|skill)-root\}(?=\/|$)/.exec(value) ?? [];
  if (all === undefined) return value;
  const folder = name === "skill" ? world.skill?.location : world.files.root;
  if (folder !== undefined) return folder + value.slice(all.length);
  return failField(
    "script",
    "{skill-root} is not filled in",
    "Write the skill's name or its folder in its place",
  );
}

function refuseLines({ usage }: Script, option: Argument | undefined): never {
  const multiline = allArguments(usage).filter((one) => one.isMultiline).flatMap(({ names }) => names);
  const problem = `${option?.names[0] ?? "an argument"} has several lines`;
  const hint = multiline.length === 0
    ? "Write it on one line"
    : `Only ${multiline.join(", ")} may have several lines`;
  return failField("script", problem, hint);
}

function refuseUnknown(
  scripts: readonly Script[],
  command: CommandLine,
  world: ScriptWorld,
  foreign?: string,
): never {
  const { script, args } = command;
  const names = scripts.map(({ name }) => name);
  const place = findOriginal(command, world)?.place;
  const run = place === undefined ? `Known scripts: ${names.join(", ")}` : runOriginal(place, args);
  const isLater = foreign !== undefined || LATER.test(script);
  const later = isLater ? "It belongs to a later BMAD generation and is not native. " : "";
  return failMissing("native script", foreign === undefined ? script : `${script} ${foreign}`, {
    suggestions: place === undefined && foreign === undefined ? suggest(script, names) : undefined,
    hint: later + run,
  });
}
