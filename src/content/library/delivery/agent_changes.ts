/** Customizes the text of a compiled agent, unless BMAD's installer has done so already. */
import type { Entry } from "../../../base/model.ts";
import { compareVersions } from "../../../base/versions.ts";
import { asList, asText, asTexts, asValues, type Values } from "../../parse.ts";
import { compileEntry, escape, escapeQuoted, handlersFor, menuItem, personaLines } from "./compile_agent.ts";
import { agentChanges } from "../values/customize.ts";
import type { Library } from "../library.ts";
import { rawText } from "../files/reading.ts";
import { LIMITS } from "../../limits.ts";

export function changedText(library: Library, entry: Entry, text: string): string {
  const changes = agentChanges(library, entry);
  // Since then, the installer drops the fields of a persona that a customization does not give.
  const isMerged = compareVersions(entry.version, "6.0.0-alpha.10") < 0;
  return changes === undefined ? text : applyChanges(text, changes, isMerged);
}

export function changedEntry(library: Library, entry: Entry): string | undefined {
  if (entry.status === "no-file-found" || agentChanges(library, entry) === undefined) return undefined;
  const raw = rawText(library, entry);
  const text = entry.file.endsWith(".agent.yaml") ? compileEntry(library, entry, raw).value : raw;
  return changedText(library, entry, text);
}

const HEAD = /<agent\b[^<>]*>/;

/** A text may have no place for them: an agent in plain Markdown. They are told beside it. */
export function changesBeside(library: Library, entry: Entry, text: string): Values | undefined {
  return hasPlaces(text) ? undefined : agentChanges(library, entry);
}

function hasPlaces(text: string): boolean {
  return text.length <= LIMITS.delivery.customizedText && HEAD.test(text);
}

export function applyChanges(text: string, changes: Values, isMerged = false): string {
  if (!hasPlaces(text)) return text;
  const added = <T>(key: string, read: (value: unknown) => readonly T[]) =>
    read(changes[key]).slice(0, LIMITS.delivery.customizations);
  const renamed = rename(text, asValues(asValues(changes["agent"])["metadata"]));
  const voiced = replacePersona(renamed, asValues(changes["persona"]), isMerged);
  const active = addSteps(voiced, added("critical_actions", asTexts));
  const prompted = added("prompts", asList).map(asValues).reduce(addPrompt, active);
  const recalling = addMemories(prompted, added("memories", asTexts));
  return addItems(recalling, added("menu", asList).map(asValues));
}

function rename(text: string, metadata: Values): string {
  return ["name", "title", "icon", "capabilities"].reduce((text, key) => {
    const value = asTexts(metadata[key]).join(", ");
    if (value === "") return text;
    const written = ` ${key}="${escapeQuoted(value)}"`;
    return text.replace(HEAD, (head) => {
      const old = new RegExp(` ${key}="[^"]*"`);
      return old.test(head) ? head.replace(old, () => written) : head.replace(/>$/, () => `${written}>`);
    });
  }, text);
}

function replacePersona(text: string, persona: Values, isMerged: boolean): string {
  const given = personaLines(persona);
  if (given.length === 0) return text;
  const tagOf = (line: string) => /<(\w+)>/.exec(line)?.[1];
  const tags = new Set(given.map(tagOf));
  const old = sectionOf(text, "persona");
  const kept = Array.from(old?.text.matchAll(/<(\w+)>[^<]*<\/\1>/g) ?? [])
    .filter(([, tag]) => isMerged && !tags.has(tag!)).map(([line]) => line);
  const all = `<persona>\n${[...given, ...kept].map((line) => `    ${line}\n`).join("")}  </persona>`;
  return old === undefined ? insertBefore(text, NEXT, all) : old.replaceWith(all);
}

function sectionOf(text: string, name: string) {
  const start = text.indexOf(`<${name}>`);
  const close = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  if (close < 0) return undefined;
  const end = close + name.length + 3;
  return {
    text: text.slice(start, end),
    replaceWith: (other: string) => text.slice(0, start) + other + text.slice(end),
  };
}

const NEXT = /<(?:prompts|memories|menu)>|<\/agent>/;

function insertBefore(text: string, mark: RegExp, added: string): string {
  const at = text.search(mark);
  return at < 0 ? text : insertAt(text, at, added);
}

