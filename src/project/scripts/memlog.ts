/**
 * `memlog.py`: a log of a piece of work, to which lines are only ever added.
 *
 * Front matter of plain `key: value` lines, not YAML, then one line per entry. `updated` is the last field.
 */
import { oneLine } from "../../base/text.ts";
import { localTime } from "../../base/work.ts";
import { baseName } from "../../content/tree/mod.ts";
import type { Argument, Given } from "./options.ts";
import { refuse, stop } from "./program.ts";
import { pathText, pythonLines, pythonWords, quote } from "./python.ts";
import { answer, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";
import { type Kind, openTarget } from "./targets.ts";

/** What BMAD's skills call a log, in the folder of the work. */
const LOG = ".memlog.md";

/** Entries may go to any file with front matter. */
const ANY: Kind = { isOwn: () => true };

const TARGET: readonly Argument[] = [
  { names: ["--workspace"], help: "The folder of the work, for .memlog.md in it", isAlternative: true },
  { names: ["--path"], help: "The log itself", isAlternative: true },
];

export const memlog: Script = {
  name: "memlog.py",
  usage: {
    about: "Keeps the log of a piece of work, .memlog.md",
    commands: {
      init: {
        about: "Create the log",
        example: "--workspace DIR --field topic=TOPIC",
        args: [
          ...TARGET,
          { names: ["--field"], takes: "list", help: "A field of the front matter, KEY=VALUE" },
        ],
      },
      append: {
        about: "Add an entry at the end",
        example: "--workspace DIR --type decision --text TEXT",
        args: [
          ...TARGET,
          { names: ["--text"], help: "The entry, one line in the log", isRequired: true, isMultiline: true },
          { names: ["--type"], help: "What kind of entry it is: idea, decision, event …" },
          { names: ["--by"], help: "Whom the entry comes from" },
        ],
      },
      set: {
        about: "Set a field of the front matter",
        example: "--workspace DIR --key goal --value TEXT",
        args: [
          ...TARGET,
          { names: ["--key"], help: "The field's name", isRequired: true },
          { names: ["--value"], help: "The field's new value", isRequired: true },
        ],
      },
    },
  },
  isWriter: () => true,
  // Any other file may be a document or a story, whose status it would set.
  needs: (values, world) =>
    baseName(logOf(values, world).path) === LOG
      ? undefined
      : { right: "force", instead: `write to a log, which is called ${LOG}` },
  run: async (values, world) => {
    const log = logOf(values, world);
    openTarget(world.files, log.path, ANY);
    // Before the lock, which would leave its folder behind.
    if (values.command !== "init") existing(log, world);
    return await world.files.exclusively(() => COMMANDS[values.command!]!(log, values, world), world.signal);
  },
};

/** A log, as the caller spelled its path, and where it is in the project. */
interface Log {
  readonly given: string;
  readonly path: string;
}

function logOf(values: Given, { files }: ScriptWorld): Log {
  const path = values.one("path");
  const given = path ? pathText(path) : pathText(values.one("workspace") ?? "", LOG);
  return { given, path: files.pathOf("path", given) };
}

type Command = (log: Log, values: Given, world: ScriptWorld) => ScriptResult;

const COMMANDS: Readonly<Record<string, Command>> = {
  init: (log, values, world) => {
    if (world.files.find(log.path) !== undefined) {
      return refuse(`${log.given} already exists; use append/set to update it`);
    }
    const fields = new Map<string, string>();
    for (const pair of values.many("field")) {
      const cut = pair.indexOf("=");
      if (cut < 0) return refuse(`--field expects key=value, got ${quote(pair)}`);
      const key = pair.slice(0, cut).trim();
      checkLine("--field", key);
      fields.set(key, pair.slice(cut + 1).trim());
    }
    return save(log, { fields, body: "" }, undefined, world);
  },
  append: (log, values, world) => {
    const [type = "", given = ""] = [values.one("type"), values.one("by")];
    checkLine("--type", type);
    checkLine("--by", given);
    const by = authorOf(type, given, world);
    const label = by ? `${type} by ${by}`.trim() : type;
    const text = pythonWords(values.one("text")!).join(" ");
    const entry = `- ${label === "" ? "" : `(${label}) `}${text}`;
    if (onlyAppends(world)) return addLine(log, world, entry);
    return change(log, world, ({ fields, body }) => {
      const kept = body.replace(/(?<!\n)\n+$/, "");
      return { fields, body: kept.trim() === "" ? entry : `${kept}\n${entry}` };
    });
  },
  set: (log, values, world) => {
    const key = values.one("key")!;
    checkLine("--key", key);
    return change(log, world, ({ fields, body }) => {
      fields.set(key, values.one("value")!);
      return { fields, body };
    });
  },
};

/**
 * Whom an entry comes from: as it was given, which may be a character or the word `user`, and always whoever the server
 * knows has written it. Texts that would make the label end early, or have it name somebody else, are refused.
 */
function authorOf(type: string, given: string, { person }: ScriptWorld): string {
  if (person?.name === undefined) return given;
  if (/[()]/.test(type + given)) refuse("--type or --by has brackets. Write it without them");
  if (/\bby\b/i.test(type)) refuse("--type names somebody. Write it without a name, which --by has");
  const name = oneLine(person.name).replaceAll(/[()]/g, "");
  return given === "" || given === name ? name : `${given} via ${name}`;
}

/** Refuses a text that would be several lines when the log is read again: the original writes it, and so forges entries. */
function checkLine(option: string, text: string): void {
  if (pythonLines(`${text}.`).length > 1) refuse(`${option} has several lines. Write it on one line`);
}

const OWN = "_bmad/scripts/memlog.py";
/** What a script has that only adds the line, as after 6.12: all other bytes stay. */
const APPENDS = "O_APPEND";

function onlyAppends({ files, skills }: ScriptWorld): boolean {
  const own = files.find(OWN) ??
    skills.values().map((skill) => skill.read("scripts/memlog.py")).find((text) => text !== undefined);
  return own?.includes(APPENDS) ?? false;
}

/** Whether no file of the project gets an entry without a field `updated`, whatever skills are served. */
export function stampsEntries(files: Pick<ScriptWorld["files"], "find">): boolean {
  return files.find(OWN)?.includes(APPENDS) === false;
}

function addLine(log: Log, world: ScriptWorld, entry: string): ScriptResult {
  const before = existing(log, world);
  const text = `${before}${/[\r\n]$/.test(before) ? "" : "\n"}${entry}\n`;
  const { body } = splitLog(text);
  world.files.replace(log.path, text, before);
  return acknowledged(log.given, body);
}

function acknowledged(given: string, body: string): ScriptResult {
  const entries = pythonLines(body).filter((line) => line.startsWith("- ")).length;
  return answer({ ok: true, memlog: given, entries });
}

type Parts = ReturnType<typeof splitLog>;

function change(log: Log, world: ScriptWorld, edit: (parts: Parts) => Parts): ScriptResult {
  const before = existing(log, world);
  return save(log, edit(splitLog(before)), before, world);
}

/** The text of a log; fails for one that nobody has begun. */
function existing({ given, path }: Log, { files }: ScriptWorld): string {
  return files.find(path) ?? stop(`${given} does not exist; run memlog.py init first`);
}

/** The parts of a log. The fence ends at the first line that is exactly `---`. */
function splitLog(text: string) {
  const lines = pythonLines(text);
  if (lines[0] !== "---") stop(".memlog.md has no frontmatter");
  const end = lines.indexOf("---", 1);
  if (end < 0) stop(".memlog.md frontmatter is not terminated");
  const fields = new Map<string, string>();
  for (const line of lines.slice(1, end)) {
    const cut = line.indexOf(":");
    if (cut >= 0) fields.set(line.slice(0, cut).trim(), line.slice(cut + 1).trim());
  }
  return { fields, body: lines.slice(end + 1).join("\n").replace(/^\n+/, "") };
}

function save(
  { given, path }: Log,
  { fields, body }: Parts,
  before: string | undefined,
  { files, clock }: ScriptWorld,
): ScriptResult {
  fields.delete("updated");
  fields.set("updated", localTime(clock.now()).slice(0, 16));
  const head = [...fields].map(([key, value]) => `${key}: ${pythonLines(value).join(" ")}`).join("\n");
  files.replace(path, `---\n${head}\n---\n\n${body.replace(/(?<!\n)\n+$/, "")}\n`, before);
  return acknowledged(given, body);
}
