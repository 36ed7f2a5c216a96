/**
 * Activation in one call: the values that apply to an item, how to open its files, then its text, which is unchanged
 * unless the item is compiled, customized, rendered or asks what the answer says already. Apart from resolved values,
 * what we add stays under 120 tokens.
 */
import { fail } from "../../../base/errors.ts";
import { type Entry, type MenuItem, qualifiedName, startedAs } from "../../../base/model.ts";
import { readForm, resolveName } from "../../catalog/mod.ts";
import { changedText } from "./agent_changes.ts";
import { compileEntry } from "./compile_agent.ts";
import { type Calls, literalCall, startCall } from "./calls.ts";
import { choose } from "./choices.ts";
import { engineParts, findBundle, markdownParts } from "./workflow_parts.ts";
import { resolveValues } from "../values/customize.ts";
import { fileNote, fillPlaceholders, rawText } from "../files/reading.ts";
import { isLauncher, launch } from "./launcher.ts";
import { findFile } from "../files/references.ts";
import { fileOf, type Library, sourceOf } from "../library.ts";
import { renderResolved } from "./resolved.ts";
import { nameNotes } from "../entry_facts.ts";
import { uriOf } from "../files/files.ts";
import { scriptFacts } from "./script_substitutes.ts";
import { markHidden, splitLines } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import { asValues, menuItemOf, type Values } from "../../../base/values.ts";

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
  readonly artefacts?: readonly string[];
  advise?(): Promise<string>;
}

export interface Execution {
  readonly head?: string;
  readonly body: string;
}

export function renderExecution({ head, body }: Execution, message: string | undefined): string {
  if (head === undefined) return body;
  // JSON keeps the user's own words unchanged and on one line.
  const prompt = message ? `\nuser-prompt: ${JSON.stringify(shortened(message))}` : "";
  return `---\n${head}${prompt}\n---\n\n${body}`;
}

export function asksForNext({ name }: Entry): boolean {
  return ["help", "bmad"].includes(name);
}

export function prepareExecution(
  library: Library,
  entry: Entry,
  request: Omit<ExecuteRequest, "advise"> & { readonly advice?: string },
  origin?: string,
): Execution {
  const raw = rawText(library, entry);
  if (request.raw) return { body: raw };
  const head = [`${startedAs(entry)}: ${qualifiedName(entry)}`];
  const launched = isLauncher(library, entry) ? launch(library, entry, request.calls?.open) : {};
  const isRendered = launched.text !== undefined;
  if (isRendered) head.push("how: Rendering is done: follow this");
  if (launched.problem !== undefined) head.push(`problem: ${launched.problem}. ${RAW_NOTE}`);
  const { value: text, problem } = !isRendered && entry.file.endsWith(".agent.yaml")
    ? compileEntry(library, entry, raw, request.calls)
    : { value: launched.text ?? raw };
  const whole = fillPlaceholders(changedText(library, entry, text), fileOf(library, entry));
  if (problem !== undefined) head.push(`problem: ${problem}. ${SOURCE_NOTE}`);
  const { advice } = request;
  const { text: filled, leftOut } = advice === undefined
    ? { text: whole, leftOut: [] }
    : withoutSearch(whole);
  const next = asksForNext(entry) ? request.calls?.next : undefined;
  const names = advice === undefined ? "names the next step of this project, and why" : "lists all steps";
  if (next !== undefined) head.push(`next: ${next} ${names}`);
  if (leftOut.length > 0) {
    const open = literalCall(uriOf(library, entry), request.calls?.open);
    head.push(`left out: ${leftOut.join(", ")} (result below; whole text: ${open})`);
  }
  if (request.by !== undefined) head.unshift(`agent: ${request.by}`);
  if (origin !== undefined) head.push(`origin: ${origin}`);
  const broken = problem === undefined ? fileNote(library, entry) : undefined;
  const notes = [...nameNotes(library, request.asked, entry), broken].filter((note) => note !== undefined);
  head.push(...notes.map((note) => `note: ${note}`));
  const item = request.item === undefined ? undefined : findMenuItem(library, entry, request.item);
  if (item !== undefined) head.push(`menu-item: ${menuLine(library, entry, item, request.calls)}`);
  const bundle = findBundle(library, entry, filled, item ?? request);
  if (bundle !== undefined) head.push(...bundle.head);
  const chosen = choose(library, entry, request);
  const hasChosen = chosen !== undefined && chosen.names.length > 0;
  if (hasChosen) {
    head.push(`chosen: ${chosen.names.join(", ")} (files follow the text: load none of them again)`);
  }
  if (chosen !== undefined && chosen.unknown.length > 0) {
    head.push(`unknown: ${chosen.unknown.join(", ")} (there are ${chosen.known.join(", ")})`);
  }
  // A name can have any character that a file name can, and must not start a line of its own.
  const lines = head.map((line) => markHidden(line.replaceAll(/[\t\n\r]/g, "\uFFFD")));
  if (request.params !== undefined) lines.push(`params: ${JSON.stringify(request.params)}`);
  const engine = engineParts(library, entry, filled) ?? markdownParts(library, entry, filled);
  const isNative = request.calls?.script === undefined ? undefined : request.isNative;
  const block = renderResolved(library, entry, {
    ...request,
    origin,
    isRendered,
    text: filled,
    chosen: hasChosen ? chosen.files : undefined,
    variables: engine?.variables,
    scripts: scriptFacts(library, entry, filled, isNative),
  });
  const { artefacts = [] } = request;
  const documents = artefacts.length === 0 ? "" : `\n\n${ARTEFACTS}\n${artefacts.join("\n")}`;
  const result = advice === undefined ? "" : `\n\n${ADVICE}\n${advice.trimEnd()}`;
  const delivered = engine?.text ?? bundle?.text ?? filled;
  const parts = !hasChosen ? "" : `\n\n${chosen.text}\n`;
  return { head: lines.join("\n"), body: `${block}${documents}${result}\n---\n\n${delivered}${parts}` };
}

