/**
 * One agent file of any generation before skills, read into facts about the agent.
 *
 * Four forms: Markdown with an `<agent>` element (compiled v6), Markdown with a fenced YAML block (v4), an uncompiled
 * `*.agent.yaml`, and plain Markdown, written by hand. The element is read with patterns, not with an XML
 * parser: customized prompts are written into it unescaped, so it may not be well-formed.
 */
import type { Item, MenuItem } from "../../base/model.ts";
import { asText, asTexts, asValues, findHeading, isValues, parseFrontMatter, parseYaml } from "../parse.ts";
import { normalizeText, type Parsed, type Values } from "../parse.ts";
import { findText, type Tree } from "../tree/mod.ts";
import { agentProblem, xmlProblem } from "./element.ts";
import { authorIn, endingOf } from "./layout.ts";

/** What an agent file says about its agent. */
export type AgentFacts =
  & Pick<Item, "displayName" | "title" | "icon" | "description" | "author" | "persona">
  & {
    /** How the file is written: `described` is Markdown with front matter, `prose` without any known structure. */
    readonly form: "element" | "block" | "source" | "described" | "prose";
    /** Whether the file says that it is not an agent of its own. */
    readonly isSkipped?: boolean;
  };

export function parseAgentFile(text: string): Parsed<AgentFacts> {
  const clean = normalizeText(text);
  const agent = findTag(clean, "agent", 0);
  const problem = agentProblem(clean);
  if (agent !== undefined) {
    const { value, ...front } = parseFrontMatter(clean);
    return { value: fromElement(clean, agent.tag, value), ...front, ...(problem && { problem }) };
  }
  const block = /```ya?ml\n([\s\S]*?)```/.exec(clean)?.[1];
  if (block !== undefined && /^agent:/m.test(block)) {
    const { value, ...rest } = parseYaml(block);
    return { value: fromBlock(value), ...rest };
  }
  const { value, ...rest } = parseFrontMatter(clean);
  return { value: fromProse(value, clean), ...(problem === undefined ? rest : { problem }) };
}

export function parseAgentSource(text: string): Parsed<AgentFacts> {
  const { value, ...rest } = parseYaml(text);
  return { value: fromSource(asValues(value["agent"])), ...rest };
}

/** The item with what its file says, which counts more than what a manifest says: of a workflow or task, its author. */
export function completeFromFile(tree: Tree, item: Item): Item {
  const text = findText(tree, item.file);
  if (text === undefined) return item;
  if (item.kind === "agent") return completeFromText(text, item);
  const { value, ...rest } = parserOf(item.file)(text);
  return { ...item, ...faultOf(rest), ...authorIn(value), isBrief: false };
}

function parserOf(file: string): (text: string) => Parsed<Values> {
  const ending = endingOf(file);
  if (ending === "xml") return parseXml;
  return ending === "yaml" || ending === "yml" ? parseYaml : parseFrontMatter;
}

function faultOf({ problem, isLimit }: Omit<Parsed<unknown>, "value">): Pick<Item, "fault"> {
  return problem === undefined || isLimit ? {} : { fault: problem };
}

export function completeFromText(text: string, item: Item): Item {
  const { value, ...rest } = parseAgentFile(text);
  const { displayName, title, icon, description, author, persona } = value;
  return {
    ...item,
    ...faultOf(rest),
    ...(author && { author }),
    displayName: displayName ?? item.displayName,
    title: title ?? item.title,
    icon: icon ?? item.icon,
    description: item.description || description,
    persona: persona ?? item.persona,
    isBrief: false,
  };
}

function fromElement(text: string, head: string, front: Values): AgentFacts {
  const { name, title, icon, capabilities, localskip } = attributesOf(head);
  const inside = (tag: string) => textBetween(text, `<${tag}>`, `</${tag}>`);
  const textOf = (tag: string) => asText(decodeEntities(inside(tag)));
  return {
    form: "element",
    isSkipped: localskip === "true",
    displayName: name,
    title,
    icon,
    description: asText(front["description"]) ?? title ?? "",
    ...authorIn(front),
    persona: {
      role: textOf("role"),
      identity: textOf("identity"),
      communicationStyle: textOf("communication_style"),
      principles: splitPrinciples(textOf("principles")),
      capabilities: capabilities?.split(/,\s*/) ?? [],
      menu: [...menuElements(inside("menu"))].map(([tag, label]) => elementItem(attributesOf(tag), label)),
    },
  };
}

/** The first tag of a name from a position on, and where it ends. A pattern would take quadratic time without a `>`. */
function findTag(
  text: string,
  name: string,
  from: number,
): { readonly tag: string; readonly end: number } | undefined {
  for (let at = text.indexOf(`<${name}`, from); at >= 0; at = text.indexOf(`<${name}`, at + 1)) {
    if (/\w/.test(text[at + name.length + 1] ?? "")) continue;
    const end = text.indexOf(">", at) + 1;
    return end === 0 ? undefined : { tag: text.slice(at, end), end };
  }
  return undefined;
}

/** The text between the first `open` and the next `close`; empty if there is none. */
function textBetween(text: string, open: string, close: string): string {
  const from = text.indexOf(open);
  const to = from < 0 ? -1 : text.indexOf(close, from + open.length);
  return to < 0 ? "" : text.slice(from + open.length, to);
}

