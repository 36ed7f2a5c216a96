/** Activation in one call: values that apply to an item, how to open its files, its text. */
import { cachedWith } from "../../../base/cache.ts";
import { fail } from "../../../base/errors.ts";
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, type MenuItem, qualifiedName, startedAs } from "../../../base/model.ts";
import { counted, markHidden, splitLines } from "../../../base/text.ts";
import { asValues, menuItemOf, type Values } from "../../../base/values.ts";
import { findByName, readForm } from "../../catalog/mod.ts";
import { LIMITS } from "../../limits.ts";
import { formatYaml } from "../../parse.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { nameNotes, standInFacts } from "../entry_facts.ts";
import { folderUri, uriOf } from "../files/files.ts";
import { fileNote, fillPlaceholders, rawText, readSafely } from "../files/reading.ts";
import { findFile } from "../files/references.ts";
import { entriesAt, fileOf, type Library, reachableProject, sourceOf } from "../library.ts";
import { byteLength } from "../shape.ts";
import { explainConfig, withProjectRoot } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { mapTexts } from "../values/merge.ts";
import { changedText, changesBeside } from "./agent_changes.ts";
import { type Calls, folderOnDisk, literalCall, openCall, startCall } from "./calls.ts";
import { choose } from "./choices.ts";
import { compileEntry } from "./compile_agent.ts";
import { isLauncher, launch, loadEngine, renderedUri } from "./launcher.ts";
import { type ScriptFacts, scriptFacts } from "./script_substitutes.ts";
import { engineParts, findBundle, markdownParts } from "./workflow_parts.ts";

export { namedParts } from "./choices.ts";

export interface ExecuteRequest {
  readonly message?: string;
  readonly asked?: string;
  readonly params?: Values;
  readonly item?: string;
  readonly by?: string;
  readonly raw?: boolean;
  readonly calls?: Calls;
  readonly isNative?: (line: string) => boolean;
  readonly date?: string;
  /** Now, as a sprint's scripts take it. */
  readonly time?: string;
  readonly artefacts?: readonly string[];
  /** Whether the caller has what was served before. */
  readonly again?: boolean;
  advise?(): Promise<string>;
  isServed?(text: string): boolean;
}

export interface Execution {
  readonly head?: string;
  readonly values?: string;
  /** What is new each time: the project's documents, and what is next. */
  readonly news?: string;
  readonly text: string;
  readonly chosen?: ReadonlySet<string>;
  readonly loaded?: readonly string[];
  /** How to get the text, where what is next answers the user. */
  readonly whole?: string;
}

type Asked = Pick<ExecuteRequest, "message" | "again" | "isServed">;

export function renderExecution(execution: Execution, { message, again, isServed }: Asked): string {
  const { head, values = "", news = "", text, loaded = [], whole } = execution;
  if (head === undefined) return text;
  // On one line, in the user's own words.
  const prompt = message ? `\nuser-prompt: ${JSON.stringify(shortened(message))}` : "";
  if (whole !== undefined) return `---\n${head}${prompt}\n---${news}\n---\n\n${whole}\n`;
  const names = loaded.join(", ");
  if (isServed?.(knownText(execution)) && again) {
    const known = ["its text", "its values", ...(names === "" ? [] : [names])].join(", ");
    return `---\n${head}${prompt}\n---\n\nUnchanged since this session had it: ${known}. Follow it again from the ` +
      `start; without "again", the same call has the whole.${news}\n`;
  }
  const along = names === ""
    ? ""
    : `\nloaded: ${counted(loaded.length, "file")}, after the text: do not load again`;
  return `---\n${head}${along}${prompt}\n---\n\n${values}${news}\n---\n\n${text}`;
}

/** Joined once, as what was served is compared with it at each call. */
const knownText = cachedWith(({ values = "", text }: Execution) => values + text);

export function asksForNext({ name }: Entry): boolean {
  return ["help", "bmad"].includes(name);
}

export function asksForNextAlone({ name }: Entry, message = ""): boolean {
  return message.trim() === ""
    ? name === "help"
    : ASKS_NEXT.test(message.slice(0, LIMITS.delivery.searchedMessage));
}

const ASKS_NEXT =
  /(?:^\W*|\b(?:what|which|where|show|tell)\b[^.?!]{0,60}\b)next\b(?!\.\w)|\bwhat now\b|\bwhere (?:am i|are we)\b/i;

