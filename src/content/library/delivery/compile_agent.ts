/** Compiles an agent that was never installed, as the installers from the 6.0 alphas to 6.2.0 would have. */
import { findByName } from "../../catalog/mod.ts";
import { type Entry, qualifiedName } from "../../../base/model.ts";
import {
  asList,
  asText,
  asTexts,
  asValues,
  isValues,
  type Parsed,
  parseYaml,
  type Values,
} from "../../parse.ts";
import { joinPath } from "../../tree/mod.ts";
import { type Calls, openCall, startCall } from "./calls.ts";
import { uriOf } from "../files/files.ts";
import { mapTexts } from "../values/merge.ts";
import { type Library, sourceOf } from "../library.ts";
import { LIMITS } from "../../limits.ts";

interface AgentContext {
  readonly id: string;
  readonly name: string;
  readonly sidecar?: string;
  readonly partyMode?: string;
  readonly calls?: Calls;
}

export function compileEntry(library: Library, entry: Entry, source: string, calls?: Calls): Parsed<string> {
  const sidecar = `${entry.id}-sidecar`;
  const hasSidecar = sourceOf(library, entry).tree.list(joinPath(entry.folder, sidecar)).length > 0;
  const party = findByName(library.manifest.entries, { name: "party-mode", kind: "workflow" });
  const uri = uriOf(library, entry);
  const sidecarUri = `${uri.slice(0, uri.lastIndexOf("/") + 1)}${encodeURIComponent(sidecar)}/`;
  return compileAgentSource(source, {
    id: entry.id,
    name: qualifiedName(entry),
    sidecar: hasSidecar ? sidecarUri : undefined,
    partyMode: party && qualifiedName(party),
    calls,
  });
}

export function compileAgentSource(source: string, context: AgentContext): Parsed<string> {
  const { value, problem } = parseYaml(source);
  if (problem !== undefined) return { value: source, problem };
  const agent = fillAnswers(asValues(value["agent"]), asValues(value["saved_answers"]));
  if (!["metadata", "persona", "menu"].some((key) => agent[key] !== undefined)) {
    return { value: source, problem: "the file has no agent with a persona or a menu" };
  }
  return { value: render(agent, context) };
}

function render(agent: Values, context: AgentContext): string {
  const metadata = asValues(agent["metadata"]);
  const title = asText(metadata["title"]);
  const menu = renderMenu(agent, context);
  // Without a code fence, because prompts contain fences.
  return [
    "---",
    `name: ${JSON.stringify(context.id.replaceAll("-", " "))}`,
    `description: ${JSON.stringify(asText(metadata["description"]) ?? title ?? "BMAD agent")}`,
    "---",
    "",
    "Be this agent: take on its persona, go through its activation step by step, and stay in character until you are dismissed.",
    "",
    startTag("agent", {
      id: context.name,
      name: metadata["name"],
      title,
      icon: metadata["icon"],
      capabilities: asTexts(metadata["capabilities"]).join(", "),
    }),
    "<activation>",
    ...activationSteps(agent, context).map((step, at) => `<step n="${at + 1}">${step}</step>`),
    "<menu-handlers>",
    ...handlersFor(menu).map(([, line]) => line),
    "</menu-handlers>",
    "</activation>",
    "<persona>",
    ...personaLines(asValues(agent["persona"])),
    "</persona>",
    // A prompt is read, not parsed: the installer does not escape it either.
    ...section(
      "prompts",
      asList(agent["prompts"]).map(asValues).map(({ id, content }) =>
        `${startTag("prompt", { id })}<content>\n${asText(content) ?? ""}\n</content></prompt>`
      ),
    ),
    ...section("memories", partsOf(agent["memories"]).map((memory) => `<memory>${escape(memory)}</memory>`)),
    "<menu>",
    ...menu,
    "</menu>",
    "</agent>",
    "",
  ].join("\n");
}

