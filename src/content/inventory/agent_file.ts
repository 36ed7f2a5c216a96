/** Agent files before skills: an `<agent>` element (compiled v6), a YAML block (v4), `*.agent.yaml`, or prose. */
import type { Item, MenuItem } from "../../base/model.ts";
import {
  asList,
  asText,
  asTexts,
  asValues,
  findHeading,
  isValues,
  normalizeText,
  type Parsed,
  parseFrontMatter,
  parseYaml,
  type Values,
} from "../parse.ts";
import { findText, type Tree } from "../tree/mod.ts";
import { authorIn, endingOf, firstText, personaOf } from "./layout.ts";
import { splitLines } from "../../base/text.ts";

export type AgentFacts =
  & Pick<Item, "displayName" | "title" | "icon" | "description" | "author" | "persona">
  & {
    readonly form: "element" | "block" | "source" | "described" | "prose";
    /** Its `localskip` attribute: the file is not an agent of its own. */
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

/** Customized prompts are unescaped in it, so it may not be well-formed. */
function fromElement(text: string, head: string, front: Values): AgentFacts {
  const { name, title, icon, capabilities, localskip } = attributesOf(head);
  const inside = (tag: string) => textBetween(text, `<${tag}>`, `</${tag}>`);
  const tags = ["role", "identity", "communication_style", "principles"]
    .map((tag) => [tag, decodeEntities(inside(tag))]);
  const menu = menuElements(inside("menu")).map(([tag, label]) => elementItem(attributesOf(tag), label));
  return {
    form: "element",
    isSkipped: localskip === "true",
    displayName: name,
    title,
    icon,
    description: asText(front["description"]) ?? title ?? "",
    ...authorIn(front),
    persona: personaOf({ ...Object.fromEntries(tags), capabilities }, [...menu]),
  };
}

/** A pattern would take quadratic time on a text without `>`. */
function findTag(text: string, name: string, from: number) {
  for (let at = text.indexOf(`<${name}`, from); at >= 0; at = text.indexOf(`<${name}`, at + 1)) {
    if (/\w/.test(text[at + name.length + 1] ?? "")) continue;
    const end = text.indexOf(">", at) + 1;
    return end === 0 ? undefined : { tag: text.slice(at, end), end };
  }
  return undefined;
}

function textBetween(text: string, open: string, close: string): string {
  const from = text.indexOf(open);
  const to = from < 0 ? -1 : text.indexOf(close, from + open.length);
  return to < 0 ? "" : text.slice(from + open.length, to);
}

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
  const label = firstText(item, "description", "multi") ?? "";
  return menuItem(asText(item["trigger"]) ?? "", label, (key) => asText(item[key]));
}

/** Best first. A workflow of another module has its own path once installed. */
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
  const principles = asTexts(persona["core_principles"] ?? values["core_principles"]);
  return {
    ...namesOf("block", agent),
    description: asText(agent["whenToUse"]) ?? asText(persona["role"]) ?? "",
    persona: {
      ...personaOf({ ...persona, principles, capabilities: [] }, commandItems(values["commands"])),
      ...(customization === undefined ? {} : { customization }),
    },
  };
}

function namesOf(form: AgentFacts["form"], values: Values) {
  return {
    form,
    displayName: asText(values["name"]),
    title: asText(values["title"]),
    icon: asText(values["icon"]),
    ...authorIn(values),
  };
}

function commandItems(commands: unknown): readonly MenuItem[] {
  return (isValues(commands) ? [commands] : asList(commands)).flatMap((row): MenuItem[] => {
    if (isValues(row)) {
      return Object.entries(row).map(([code, label]) => ({ code, label: asTexts(label).join(" ") }));
    }
    const [, code, label] = /^"?\*?([\w-]+)"?\s*(?:-\s*)?(.*)$/s.exec(asText(row) ?? "") ?? [];
    return code === undefined ? [] : [{ code, label: label ?? "" }];
  });
}