/** The tag and the label of every item of a menu. */
function* menuElements(menu: string): Generator<readonly [tag: string, label: string]> {
  for (let found = findTag(menu, "item", 0); found !== undefined;) {
    const end = menu.indexOf("</item>", found.end);
    if (end < 0) return;
    yield [found.tag, menu.slice(found.end, end)];
    found = findTag(menu, "item", end);
  }
}

function elementItem(attributes: Readonly<Record<string, string>>, label: string): MenuItem {
  const text = decodeEntities(label.replaceAll(/<[^<>]*>/g, " ")).replaceAll(/\s+/g, " ").trim();
  return menuItem(attributes["cmd"] ?? "", text, (key) => attributes[key]);
}

function sourceItem(item: Values): MenuItem {
  const label = asText(item["description"]) ?? asText(item["multi"]) ?? "";
  return menuItem(asText(item["trigger"]) ?? "", label, (key) => asText(item[key]));
}

/** The keys that say what a menu item starts, best first. A workflow from elsewhere has its own path once installed. */
const TARGETS = ["workflow-install", "workflow", "exec", "validate-workflow", "tmpl", "data"];

/** `CP or fuzzy match on create-prd` has the code `CP`, `*prd` has `prd`; `[CP] Create a PRD` is shown without the code. */
function menuItem(command: string, label: string, textOf: (key: string) => string | undefined): MenuItem {
  const target = TARGETS.map(textOf).find((value) => value !== undefined);
  return {
    code: /^([A-Z]{1,3}) or fuzzy match on /.exec(command)?.[1] ?? command.replace(/^\*/, ""),
    label: label.replace(/^\[[^\]]*\]\s*/, ""),
    target: target?.replace(/^skill:/, ""),
    prompt: textOf("action"),
  };
}

function fromBlock(values: Values): AgentFacts {
  const agent = asValues(values["agent"]);
  const persona = asValues(values["persona"]);
  const customization = asText(agent["customization"]);
  return {
    form: "block",
    displayName: asText(agent["name"]),
    title: asText(agent["title"]),
    icon: asText(agent["icon"]),
    description: asText(agent["whenToUse"]) ?? asText(persona["role"]) ?? "",
    ...authorIn(agent),
    persona: {
      role: asText(persona["role"]),
      identity: asText(persona["identity"]),
      communicationStyle: asText(persona["style"]),
      principles: asTexts(persona["core_principles"] ?? values["core_principles"]),
      capabilities: [],
      menu: commandItems(values["commands"]),
      ...(customization === undefined ? {} : { customization }),
    },
  };
}

/** Commands are a list of one-key maps, a list of strings, or one map. */
function commandItems(commands: unknown): readonly MenuItem[] {
  const rows = Array.isArray(commands) ? commands : isValues(commands) ? [commands] : [];
  return rows.flatMap((row): MenuItem[] => {
    if (isValues(row)) {
      return Object.entries(row).map(([code, label]) => ({ code, label: asTexts(label).join(" ") }));
    }
    const [, code, label] = /^"?\*?([\w-]+)"?\s*(?:-\s*)?(.*)$/s.exec(asText(row) ?? "") ?? [];
    return code === undefined ? [] : [{ code, label: label ?? "" }];
  });
}

function fromSource(agent: Values): AgentFacts {
  const metadata = asValues(agent["metadata"]);
  const persona = asValues(agent["persona"]);
  const principles = persona["principles"];
  return {
    form: "source",
    displayName: asText(metadata["name"]),
    title: asText(metadata["title"]),
    icon: asText(metadata["icon"]),
    description: asText(metadata["description"]) ?? asText(metadata["title"]) ?? "",
    ...authorIn(metadata),
    persona: {
      role: asText(persona["role"]),
      identity: asText(persona["identity"]),
      communicationStyle: asText(persona["communication_style"]),
      principles: Array.isArray(principles) ? asTexts(principles) : splitPrinciples(asText(principles)),
      capabilities: asTexts(metadata["capabilities"]).flatMap((text) => text.split(/,\s*/)),
      menu: (Array.isArray(agent["menu"]) ? agent["menu"] : []).map(asValues).map(sourceItem),
    },
  };
}

function fromProse(front: Values, text: string): AgentFacts {
  return {
    form: text.startsWith("---\n") ? "described" : "prose",
    displayName: asText(front["displayName"]),
    title: asText(front["title"]) ?? findHeading(text),
    icon: asText(front["icon"]),
    description: asText(front["description"]) ?? "",
    ...authorIn(front),
    persona: { principles: [], capabilities: [], menu: [] },
  };
}

/** Principles given as one text, which is a list only if it begins like one. Installers put it all on one line. */
export function splitPrinciples(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const mark = /\n[^\S\n]*- /.test(text) ? /\n[^\S\n]*- / : /\s- /;
  const parts = text.startsWith("- ") ? `\n${text}`.split(mark) : [text];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** What an XML file of a task, tool or workflow says about itself: its attributes and its objective. */
export function parseXml(given: string): Parsed<Values> {
  const text = normalizeText(given);
  const problem = xmlProblem(text);
  const value = {
    description: asText(textBetween(text, "<objective>", "</objective>")),
    ...attributesOf(/<(?:task|tool|workflow)\b([^<>]*)>/.exec(text)?.[1] ?? ""),
  };
  return { value, ...(problem && { problem }) };
}

export function attributesOf(tag: string): Readonly<Record<string, string>> {
  const pairs = tag.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g);
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, decodeEntities(value!)]));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
}