export function personaLines(persona: Values): readonly string[] {
  return ["role", "identity", "communication_style", "principles"].flatMap((key) => {
    const text = escape(linesOf(persona[key]).map((line) => line.trim().replaceAll(/\s+/g, " ")).join("\n"));
    return text === "" ? [] : [`<${key}>${text}</${key}>`];
  });
}

/** A list has a line for each item, even where YAML takes the list for a text. */
function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return partsOf(value).map((part) => `- ${part}`);
  return partsOf(value).flatMap((text) => text.split(/\n(?=[^\S\n]*- )/));
}

function activationSteps(agent: Values, { id, sidecar, calls }: AgentContext): readonly string[] {
  return [
    "The configuration is loaded: {user_name}, {communication_language} and other such names mean the values under " +
    "“Already resolved”. Speak {communication_language}, unless your communication style says otherwise.",
    `To open a path that is named here: ${openCall("PATH", calls)}. ` +
    `To start skill:NAME, or a workflow or task by its name: ${
      startCall("skill", "NAME", calls)
    }. Do so when it is needed, not before.`,
    ...(sidecar === undefined ? [] : [
      `Files in ${id}-sidecar/ are your memory, stored in the project. A missing one starts as a copy of ${sidecar}FILE.`,
    ]),
    ...partsOf(agent["critical_actions"]),
    "Greet {user_name}, show the menu as a numbered list and wait; where the head of this answer gives a menu-item " +
    "or user-prompt, begin with that instead.",
    "Find what the user chose by number, code or words (ask if several fit, say so if none does). Do what the " +
    "item's attributes say; one without attributes is done as it reads.",
  ];
}

export function handlersFor(menu: readonly string[]): readonly (readonly [type: string, line: string])[] {
  return HANDLERS.filter(([, mark]) => menu.some((line) => line.includes(mark)))
    .map(([type, , words]) => [type, `<handler type="${type}">${words}</handler>`]);
}

export const HANDLERS: readonly (readonly [type: string, mark: string, words: string])[] = [
  [
    "workflow",
    ' workflow="',
    "Open the path and {project-root}/_bmad/core/tasks/workflow.xml, and follow the latter with the path as its " +
    "workflow-config; save after every step. Where that file is missing, follow the path's own instructions; a path " +
    'to Markdown is followed itself. "todo" is not implemented yet: say so.',
  ],
  [
    "validate-workflow",
    ' validate-workflow="',
    "Check the document (ask which one if none is given) point by point against the checklist, or what the " +
    "workflow at the path gives as validation, and report.",
  ],
  ["exec", ' exec="', "Open the path, read all of it and follow it; start it if it is skill:NAME."],
  ["tmpl", ' tmpl="', "Open it before the rest of the item, which knows it as {template}."],
  ["data", ' data="', "If it is a path, open it before the rest of the item, which gets it as {data}."],
  ["action", ' action="', "#ID: follow the prompt of that id. Any other text: do what it says."],
  [
    "multi",
    ' type="multi"',
    "One line of the menu, several choices: take the handler whose match fits best.",
  ],
];

function renderMenu(agent: Values, { partyMode }: AgentContext): readonly string[] {
  const own = asList(agent["menu"]).map(asValues).flatMap(menuItem);
  const added = (code: string, words: string, label: string, exec?: string): readonly string[] =>
    own.some((line) => line.includes(`[${code}]`))
      ? []
      : menuItem({ trigger: `${code} or fuzzy match on ${words}`, exec, description: `[${code}] ${label}` });
  return [
    ...added("MH", "menu", "Show this menu again"),
    ...added("CH", "chat", "Talk about anything"),
    ...own,
    ...(partyMode ? added("PM", "party-mode", "Bring in other agents", `skill:${partyMode}`) : []),
    ...added("DA", "exit", "Dismiss the agent"),
  ];
}

export function menuItem(item: Values): readonly string[] {
  if (asText(item["multi"]) !== undefined) return multiItem(item);
  if (asText(item["trigger"]) === undefined) return [];
  const label = escape(asText(item["description"]) ?? "");
  return [`${startTag("item", { cmd: item["trigger"], ...targetsOf(item) })}${label}</item>`];
}

