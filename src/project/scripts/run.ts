/**
 * Runs the native script that a command line calls.
 *
 * Nothing is started: a script that is not native is answered with where it lies and how its caller can run it.
 */
import { fail } from "../../base/errors.ts";
import { whyNot } from "../../base/people.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText, asValues, fillNames, type Values } from "../../base/values.ts";
import { localTime } from "../../base/work.ts";
import { sprintTime } from "../work/formats/mod.ts";
import type { CommandLine } from "./command_line.ts";
import { type InstalledScript, judgeScript, sharedFolders } from "./known.ts";
import { readCustomization, unlessBroken } from "./layers.ts";
import { type Argument, argumentsOf, parseArguments } from "./options.ts";
import { callOf, execute } from "./program.ts";
import {
  configTables,
  failed,
  findSkill,
  MAX_STDERR,
  MAX_STDOUT,
  type Script,
  type ScriptResult,
  type ScriptSkill,
  type ScriptWorld,
  withoutSecrets,
} from "./script.ts";

/** Scripts of the generation after 6.x that 6.x does not have. */
const LATER: readonly string[] = [
  "setup.py",
  "setup_check.py",
  "migrate_v6.py",
  "read_store.py",
  "read_toml.py",
  "stamp_release.py",
  "validate_manifests.py",
];

/**
 * Runs one of the `scripts`. What it prints and its exit status are the result, whether it succeeds or not. `named` is the
 * skill whose text has the line, if the caller says so.
 */
export async function runCommand(
  scripts: readonly Script[],
  command: CommandLine,
  given: ScriptWorld,
  named?: string,
): Promise<ScriptResult> {
  const { script: called } = command;
  const script = scripts.find(({ name }) => name === called || name === `${called}.py`);
  if (script === undefined || !isScriptPath(command)) return refuseUnknown(scripts, command, given);
  const foreign = script.foreign?.(command.args);
  if (foreign !== undefined) return refuseUnknown(scripts, command, given, foreign);
  const world = withOwner(given, command, named);
  const read = await openValues(script, command.args, world);
  const parsed = parseArguments(script.usage, command.args, read);
  if (parsed.is === "values" && script.isWriter?.(parsed.given) && !world.files.isWritable) {
    fail({
      code: "not-allowed",
      what: `run ${callOf(script.name, parsed.given)}`,
      hint: world.person && whyNot(world.person, "work") ||
        "it writes, and this start is read-only. Write the file with your own tools",
    });
  }
  const result = await execute(script, parsed, world);
  const isDone = result.status === 0 && parsed.is === "values" && script.isWriter?.(parsed.given) === true;
  const note = await strangerNote(script, command, world, isDone);
  return { ...limited(script.name, result), ...(note !== undefined && { note }) };
}

/** Whose rules an answer follows, if the installed script is in no release that was compared; else nothing. */
async function strangerNote(
  script: Script,
  line: CommandLine,
  world: ScriptWorld,
  isDone: boolean,
): Promise<string | undefined> {
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

/** Finding the skill that a script belongs to looks into all skills, so it is done only when needed. */
function withOwner(world: ScriptWorld, command: CommandLine, named: string | undefined): ScriptWorld {
  if (named !== undefined) {
    return {
      ...world,
      skill: findSkill(world, named) ?? fail({ code: "not-found", what: "skill", name: named }),
    };
  }
  let owner: { readonly skill: ScriptSkill | undefined } | undefined;
  return {
    ...world,
    get skill() {
      return (owner ??= { skill: ownerOf(command, world.skills) }).skill;
    },
  };
}

/** `{planning_artifacts}`, `{workflow.methods_file}`. */
const NAME = /\{(\w+(?:\.\w+)?)\}/g;

/**
 * Makes of an argument what it means: values in place of their names, as texts spell them, of the configuration and, after
 * `workflow.` or `agent.`, of the skill's customization. Free text stays, and so do names that mean something to the script
 * itself.
 */
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
    return /[\r\n]/.test(filled) ? refuseLines(script, option) : filled;
  };
}

