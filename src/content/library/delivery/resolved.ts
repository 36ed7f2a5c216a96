/**
 * The block before an activated text: which of its steps are done, the values that they would have found, and how to
 * open files. It comes first, because the text itself tells its reader to run scripts. Sub-agents know neither our URIs nor our calls: in sentences for them, a file on the reader's disk goes by its full
 * path, short ones are put into the prompt, and the rest go by the literal call.
 */
import { changesBeside } from "./agent_changes.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { splitLines } from "../../../base/text.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { formatYaml } from "../../parse.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import type { Values } from "../../../base/values.ts";
import { type Calls, folderOnDisk, literalCall, openCall, openOfCall, startCall } from "./calls.ts";
import { folderUri } from "../files/files.ts";
import { isLauncher, renderedUri } from "./launcher.ts";
import type { ScriptFacts } from "./script_substitutes.ts";
import { type Library, reachableProject, sourceOf } from "../library.ts";
import { explainConfig, withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { readSafely } from "../files/reading.ts";
import { byteLength } from "../shape.ts";
import { LIMITS } from "../../limits.ts";
import { mapTexts } from "../values/merge.ts";

interface Facts {
  readonly date?: string;
  readonly calls?: Calls;
  readonly isRendered: boolean;
  readonly text: string;
  readonly chosen?: ReadonlySet<string>;
  readonly origin?: string;
  readonly variables?: Values;
  readonly scripts: ScriptFacts;
}

export function renderResolved(library: Library, entry: Entry, facts: Facts): string {
  const { date, variables, scripts: { done, lines, instead }, calls } = facts;
  const places = {
    "project-root": reachableProject(library),
    "skill-root": folderOnDisk(library, entry),
    date,
  };
  const given = Object.entries(places).filter(([, value]) => value !== undefined);
  const isLookedFor = looksForRoot(library, entry, facts.text);
  const skipped = [
    ...(done.length === 0 ? [] : [`run ${done.join(", ")}`]),
    ...(isLookedFor ? ["check for an installation"] : []),
    "load configuration",
  ];
  const root = isLookedFor ? { [rootName(library, entry)]: NO_ROOT } : {};
  const steps = `${skipped.slice(0, -1).join(", ")} or ${skipped.at(-1)}`.replace(/^ or /, "");
  return `Already resolved (skip the steps that ${steps}):\n` +
    renderBlock({ ...Object.fromEntries(given), ...root, ...(variables && { variables }) }) +
    renderValues(library, entry, facts) +
    renderBlock(lines.length === 0 ? {} : { scripts: { run: calls?.script, lines } }) +
    renderBlock(Object.keys(instead).length === 0 ? {} : { [INSTEAD]: instead }) +
    `\n${fileNote(library, entry, facts)}`;
}

const INSTEAD = "if you cannot run a script";

function renderBlock(values: Values): string {
  return Object.keys(values).length === 0 ? "" : formatYaml(values);
}

function renderValues(library: Library, entry: Entry, { isRendered, calls, chosen, text }: Facts): string {
  const { customization, config, problems } = resolveValues(library, entry);
  const beside = changesBeside(library, entry, text);
  const values = {
    ...(beside && { customization: beside }),
    // A rendered text already contains its customization and configuration.
    ...(isLauncher(library, entry)
      ? {}
      : withSubAgentFiles(library, entry, customization, { calls, chosen })),
    ...(!isRendered && Object.keys(config).length > 0 && { config: withProjectRoot(config) }),
    ...(problems.length > 0 && { problems }),
  };
  const block = renderBlock(values);
  const name = explainConfig(library, entry.module).find(({ key }) => key === "user_name");
  return name?.file === undefined ? block.replace(/^ {2}user_name: .*$/m, `$& ${NO_NAME}`) : block;
}

const NO_NAME = "# nobody's: set user_name in ~/.bmad/config.yaml";

function fileNote(library: Library, entry: Entry, { isRendered, calls, origin }: Facts): string {
  const { generation, module } = entry;
  const hasFolders = GENERATIONS[generation].hasItemFolders;
  const root = hasFolders ? `{project-root}/${rootName(library, entry)}/` : `.${module}/`;
  const item = JSON.stringify(qualifiedName(entry)) +
    (origin === undefined ? "" : `,"origin":${JSON.stringify(origin)}`);
  const folder = hasFolders
    ? (isRendered ? `${renderedUri(entry)}/` : folderUri(entry))
    : `bmad://${module}/`;
  const byUri = () =>
    openCall(`"${folder}PATH"`, calls) +
    (hasFolders ? `; ${root}PATH is bmad://PATH` : ` for ${root}PATH and {root}/PATH`);
  const byPath = openOfCall(item, calls);
  const what = GENERATIONS[generation].isOfSkills ? "skill" : "workflow";
  return `Files: ${byPath === undefined ? byUri() : `${byPath} with PATH as spelled, ${root}… too`}. ` +
    `${what === "skill" ? "Skills" : "Workflows"}: ${startCall(what, "…", calls)}.`;
}

const NO_ROOT = "not needed, its content is served; overrides still go to its folder custom";

const ABSENCE = /\b(?:no|not|missing|installed)\b/i;
const IN_FOLDER = /^\/?[\w{<-]/;

function looksForRoot(library: Library, entry: Entry, text: string): boolean {
  const name = rootName(library, entry);
  const isAsked = splitLines(text).some((line) => {
    const [, ...rests] = line.split(`{project-root}/${name}`);
    return rests.some((rest) => !IN_FOLDER.test(rest)) && ABSENCE.test(line);
  });
  return isAsked &&
    !library.sources.some(({ origin, tree }) => origin.kind === "project" && tree.list(name).length > 0);
}

/** The name of BMAD's own folder in the project: `_bmad`, `bmad` in early alphas, or what the user chose. */
function rootName(library: Library, entry: Entry): string {
  const { mounts } = sourceOf(library, entry).inventory;
  return baseName(mounts.find(({ at }) => at === "")?.path ?? "") || "_bmad";
}

/** For the reader of the answer, who would open again what it has; a sub-agent has only the sentence. */
const DELIVERED = "(You have it below; only a sub-agent has to load it.)";

function withSubAgentFiles(
  library: Library,
  entry: Entry,
  values: Values,
  { calls, chosen }: Pick<Facts, "calls" | "chosen">,
): Values {
  const { tree } = sourceOf(library, entry);
  const folder = folderOnDisk(library, entry);
  // Of several parts, only those that were named come along.
  let left: number = chosen === undefined ? LIMITS.delivery.includedBytes : 0;
  const shortText = (path: string): string | undefined => {
    if ((tree.stat(path)?.size ?? Infinity) > left) return undefined;
    const text = readSafely({ source: sourceOf(library, entry), path }).text?.trim();
    if (text !== undefined) left -= byteLength(text);
    return text;
  };
  const fillText = (value: string): string => {
    const included = new Map<string, string>();
    let isDelivered = false;
    const filled = value.replaceAll(OWN_FILE, (whole: string, mark: string, name: string) => {
      const path = joinPath(entry.folder, name);
      if (tree.stat(path) === undefined) return whole;
      isDelivered ||= chosen?.has(name) === true;
      if (folder !== undefined) return `${mark}${folder}/${name}`;
      const uri = folderUri(entry) + name;
      const text = included.get(uri) ?? shortText(path);
      if (text === undefined) return mark + literalCall(uri, calls?.open);
      included.set(uri, text);
      return mark + uri;
    });
    return [
      isDelivered ? `${filled} ${DELIVERED}` : filled,
      ...Array.from(included, ([uri, text]) => `=== ${uri} ===\n${text}`),
    ].join("\n\n");
  };
  // A value that is only a path is for the reader of this answer, who opens it from there.
  return mapTexts(values, (text) => /\s/.test(text) ? fillText(text) : text) as Values;
}

/** `{skill-root}/prompts/x.md`, or the path alone as code. */
const OWN_FILE = /(`?)(?:\{skill-root\}\/|(?<=`))([\w-]{1,80}(?:[/.][\w-]{1,80}){1,8})/g;