function fromSource(agent: Values): AgentFacts {
  const metadata = asValues(agent["metadata"]);
  const { capabilities } = metadata;
  const menu = asList(agent["menu"]).map(asValues).map(sourceItem);
  return {
    ...namesOf("source", metadata),
    description: firstText(metadata, "description", "title") ?? "",
    persona: personaOf({ ...asValues(agent["persona"]), capabilities }, menu),
  };
}

function fromProse(front: Values, text: string): AgentFacts {
  return {
    ...namesOf(text.startsWith("---\n") ? "described" : "prose", front),
    displayName: asText(front["displayName"]),
    title: asText(front["title"]) ?? findHeading(text),
    description: asText(front["description"]) ?? "",
    persona: personaOf({}),
  };
}

export function parseXml(given: string): Parsed<Values> {
  const text = normalizeText(given);
  const problem = elementProblem(text, 0);
  const value = {
    description: asText(textBetween(text, "<objective>", "</objective>")),
    ...attributesOf(/<(?:task|tool|workflow)\b([^<>]*)>/.exec(text)?.[1] ?? ""),
  };
  return { value, ...(problem && { problem }) };
}

function attributesOf(tag: string): Readonly<Record<string, string>> {
  const pairs = tag.matchAll(/(?<![\w-])([\w-]+)="([^"]*)"/g);
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, decodeEntities(value!)]));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
}

/** Other tags inside an agent may be part of somebody's text. */
const AGENT_TAGS: ReadonlySet<string> = new Set(
  "agent persona role identity communication_style principles menu item".split(" "),
);

function agentProblem(text: string): string | undefined {
  const { index } = /^[ \t]*<agent(?![\w:.-])/m.exec(text) ?? {};
  return index === undefined ? undefined : elementProblem(text, index, AGENT_TAGS);
}

type Tag = { readonly name: string; readonly at: number; readonly isEnd: boolean };

function elementProblem(text: string, from: number, known?: ReadonlySet<string>): string | undefined {
  const open: Tag[] = [];
  const problem = ({ at }: Tag, what: string) =>
    `the XML cannot be parsed: ${what} (line ${splitLines(text.slice(0, at)).length})`;
  for (const tag of tagsIn(text, from)) {
    if (tag === undefined) return "the XML cannot be parsed: a comment is never closed";
    const { name, at, isEnd } = tag;
    if (known?.has(name) === false) continue;
    const innermost = open.at(-1);
    if (!isEnd) {
      const end = tagEnd(text, at, innermost === undefined);
      if (end === undefined) return problem(tag, `the tag <${name}> is broken`);
      if (text[end - 2] !== "/") open.push(tag);
    } else if (innermost?.name === name) open.pop();
    else {
      return open.some((one) => one.name === name)
        ? problem(innermost!, `<${innermost!.name}> is never closed`)
        : problem(tag, `</${name}> closes nothing`);
    }
    if (open.length === 0) return undefined;
  }
  const last = open.at(-1);
  return last && problem(last, `<${last.name}> is never closed`);
}

const TAG = /<(\/?)([A-Za-z_][\w:.-]*)/y;
const QUIET: readonly (readonly [begin: string, end: string])[] = [["<!--", "-->"], ["<![CDATA[", "]]>"]];

function* tagsIn(text: string, from: number): Generator<Tag | undefined> {
  for (let at = text.indexOf("<", from); at >= 0; at = text.indexOf("<", at + 1)) {
    const quiet = QUIET.find(([begin]) => text.startsWith(begin, at));
    if (quiet !== undefined) {
      at = text.indexOf(quiet[1], at);
      if (at < 0) return yield undefined;
      continue;
    }
    TAG.lastIndex = at;
    const [, slash, name] = TAG.exec(text) ?? [];
    if (name !== undefined) yield { name, at, isEnd: slash === "/" };
  }
}

const WHOLE_TAG = /<[\w:.-]+(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*\/?>/y;

/** Only the first tag's attributes are read, so only they must be valid. */
function tagEnd(text: string, at: number, isFirst: boolean): number | undefined {
  if (!isFirst) return text.indexOf(">", at) + 1 || undefined;
  WHOLE_TAG.lastIndex = at;
  return WHOLE_TAG.test(text) ? WHOLE_TAG.lastIndex : undefined;
}
