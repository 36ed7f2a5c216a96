/**
 * Facts in the text of one file: what it asks its reader to fill in, to call, to write.
 */
import { splitLines } from "../../src/base/text.ts";
import { parseAnyYaml } from "../../src/content/parse.ts";
import { isValues } from "../../src/base/values.ts";
import { scriptsIn } from "../../src/content/library/delivery/script_substitutes.ts";

/** `{project-root}`, `{workflow.methods_file}`, `{{agent_name}}`. */
const PLACEHOLDER = /\{\{?[A-Za-z][\w.-]{0,60}\}?\}/g;

/** The placeholders of a text, as it spells them. */
export function placeholdersIn(text: string): readonly string[] {
  return text.match(PLACEHOLDER) ?? [];
}

/** `status: draft`, `status = "draft | final"`, `{target_status}` = `done`, with what else may be chosen. */
const STATUS_VALUE =
  /[Ss]tatus["'`*}]{0,4}\s{0,3}[:=]\s{0,3}["'`*]{0,3}([a-z][a-z-]{1,30}(?:["'`]?\s{0,3}[|/]\s{0,3}["'`]?[a-z][a-z-]{1,30}){0,12})(?=["'`*]|\s{0,3}(?:$|[,;).#→—}]))/gm;
/** `status: {x} # draft | final`. */
const STATUS_CHOICE =
  /status["']?\s{0,3}:[^#\n]{0,60}#[^|\n]{0,20}?((?:[a-z][a-z-]{1,30}\s{0,3}\|\s{0,3}){1,12}[a-z][a-z-]{1,30})/gi;
/** `#   - backlog: Story only exists in the epic`, in the template of a file of statuses. */
const STATUS_DEFINITION = /^#\s{1,10}- ([a-z][a-z-]{1,30}):/gm;
/** `STORY_STATUSES = ("backlog", "done")`, in a script. */
const STATUS_CONSTANT =
  /^[A-Z_]{0,30}(?:STATUS[A-Z_]{0,30}|RANK)\b[^=\n]{0,60}=\s{0,3}[\w.]{0,20}[[({]{1,2}([^\])}]{1,600})/gm;
const WORD = /(?<![\w-])[a-z][a-z-]{1,30}(?![\w-])/g;

/** The words that a file uses as statuses. */
export function statusesIn(text: string, path: string): readonly string[] {
  if (path.endsWith(".py")) {
    return Array.from(
      text.matchAll(STATUS_CONSTANT),
      ([, list]) => Array.from(list!.matchAll(/["']([a-z][a-z-]{1,30})["']/g), ([, word]) => word!),
    ).flat();
  }
  const patterns = [STATUS_VALUE, STATUS_CHOICE, ...(/status[^/]*$/.test(path) ? [STATUS_DEFINITION] : [])];
  return patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ([, words]) => words!.match(WORD) ?? []).flat()
  );
}

/** The headings of a text outside code. */
export function headingsIn(text: string): readonly string[] {
  let isCode = false;
  return splitLines(text).filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    return !isCode && /^#{1,6}\s/.test(line);
  }).map((line) => line.trim());
}

/** The keys of a text's front matter; those of a template may be no YAML yet. */
export function fieldsIn(text: string): readonly string[] {
  const [, block] = /^\ufeff?---\r?\n([\s\S]{0,20000}?)\r?\n---\s*(?:\r?\n|$)/.exec(text) ?? [];
  if (block === undefined) return [];
  const { value } = parseAnyYaml(block);
  return isValues(value)
    ? Object.keys(value)
    : splitLines(block).flatMap((line) => /^([\w-]{1,60}):/.exec(line)?.[1] ?? []);
}

/** The calls of scripts in a text: the script, its command, and the options in order: `memlog.py append --text`. */
export function callsIn(text: string): readonly string[] {
  return scriptsIn(text).map(({ path, rest }) => {
    const script = path.slice(path.lastIndexOf("/") + 1);
    const [, command] = /^\s+([a-z][a-z-]{1,30})(?=\s|$)/.exec(rest) ?? [];
    const options = [...new Set(rest.match(/(?<=\s|\[|\()--?[a-z][\w-]{0,40}/g) ?? [])].sort();
    const isCall = command !== undefined && (options.length > 0 || /^\s+\S+\s*$/.test(rest));
    return [script, ...(isCall ? [command] : []), ...options].join(" ");
  });
}
