/** Lines are only ever added to a log. Its front matter is plain `key: value` lines, not YAML. */
import { oneLine } from "../../base/text.ts";
import { localTime } from "../../base/time.ts";
import { firstOf } from "../../base/values.ts";
import { baseName } from "../../content/tree/mod.ts";
import type { Argument, Given } from "./options.ts";
import {
  answer,
  openTarget,
  refuse,
  type Run,
  type Script,
  type ScriptResult,
  type ScriptWorld,
  stop,
} from "./script.ts";
import { pathText, pythonLines, pythonWords, quote } from "./python.ts";

const LOG = ".memlog.md";

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
        run: onLog(init),
        example: "--workspace DIR --field topic=TOPIC",
        args: [
          ...TARGET,
          { names: ["--field"], takes: "list", help: "A field of the front matter, KEY=VALUE" },
        ],
      },
      append: {
        about: "Add an entry at the end",
        run: onLog(append),
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
        run: onLog(set),
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
    baseName(findLog(values, world).path) === LOG
      ? undefined
      : { right: "force", instead: `write to a log, which is called ${LOG}` },
};

type Log = ReturnType<typeof findLog>;

function findLog(values: Given, { files }: ScriptWorld) {
  const path = values.one("path");
  const given = path ? pathText(path) : pathText(values.one("workspace") ?? "", LOG);
  return { given, path: files.pathOf("path", given) };
}

function onLog(command: (log: Log, values: Given, world: ScriptWorld) => ScriptResult): Run {
  return async (values, world) => {
    const log = findLog(values, world);
    openTarget(world.files, log.path, { isOwn: () => true });
    // Before the lock, which would leave its folder behind.
    if (values.command !== "init") existing(log, world);
    return await world.files.exclusively(() => command(log, values, world), world.signal);
  };
}

function init(log: Log, values: Given, world: ScriptWorld): ScriptResult {
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
}

function append(log: Log, values: Given, world: ScriptWorld): ScriptResult {
  const [type = "", given = ""] = [values.one("type"), values.one("by")];
  checkLine("--type", type);
  checkLine("--by", given);
  const by = signature(type, given, world);
  const label = by ? `${type} by ${by}`.trim() : type;
  const text = pythonWords(values.one("text")!).join(" ");
  const entry = `- ${label === "" ? "" : `(${label}) `}${text}`;
  const before = existing(log, world);
  if (onlyAppends(world)) return addLine(log, entry, before, world);
  const { fields, body } = splitLog(before);
  const kept = body.replace(/(?<!\n)\n+$/, "");
  return save(log, { fields, body: kept.trim() === "" ? entry : `${kept}\n${entry}` }, before, world);
}

function set(log: Log, values: Given, world: ScriptWorld): ScriptResult {
  const key = values.one("key")!;
  checkLine("--key", key);
  const before = existing(log, world);
  const parts = splitLog(before);
  parts.fields.set(key, values.one("value")!);
  return save(log, parts, before, world);
}

/** A known person always signs; `--by` may add a character. Texts that would forge the label are refused. */
function signature(type: string, given: string, { person }: ScriptWorld): string {
  if (person?.name === undefined) return given;
  if (/[()]/.test(type + given)) refuse("--type or --by has brackets. Write it without them");
  if (/\bby\b/i.test(type)) refuse("--type names somebody. Write it without a name, which --by has");
  const name = oneLine(person.name).replaceAll(/[()]/g, "");
  return given === "" || given === name ? name : `${given} via ${name}`;
}

/** A text of several lines would read back as forged entries; the original writes it. */
function checkLine(option: string, text: string): void {
  if (pythonLines(`${text}.`).length > 1) refuse(`${option} has several lines. Write it on one line`);
}

const OWN = "_bmad/scripts/memlog.py";
/** In scripts after 6.12, which only add the line and keep all other bytes. */
const APPENDS = "O_APPEND";

function onlyAppends({ files, skills }: ScriptWorld): boolean {
  const own = files.find(OWN) ??
    firstOf(skills, (skill) => skill.read("scripts/memlog.py"));
  return own?.includes(APPENDS) ?? false;
}

function addLine({ given, path }: Log, entry: string, before: string, { files }: ScriptWorld): ScriptResult {
  const text = `${before}${/[\r\n]$/.test(before) ? "" : "\n"}${entry}\n`;
  const { body } = splitLog(text);
  files.replace(path, text, before);
  return acknowledged(given, body);
}

function acknowledged(given: string, body: string): ScriptResult {
  const entries = pythonLines(body).filter((line) => line.startsWith("- ")).length;
  return answer({ ok: true, memlog: given, entries });
}

function existing({ given, path }: Log, { files }: ScriptWorld): string {
  return files.find(path) ?? stop(`${given} does not exist; run memlog.py init first`);
}

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
  { fields, body }: ReturnType<typeof splitLog>,
  before: string | undefined,
  { files, clock }: ScriptWorld,
): ScriptResult {
  fields.delete("updated");
  fields.set("updated", localTime(clock.now()).slice(0, 16));
  const head = [...fields].map(([key, value]) => `${key}: ${pythonLines(value).join(" ")}`).join("\n");
  files.replace(path, `---\n${head}\n---\n\n${body.replace(/(?<!\n)\n+$/, "")}\n`, before);
  return acknowledged(given, body);
}
