/** Runs the native script that a command line calls. Any other is answered with where it lies and how to run it. */
import { fail } from "../../base/errors.ts";
import { whyNot } from "../../base/people.ts";
import { suggest } from "../../base/suggestions.ts";
import { command, withCommand } from "../../base/text.ts";
import { asText, asValues, fillNames, type Values } from "../../base/values.ts";
import { localTime } from "../../base/time.ts";
import { LIMITS } from "../limits.ts";
import { sprintTime } from "../work/formats/mod.ts";
import type { CommandLine } from "./command_line.ts";
import { type InstalledScript, judgeScript, sharedFolders } from "./known.ts";
import { readCustomization, unlessBroken } from "./resolvers.ts";
import { allArguments, type Argument, parseArguments } from "./options.ts";
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

/** Scripts of the generation after 6.x only. */
const LATER: readonly string[] = [
  "setup.py",
  "setup_check.py",
  "migrate_v6.py",
  "read_store.py",
  "read_toml.py",
  "stamp_release.py",
  "validate_manifests.py",
];

/** `named` is the skill whose text has the line, if the caller knows it. */
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
      what: `run ${callName(script.name, parsed.given)}`,
      hint: world.person && whyNot(world.person, "work") ||
        "it writes, and this start is read-only. Write the file with your own tools",
    });
  }
  const result = await execute(script, parsed, world);
  const isDone = result.status === 0 && parsed.is === "values" && script.isWriter?.(parsed.given) === true;
  const note = await strangerNote(script, command, world, isDone);
  return { ...limited(script.name, result), ...(note !== undefined && { note }) };
}

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

/** Finding the skill of a script looks into all skills, so it is done on demand. */
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
      return (owner ??= { skill: findOwner(command, world.skills) }).skill;
    },
  };
}

/** `{planning_artifacts}`, `{workflow.methods_file}`. */
const NAME = /\{(\w+(?:\.\w+)?)\}/g;

/**
 * Fills in values of the configuration and, after `workflow.` or `agent.`, of the skill's customization. Free text
 * stays.
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

function customValues(world: ScriptWorld): Values {
  const { skill } = world;
  return skill && unlessBroken(() => readCustomization(world, skill.location, "", [])) || {};
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

/** A user's own `tools/memlog.py` is not one of BMAD's scripts. */
function isScriptPath({ path, script }: CommandLine): boolean {
  return path === script || /(?:^|[\\/])scripts[\\/][^\\/]+$/.test(path);
}

function findOwner({ path, script }: CommandLine, skills: readonly ScriptSkill[]): ScriptSkill | undefined {
  const [, folder] = /(?<![^\\/])([^\\/]+)[\\/]scripts[\\/][^\\/]+$/.exec(path) ?? [];
  return skills.find(({ name }) => name === folder) ??
    skills.find((skill) => skill.read(`scripts/${script}`) !== undefined);
}

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
  const owner = skill?.read(inSkill) === undefined ? findOwner({ path, script, args }, skills) : skill;
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
  return fail({
    code: "invalid-input",
    field: "script",
    problem: "{skill-root} is not filled in",
    hint: "Write the skill's name or its folder in its place",
  });
}

function refuseLines({ usage }: Script, option: Argument | undefined): never {
  const multiline = allArguments(usage).filter((one) => one.isMultiline).flatMap(({ names }) => names);
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