/** The customization of the script's skill; empty if it has none that can be read. */
function customValues(world: ScriptWorld): Values {
  const { skill } = world;
  return skill && unlessBroken(() => readCustomization(world, skill.location, "", [])) || {};
}

/** What a script printed, unless that is more than anybody reads. */
function limited(name: string, { status, stdout, stderr }: ScriptResult): ScriptResult {
  if (stdout.length > MAX_STDOUT) {
    return failed(1, `${name}: error: the output is longer than ${MAX_STDOUT} characters\n`);
  }
  const isLong = stderr.length > MAX_STDERR;
  return { status, stdout, stderr: isLong ? `${stderr.slice(0, MAX_STDERR).toWellFormed()}…\n` : stderr };
}

/** Whether a path can be one of BMAD's scripts: a user's own `tools/memlog.py` is not. */
function isScriptPath({ path, script }: CommandLine): boolean {
  return path === script || /(?:^|[\\/])scripts[\\/][^\\/]+$/.test(path);
}

/** The skill that a script belongs to: `…/bmad-brainstorming/scripts/brain.py`. */
function ownerOf({ path, script }: CommandLine, skills: readonly ScriptSkill[]): ScriptSkill | undefined {
  const [, folder] = /(?<![^\\/])([^\\/]+)[\\/]scripts[\\/][^\\/]+$/.exec(path) ?? [];
  return skills.find(({ name }) => name === folder) ??
    skills.find((skill) => skill.read(`scripts/${script}`) !== undefined);
}

/** The installed script that a command line means; undefined if there is none, or it is only embedded. */
function findOriginal(
  { path, script, args }: CommandLine,
  { files, skills, skill }: ScriptWorld,
): InstalledScript | undefined {
  const { root } = files;
  const plain = path.replace(/^\{project-root\}\//, "");
  const given = plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
  const isOwn = (one: string) => /^[\w./-]+$/.test(one) && !one.startsWith("/") && files.tree.hasFile(one);
  const own = [given, ...sharedFolders({ files }).map((folder) => `${folder}/${script}`)].find(isOwn);
  const text = own === undefined ? undefined : files.find(own);
  if (text !== undefined) return { name: script, place: `${root}/${own}`, text };
  const inSkill = `scripts/${script}`;
  const owner = skill?.read(inSkill) === undefined ? ownerOf({ path, script, args }, skills) : skill;
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

/** `{skill-root}` is the skill of the script; which one a script of all skills means, only its caller knows. */
function withRoot(value: string, world: ScriptWorld): string {
  const [all, name] = /^\{(project|skill)-root\}(?=\/|$)/.exec(value) ?? [];
  if (all === undefined) return value;
  const folder = name === "skill" ? world.skill?.location : world.files.root;
  if (folder !== undefined) return folder + value.slice(all.length);
  return fail({
    code: "invalid-input",
    field: "script",
    problem: "{skill-root} is not filled in",
    hint: "Write the skill's name or its folder in its place",
  });
}

function refuseLines({ usage }: Script, option: Argument | undefined): never {
  const multiline = argumentsOf(usage).filter((one) => one.isMultiline).flatMap(({ names }) => names);
  const problem = `${option?.names[0] ?? "an argument"} has several lines`;
  const hint = multiline.length === 0
    ? "Write it on one line"
    : `Only ${multiline.join(", ")} may have several lines`;
  return fail({ code: "invalid-input", field: "script", problem, hint });
}

function refuseUnknown(
  scripts: readonly Script[],
  { path, script, args }: CommandLine,
  world: ScriptWorld,
  foreign?: string,
): never {
  const names = scripts.map(({ name }) => name);
  const place = findOriginal({ path, script, args }, world)?.place;
  const run = place === undefined ? `Known scripts: ${names.join(", ")}` : runOriginal(place, args);
  const isLater = foreign !== undefined || LATER.includes(script);
  const later = isLater ? "It belongs to a later BMAD generation and is not native. " : "";
  return fail({
    code: "not-found",
    what: "native script",
    name: foreign === undefined ? script : `${script} ${foreign}`,
    suggestions: place === undefined && foreign === undefined ? suggest(script, names) : undefined,
    hint: later + run,
  });
}