export async function prepareExecution(
  library: Library,
  entry: Entry,
  request: Omit<ExecuteRequest, "advise"> & { readonly advice?: string; readonly isNextAsked?: boolean },
  origin?: string,
): Promise<Execution> {
  const raw = rawText(library, entry);
  if (request.raw) return { text: raw };
  await loadEngine(library);
  const { by, calls, advice, artefacts = [] } = request;
  const launched = isLauncher(library, entry) ? launch(library, entry, calls?.open) : {};
  const isRendered = launched.text !== undefined;
  const { value: text, problem } = !isRendered && entry.file.endsWith(".agent.yaml")
    ? compileEntry(library, entry, raw, calls)
    : { value: launched.text ?? raw };
  const filled = fillPlaceholders(changedText(library, entry, text), fileOf(library, entry));
  const next = asksForNext(entry) ? calls?.next : undefined;
  const broken = problem === undefined ? fileNote(library, entry) : undefined;
  const item = request.item === undefined ? undefined : findMenuItem(library, entry, request.item);
  const bundle = findBundle(library, entry, filled, item ?? request);
  const chosen = choose(library, entry, request);
  const hasChosen = chosen !== undefined && chosen.names.length > 0;
  const head = [
    by && `agent: ${by}`,
    `${startedAs(entry)}: ${qualifiedName(entry)}`,
    isRendered && "how: Rendering is done: follow this",
    launched.problem && `problem: ${launched.problem}. ${RAW_NOTE}`,
    problem && `problem: ${problem}. ${SOURCE_NOTE}`,
    next &&
    `next: ${next} ${
      advice === undefined ? "names the next step of this project, and why" : "lists all steps"
    }`,
    calls?.review && /review/.test(entry.name) && /\bsub-?agents?\b/i.test(filled) &&
    `without sub-agents: ${calls.review} has what one reviewer of a story needs`,
    origin && `origin: ${origin}`,
    ...nameNotes(library, request.asked, entry).map((note) => `note: ${note}`),
    ...[standInFacts(library, entry)?.note, broken].map((note) => note && `note: ${note}`),
    item && `menu-item: ${menuLine(library, entry, item, calls)}`,
    ...bundle?.head ?? [],
    hasChosen && `chosen: ${chosen.names.join(", ")} (files follow the text: load none of them again)`,
    chosen !== undefined && chosen.unknown.length > 0 &&
    `unknown: ${chosen.unknown.join(", ")} (there are ${chosen.known.join(", ")})`,
  ].flatMap((line) => line || []);
  // A name may have any character that a file's may, and must not start a line of its own.
  const lines = head.map((line) => markHidden(line.replaceAll(/[\t\n\r]/g, "\uFFFD")));
  if (request.params !== undefined) lines.push(`params: ${JSON.stringify(request.params)}`);
  const news = renderNews(artefacts, advice);
  if (advice !== undefined && request.isNextAsked) {
    // Where files are opened by an item and a path, the same call opens what the text names.
    const call = calls?.openOf?.replace("ITEM", () => JSON.stringify(qualifiedName(entry)))
      .replace("PATH", () => baseName(entry.file));
    const whole = `The skill's text, for other questions: ${
      call ?? literalCall(uriOf(library, entry), calls?.open)
    }`;
    return { head: lines.join("\n"), news, text: "", whole };
  }
  const engine = engineParts(library, entry, filled) ?? markdownParts(library, entry, filled);
  const block = renderResolved(library, entry, {
    ...request,
    origin,
    isRendered,
    text: filled,
    chosen: hasChosen ? chosen.files : undefined,
    variables: engine?.variables,
    scripts: scriptFacts(library, entry, filled, calls?.script === undefined ? undefined : request.isNative),
  });
  const delivered = engine?.text ?? bundle?.text ?? filled;
  const parts = hasChosen ? `\n\n${chosen.text}\n` : "";
  return {
    head: lines.join("\n"),
    values: block,
    news,
    text: `${delivered}${parts}`,
    chosen: hasChosen ? chosen.files : undefined,
  };
}

function renderNews(artefacts: readonly string[], advice: string | undefined): string {
  const documents = artefacts.length === 0
    ? ""
    : `\n\nArtefacts here (files of the project):\n${artefacts.join("\n")}`;
  return advice === undefined
    ? documents
    : `${documents}\n\nWhat to do next in this project:\n${advice.trimEnd()}`;
}

function shortened(text: string): string {
  const { echo } = LIMITS.delivery;
  return text.length <= echo ? text : `${text.slice(0, echo).toWellFormed()}… (as in the call)`;
}

const RAW_NOTE = "Its templates are not rendered: run the script, or do by hand what workflow.md says";
const SOURCE_NOTE = "Take persona and menu from this source as far as you can";

