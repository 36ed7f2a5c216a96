/**
 * The block before an activated text: which of its steps are done, the values that they would have found, and how to open
 * files.
 *
 * It comes first, because the text itself tells its reader to run scripts and load configuration.
 */
import { changesBeside } from "./agent_changes.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { splitLines } from "../../../base/text.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { formatYaml } from "../../parse.ts";
import { baseName } from "../../tree/mod.ts";
import type { Values } from "../../../base/values.ts";
import { type Calls, openCall, openOfCall, startCall } from "./calls.ts";
import { folderUri } from "../files/files.ts";
import { folderOnDisk, withSubAgentFiles } from "./sub_agent_files.ts";
import { isLauncher, renderedUri } from "./launcher.ts";
import type { ScriptFacts } from "./script_substitutes.ts";
import { type Library, reachableProject, sourceOf } from "../library.ts";
import { explainConfig, withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";

/** What the block depends on besides the entry. */
interface Facts {
  readonly date?: string;
  readonly calls?: Calls;
  readonly isRendered: boolean;
  /** The text that follows. */
  readonly text: string;
  /** The files of the parts that the user has named, which follow the text; undefined if none was named. */
  readonly chosen?: ReadonlySet<string>;
  /** The id of its origin, where the name alone would mean another item. */
  readonly origin?: string;
  /** The variables of a workflow for BMAD's engine. */
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
    blockOf({ ...Object.fromEntries(given), ...root, ...(variables && { variables }) }) +
    renderValues(library, entry, facts) +
    blockOf(lines.length === 0 ? {} : { scripts: { run: calls?.script, lines } }) +
    blockOf(Object.keys(instead).length === 0 ? {} : { [INSTEAD]: instead }) +
    `\n${fileNote(library, entry, facts)}`;
}

/** The heading of what to do in place of scripts. */
const INSTEAD = "if you cannot run a script";

function blockOf(values: Values): string {
  return Object.keys(values).length === 0 ? "" : formatYaml(values);
}

/** The values that apply to an entry. */
function renderValues(library: Library, entry: Entry, { isRendered, calls, chosen, text }: Facts): string {
  const { customization, config, problems } = resolveValues(library, entry);
  const beside = changesBeside(library, entry, text);
  const values = {
    ...(beside && { customization: beside }),
    // A rendered text already contains its customization and configuration.
    ...(isLauncher(library, entry) ? {} : withSubAgentFiles(library, entry, customization, {
      open: calls?.open,
      // Of several parts, only those that were named come along.
      maxIncluded: chosen === undefined ? undefined : 0,
      delivered: chosen,
    })),
    ...(!isRendered && Object.keys(config).length > 0 && { config: withProjectRoot(config) }),
    ...(problems.length > 0 && { problems }),
  };
  const block = blockOf(values);
  const isNobodys = /^ {2}user_name: /m.test(block) && !isNameSet(library, entry);
  return isNobodys ? block.replace(/^ {2}user_name: .*$/m, `$& ${NO_NAME}`) : block;
}

/** For whoever is greeted by a name that nobody gave. */
const NO_NAME = "# nobody's: set user_name in ~/.bmad/config.yaml";

function isNameSet(library: Library, { module }: Entry): boolean {
  const name = explainConfig(library, module).find(({ key }) => key === "user_name");
  return name?.file !== undefined;
}

/** How to open what the text refers to, in the spelling of its generation. */
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

/** What stands in for BMAD's own folder where the project has none. */
const NO_ROOT = "not needed, its content is served; overrides still go to its folder custom";

const ABSENCE = /\b(?:no|not|missing|installed)\b/i;
/** The rest of a path, after the name of a folder. */
const IN_FOLDER = /^\/?[\w{<-]/;

/** Whether a text asks for BMAD's own folder, and would stop, in a project that has none. */
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