const TARGETS = "workflow validate-workflow checklist document exec tmpl data action".split(" ");

function targetsOf(item: Values): Values {
  // The path after installation, where the workflow comes from another module.
  const workflow = asText(item["workflow-install"]) ?? item["workflow"];
  return Object.fromEntries(TARGETS.map((key) => [key, key === "workflow" ? workflow : item[key]]));
}

/** Several choices in one line. Each is a list of one-key maps, one map, or a map inside a map with its name. */
function multiItem(item: Values): readonly string[] {
  const choices = asList(item["triggers"]).map(asValues).flatMap((choice) =>
    choice["trigger"] === undefined ? Object.values(choice) : [choice]
  );
  return [
    `${startTag("item", { type: "multi" })}${escape(asText(item["multi"])!)}`,
    ...choices.map((choice) => {
      const facts: Values = Object.assign({}, ...(Array.isArray(choice) ? choice : [choice]).map(asValues));
      const route = asText(facts["route"]);
      const target = route === undefined ? {} : { [/\.ya?ml$/.test(route) ? "workflow" : "exec"]: route };
      const tag = startTag("handler", { match: facts["input"], ...targetsOf({ ...facts, ...target }) });
      return `${tag}</handler>`;
    }),
    "</item>",
  ];
}

function startTag(name: string, attributes: Values): string {
  const written = Object.entries(attributes).map(([key, value]) => [key, asText(value)] as const)
    .map(([key, text]) => text === undefined ? "" : ` ${key}="${escapeQuoted(text)}"`);
  return `<${name}${written.join("")}>`;
}

function section(tag: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`<${tag}>`, ...lines, `</${tag}>`];
}

function partsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((part) =>
    isValues(part)
      ? Object.entries(part).map(([key, text]) => `${key}: ${asTexts(text).join(" ")}`)
      : asTexts(part)
  );
}

export function escapeQuoted(text: string): string {
  return escape(text).replaceAll('"', "&quot;");
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Handlebars, in which Jinja would see errors; a name without an answer may be meant for the model. */
export function fillAnswers(agent: Values, saved: Values): Values {
  const { install_config: config, ...rest } = agent;
  const questions = asValues(config)["questions"];
  const defaults = asList(questions).map(asValues).filter(({ default: given }) => given !== undefined)
    .map(({ var: name, default: given }) => [asText(name) ?? "", given] as const);
  const answers = { ...Object.fromEntries(defaults), ...saved };
  if (Object.keys(answers).length === 0) return rest;
  let left: number = LIMITS.delivery.answers;
  const isLeft = (length: number) => (left -= length) >= 0;
  return asValues(mapTexts(rest, (text) => text.includes("{{") ? fillText(text, answers, isLeft) : text));
}

const BEGIN = /^\{\{#(if|unless)\s+(\w+)\s*(?:==\s*"([^"]*)"\s*)?\}\}$/;

function fillText(text: string, answers: Values, isLeft: (length: number) => boolean): string {
  const answerTo = (name: string) => Object.hasOwn(answers, name) ? answers[name] : undefined;
  const blocks: boolean[] = [];
  const isKept = () => blocks.at(-1) ?? true;
  return text.split(/(\{\{[^{}]*\}\})/).map((part, at) => {
    if (at % 2 === 0) return isKept() ? part : "";
    const [, word, name, wanted] = BEGIN.exec(part) ?? [];
    if (word !== undefined) {
      const answer = answerTo(name!);
      const holds = wanted === undefined ? Boolean(answer) : asText(answer) === wanted;
      blocks.push(isKept() && holds === (word === "if"));
      return "";
    }
    if (/^\{\{\/(if|unless)\}\}$/.test(part)) {
      blocks.pop();
      return "";
    }
    const answer = asText(answerTo(part.slice(2, -2)));
    if (answer === undefined) return isKept() ? part : "";
    return !isLeft(answer.length) ? part : isKept() ? answer : "";
  }).join("");
}
