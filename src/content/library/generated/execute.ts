/**
 * Activation in one call: the raw text of a thing, the values that apply to it, and how to open its files.
 *
 * The text is delivered as it is; only an agent that nobody has installed comes in its installed form, and a launcher
 * as the workflow that it would have rendered. What only a local installation could have resolved is appended and
 * marked, and the step that would have run a script is said to be done. Everything else we add is kept under 100 tokens.
 */
import { dump } from "js-yaml";
import { fail } from "../../../base/errors.ts";
import { type Entry, isOf, type MenuItem, qualifiedName } from "../../../base/model.ts";
import { compileEntry } from "./agent_source.ts";
import { type Calls, openCall, startCall } from "./calls.ts";
import { type Resolved, resolveValues } from "../values/customize.ts";
import { folderUri } from "../files/files.ts";
import { rawText } from "../files/reading.ts";
import { isLauncher, renderLauncher, snapshotUri } from "./launcher.ts";
import { type Library, perEntry, placeOf } from "../library.ts";
import { fillPlaceholders } from "../files/placeholders.ts";
import { scriptNote } from "./script_notes.ts";
import { asValues, menuItemOf, type Values } from "../../../base/values.ts";

/** How a thing is to be activated. */
export interface ExecuteRequest {
  /** What the user wants of it. */
  readonly message?: string;
  /** What it is to work with, by names that its text may have. */
  readonly params?: Values;
  /** The code of an item in an agent's menu, to start with. */
  readonly item?: string;
  /** The agent that starts it, by its qualified name. */
  readonly by?: string;
  /** Leave out everything but the file. */
  readonly raw?: boolean;
  /** How files are opened and other things started, where not by the tool `bmad`. */
  readonly calls?: Calls;
}

/** All that a model needs to begin. */
export function renderExecution(library: Library, entry: Entry, request: ExecuteRequest): string {
  const raw = rawText(library, entry);
  if (request.raw) return raw;
  const role = isOf(entry, "agent") ? "agent" : isOf(entry, "workflow") ? "workflow" : entry.kind;
  const head = [`${role}: ${qualifiedName(entry)}`];
  const isRendered = isLauncher(library, entry);
  if (isRendered) head.push("how: Rendering is done: follow this");
  const { value: text, problem } = isRendered
    ? { value: renderLauncher(library, entry) }
    : entry.file.endsWith(".agent.yaml")
    ? compileEntry(library, entry, raw, request.calls)
    : { value: raw };
  const filled = fillPlaceholders(text, placeOf(library, entry));
  if (problem !== undefined) head.push(`problem: ${problem}. ${SOURCE_NOTE}`);
  if (request.by !== undefined) head.unshift(`agent: ${request.by}`);
  if (request.item !== undefined) {
    head.push(`menu-item: ${menuLine(findMenuItem(library, entry, request.item))}`);
  }
  // A name may hold anything that a file's name may: it must not become a line of its own.
  const lines = head.map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD"));
  // The user's own words stay as they are; JSON keeps them on one line.
  if (request.params !== undefined) lines.push(`params: ${JSON.stringify(request.params)}`);
  if (request.message) lines.push(`user-prompt: ${JSON.stringify(shortened(request.message))}`);
  const notes = renderValues(library, entry, isRendered) + fileNote(entry, isRendered, request.calls) +
    scriptNote(library, entry, filled);
  return [`---\n${lines.join("\n")}\n---\n`, filled, notes].join("\n");
}

/** So much of the user's words is said again; the model has them all in its call. */
const MAX_ECHO = 2_000;

function shortened(message: string): string {
  return message.length <= MAX_ECHO
    ? message
    : `${message.slice(0, MAX_ECHO).toWellFormed()}… (as in the call)`;
}

/** What to make of a source that could not be compiled. */
const SOURCE_NOTE = "Take persona and menu from this source as far as you can";

/** The values that apply; a rendered text has its customization in it. */
function renderValues(library: Library, entry: Entry, isRendered: boolean): string {
  return (isRendered ? configText : valuesText)(library, entry);
}

const valuesText = perEntry((library, entry) => {
  const { customization, ...others } = resolveValues(library, entry);
  return textOf({ ...customization, ...shownOf(others) });
});

const configText = perEntry((library, entry) => textOf(shownOf(resolveValues(library, entry))));

/** Configuration and what is wrong with it, where there is any. */
function shownOf({ config, problems }: Pick<Resolved, "config" | "problems">): Values {
  return {
    ...(Object.keys(config).length > 0 ? { config } : {}),
    ...(problems.length > 0 ? { problems } : {}),
  };
}

function textOf(values: Values): string {
  if (Object.keys(values).length === 0) return "";
  return "---\nResolved by the server (resolve_*.py and config steps are done):\n" +
    `${dump(values, { lineWidth: -1 })}\n`;
}

/** How to open what the text refers to, in the spelling of its generation; a URI or a name alone is a whole call. */
function fileNote(entry: Entry, isRendered: boolean, calls: Calls | undefined): string {
  const { generation, module } = entry;
  const [folder, meaning] = generation === "skills"
    ? [isRendered ? `${snapshotUri(entry)}/` : folderUri(entry), "; {project-root}/_bmad/PATH is bmad://PATH"]
    : generation === "v6"
    ? ["bmad://", " for {project-root}/_bmad/PATH"]
    : [`bmad://${module}/`, ` for .${module}/PATH and {root}/PATH`];
  const what = generation === "skills" ? "skill" : "workflow";
  return `Files: ${openCall(`"${folder}PATH"`, calls)}${meaning}. ` +
    `${what === "skill" ? "Skills" : "Workflows"}: ${startCall(what, "…", calls)}.`;
}

function findMenuItem(library: Library, entry: Entry, code: string): MenuItem {
  const menu = menuOf(library, entry);
  const wanted = code.trim().replace(/^\*/, "").toLowerCase();
  // Items of v4 may name an argument behind their command: `brainstorm {topic}`.
  const found = menu.find((item) => item.code.toLowerCase() === wanted) ??
    menu.find((item) => item.code.toLowerCase().split(" ")[0] === wanted);
  if (found !== undefined) return found;
  return fail({
    code: "not-found",
    what: "menu item",
    name: code,
    hint: menu.length === 0
      ? `${qualifiedName(entry)} has no menu`
      : `${qualifiedName(entry)} has ${menu.map((item) => item.code).join(", ")}`,
  });
}

/** An agent's menu with what its team and user made of it. */
export function menuOf(library: Library, entry: Entry): readonly MenuItem[] {
  const menu = asValues(resolveValues(library, entry).customization["agent"])["menu"];
  return Array.isArray(menu) ? menu.map(asValues).map(menuItemOf) : entry.persona?.menu ?? [];
}

function menuLine(item: MenuItem): string {
  return `${item.code} (${
    item.target === undefined
      ? item.prompt ?? item.label
      : item.target.includes("/")
      ? `follow ${item.target}`
      : `start skill ${item.target}`
  })`;
}