function insertAt(text: string, at: number, added: string): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return `${text.slice(0, at)}${added}\n${line.trim() === "" ? line : ""}${text.slice(at)}`;
}

const STEP = /<step n="(\d{1,4})">((?:(?!<step )[\s\S])*?)<\/step>/g;

function addSteps(text: string, actions: readonly string[]): string {
  const from = text.search(/<activation\b/);
  const length = from < 0 ? -1 : text.slice(from).search(/<menu-handlers>|<\/activation>/);
  if (length < 0) return text;
  const activation = text.slice(from, from + length);
  const steps = [...activation.matchAll(STEP)];
  const known = new Set(steps.map(([, , action]) => squeeze(action!)));
  const added = actions.filter((action) => !known.has(squeeze(action)));
  if (added.length === 0) return text;
  const next = steps.find(([, , action]) => /\bgreet/i.test(action!));
  const at = next?.index ?? activation.length;
  const first = Number(next?.[1] ?? Number(steps.at(-1)?.[1] ?? 0) + 1);
  const lines = added.map((action, i) => `<step n="${first + i}">${action}</step>`);
  const after = activation.slice(at).replaceAll(
    STEP,
    (_, n: string, action: string) => `<step n="${Number(n) + added.length}">${action}</step>`,
  );
  const whole = text.slice(0, from + at) + after + text.slice(from + length);
  return lines.toReversed().reduce((text, line) => insertAt(text, from + at, line), whole);
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function addPrompt(text: string, { id: given, content }: Values): string {
  const id = escapeQuoted(asText(given) ?? "");
  const own = asText(content) ?? "";
  const prompt = `<prompt id="${id}">\n      <content>\n${own}\n      </content>\n    </prompt>`;
  const old = new RegExp(`<prompt id="${RegExp.escape(id)}">(?:(?!<prompt )[\\s\\S])*?</prompt>`);
  if (old.test(text)) return text.replace(old, () => prompt);
  return text.includes("</prompts>")
    ? insertBefore(text, /<\/prompts>/, `  ${prompt}`)
    : insertBefore(text, /<(?:memories|menu)>|<\/agent>/, `<prompts>\n    ${prompt}\n  </prompts>`);
}

function addMemories(text: string, memories: readonly string[]): string {
  const added = memories.map((memory) => `<memory>${escape(memory)}</memory>`)
    .filter((memory) => !text.includes(memory));
  if (added.length === 0) return text;
  const lines = added.map((memory) => `  ${memory}`).join("\n  ");
  return text.includes("</memories>")
    ? insertBefore(text, /<\/memories>/, lines)
    : insertBefore(text, /<menu>|<\/agent>/, `<memories>\n  ${lines}\n  </memories>`);
}

const LAST = /<item cmd="(?:PM or fuzzy match on party-mode|DA or fuzzy match on |\*party-mode"|\*exit")/;

function addItems(text: string, items: readonly Values[]): string {
  if (items.length === 0) return text;
  const section = sectionOf(text, "menu");
  if (section === undefined) {
    const added = insertBefore(text, /<\/agent>/, "<menu>\n</menu>");
    return added === text ? text : addItems(added, items);
  }
  const menu = section.text;
  // In the alphas, commands begin with an asterisk.
  const hasStars = menu.includes('<item cmd="*');
  const written = items.map((item) => {
    const trigger = asText(item["trigger"]);
    const isStarred = hasStars && trigger !== undefined && !trigger.startsWith("*");
    return menuItem(isStarred ? { ...item, trigger: `*${trigger}` } : item).join("\n");
  }).filter((line) => line !== "");
  const changed = written.reduce((menu, line) => {
    const [command] = /^<item cmd="[^"]*"/.exec(line) ?? [];
    const old = command && new RegExp(`${RegExp.escape(command)}[^<>]*>(?:(?!<item )[\\s\\S])*?</item>`);
    if (old && old.test(menu)) return menu.replace(old, () => line);
    if (menu.includes(line)) return menu;
    return insertBefore(menu, LAST.test(menu) ? LAST : /<\/menu>/, line);
  }, menu);
  const whole = section.replaceWith(changed);
  const handlers = handlersFor(written).filter(([type]) => !whole.includes(`<handler type="${type}">`))
    .map(([, line]) => line);
  const end = /<\/handlers>|<\/menu-handlers>/;
  return handlers.length === 0 ? whole : insertBefore(whole, end, handlers.join("\n"));
}