const ARTEFACTS = "Artefacts here (files of the project):";
const ADVICE = "What to do next in this project:";

function shortened(text: string): string {
  const { echo } = LIMITS.delivery;
  return text.length <= echo ? text : `${text.slice(0, echo).toWellFormed()}… (as in the call)`;
}

const RAW_NOTE = "Its templates are not rendered: run the script, or do by hand what workflow.md says";
const SOURCE_NOTE = "Take persona and menu from this source as far as you can";

function findMenuItem(library: Library, entry: Entry, code: string): MenuItem {
  const menu = readMenu(library, entry);
  const wanted = code.trim().replace(/^\*/, "").toLowerCase();
  const found = menu.find((item) => item.code.toLowerCase() === wanted) ??
    // In v4 an argument may follow the command: `brainstorm {topic}`.
    menu.find((item) => item.code.toLowerCase().split(" ")[0] === wanted) ?? findCommand(entry, menu, wanted);
  const facts = menu.length === 0
    ? { hint: `${qualifiedName(entry)} has no menu` }
    : { known: menu.map((item) => item.code) };
  return withForm(library, entry, wanted, found) ?? found ??
    fail({ code: "not-found", what: "menu item", name: code, ...facts });
}

function findCommand({ generation }: Entry, menu: readonly MenuItem[], wanted: string): MenuItem | undefined {
  const [command] = wanted.split(/\s/);
  const found = menu.find((item) => item.code.toLowerCase().startsWith(`${command} {`));
  return generation === "v4" && found !== undefined ? { ...found, code: wanted } : undefined;
}

/** A command of v4 that names what it is for. Any agent can be told to do it, whatever its menu has. */
function withForm(
  library: Library,
  { generation }: Entry,
  wanted: string,
  item: MenuItem | undefined,
): MenuItem | undefined {
  if (generation !== "v4" || readForm(wanted) === undefined) return undefined;
  const named = resolveName(library.effective, { name: wanted });
  if (named.outcome !== "found" || named.entry.generation !== "v4") return undefined;
  return { code: wanted, label: `${item?.label ?? named.entry.kind}: ${named.entry.id}` };
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
  const meant = file &&
    library.effective.find((one) => one.file === file.path && sourceOf(library, one) === file.source);
  return meant === undefined
    ? `${code} (follow ${target})`
    : `${code} (${startCall(startedAs(meant), JSON.stringify(qualifiedName(meant)), calls)})`;
}

const SEARCH = ["data sources", "csv interpretation"];

function withoutSearch(text: string) {
  const leftOut: string[] = [];
  let isKept = true;
  let isCode = false;
  const lines = splitLines(text).filter((line) => {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, level = "", heading = ""] = isCode ? [] : /^(#{1,2}) (.*)$/.exec(line) ?? [];
    if (level !== "") {
      isKept = !(level === "##" && SEARCH.includes(heading.trim().toLowerCase()));
      if (!isKept) leftOut.push(heading.trim());
    }
    return isKept;
  });
  return leftOut.length === 0 ? { text, leftOut } : { text: lines.join("\n"), leftOut };
}