function findMenuItem(library: Library, entry: Entry, code: string): MenuItem {
  const menu = readMenu(library, entry);
  const wanted = code.trim().replace(/^\*/, "").toLowerCase();
  const isV4 = entry.generation === "v4";
  // In v4 an argument may follow the command: `brainstorm {topic}`.
  const [command] = wanted.split(/\s/);
  const given = isV4 ? menu.find((item) => item.code.toLowerCase().startsWith(`${command} {`)) : undefined;
  const found = menu.find((item) => item.code.toLowerCase() === wanted) ??
    menu.find((item) => item.code.toLowerCase().split(" ")[0] === wanted) ??
    (given && { ...given, code: wanted });
  // And it may name what it is for. Any agent can be told to do that, whatever its menu has.
  const named = isV4 && readForm(wanted) !== undefined
    ? findByName(library.effective, { name: wanted })
    : undefined;
  if (named?.generation === "v4") {
    return { code: wanted, label: `${found?.label ?? named.kind}: ${named.id}` };
  }
  const facts = menu.length === 0
    ? { hint: `${qualifiedName(entry)} has no menu` }
    : { known: menu.map((item) => item.code) };
  return found ?? fail({ code: "not-found", what: "menu item", name: code, ...facts });
}

export function readMenu(library: Library, entry: Entry): readonly MenuItem[] {
  const menu = asValues(resolveValues(library, entry).customization["agent"])["menu"];
  return Array.isArray(menu) ? menu.map(asValues).map(menuItemOf) : entry.persona?.menu ?? [];
}

function menuLine(library: Library, entry: Entry, item: MenuItem, calls?: Calls): string {
  const { code, target, prompt, label } = item;
  if (target === undefined) return `${code} (${prompt ?? label})`;
  if (!target.includes("/")) return `${code} (start skill ${target})`;
  const file = findFile(library, target, fileOf(library, entry));
  // The file of a workflow alone is not all that its own activation has.
  const [meant] = file === undefined ? [] : entriesAt(library, file, library.effective);
  return meant === undefined
    ? `${code} (follow ${target})`
    : `${code} (${startCall(startedAs(meant), JSON.stringify(qualifiedName(meant)), calls)})`;
}

interface Facts extends Pick<ExecuteRequest, "date" | "time" | "calls"> {
  readonly isRendered: boolean;
  readonly text: string;
  readonly chosen?: ReadonlySet<string>;
  readonly origin?: string;
  readonly variables?: Values;
  readonly scripts: ScriptFacts;
}

/** It comes first, because the text itself tells its reader to run scripts. */
function renderResolved(library: Library, entry: Entry, facts: Facts): string {
  const { date, time, variables, scripts: { done, lines, instead, isTimed }, calls } = facts;
  const places = {
    "project-root": reachableProject(library),
    "skill-root": folderOnDisk(library, entry),
    date,
    "date for scripts": isTimed ? time : undefined,
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
    renderBlock(Object.keys(instead).length === 0 ? {} : { "if you cannot run a script": instead }) +
    `\n${openingNote(library, entry, facts)}`;
}

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

function openingNote(library: Library, entry: Entry, { isRendered, calls, origin }: Facts): string {
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
  const byPath = calls?.openOf?.replace("ITEM", () => item);
  const what = GENERATIONS[generation].isOfSkills ? "skill" : "workflow";
  const again = calls?.again === undefined ? "" : `, later in this session with ${calls.again}`;
  return `Files: ${byPath === undefined ? byUri() : `${byPath} with PATH as spelled, ${root}… too`}. ` +
    `${what === "skill" ? "Skills" : "Workflows"}: ${startCall(what, "…", calls)}${again}.`;
}

const NO_ROOT = "not needed, its content is served; overrides still go to its folder custom";

function looksForRoot(library: Library, entry: Entry, text: string): boolean {
  const name = rootName(library, entry);
  const isAsked = splitLines(text).some((line) => {
    const [, ...rests] = line.split(`{project-root}/${name}`);
    return rests.some((rest) => !/^\/?[\w{<-]/.test(rest)) && /\b(?:no|not|missing|installed)\b/i.test(line);
  });
  return isAsked &&
    !library.sources.some(({ origin, tree }) => origin.kind === "project" && tree.list(name).length > 0);
}

function rootName(library: Library, entry: Entry): string {
  const { mounts } = sourceOf(library, entry).inventory;
  return baseName(mounts.find(({ at }) => at === "")?.path ?? "") || "_bmad";
}

/** For the reader of the answer, who would open again what it has. */
const DELIVERED = "(You have it below; only a sub-agent has to load it.)";

/** Sub-agents know no URIs or calls: for them, files on disk go by full path, short ones in the prompt, others by call. */
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
  // A value that is only a path is for the reader of this answer.
  return mapTexts(values, (text) => /\s/.test(text) ? fillText(text) : text) as Values;
}

const OWN_FILE = /(`?)(?:\{skill-root\}\/|(?<=`))([\w-]{1,80}(?:[/.][\w-]{1,80}){1,8})/g;
