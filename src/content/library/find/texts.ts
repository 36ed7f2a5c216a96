/**
 * What of a thing is looked through, as the words that a search compares.
 *
 * The words of embedded content are made when it is built (`prepareWords`), those of all else when somebody first
 * searches. What menus of other things say about a thing is known only where all of them are, and is added there.
 */
import { namesLeadingTo } from "../../catalog/mod.ts";
import type { Item, PreparedWords } from "../../../base/model.ts";
import { isFiller, languageOf, stemOf, wordsOf } from "../../../base/terms.ts";
import type { FieldTexts } from "./index.ts";

/** The texts of a thing, the weightiest first, and what a word in each is worth. */
export const FIELDS = {
  "name": 4,
  "persona": 4,
  "title": 3,
  "module": 2,
  "other name": 2,
  "description": 1,
  "help": 1,
  "capability": 1,
  "role": 1,
  "menu": 0.7,
  "phase": 0.5,
} as const;

/** The name of such a text, as people are told it. */
export type Field = keyof typeof FIELDS;

/** Their names, in order. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

/** In a name every word counts. */
const NAMING: ReadonlySet<Field> = new Set(["name", "persona", "title", "other name"]);

const MENU = FIELD_NAMES.indexOf("menu");

/** How each text is had of a thing; `startedBy` is what menus say that start it. */
const TEXTS: Readonly<Record<Field, (item: Item, startedBy: readonly string[]) => string>> = {
  "name": ({ name, id }) => `${name} ${id}`,
  "persona": ({ displayName }) => displayName ?? "",
  "title": ({ title, help }) => `${title ?? ""} ${help?.title ?? ""}`,
  "module": ({ module }) => module,
  "other name": ({ name }) => namesLeadingTo(name).join("; "),
  "description": ({ description }) => description,
  "help": ({ help }) => [help?.description, help?.outputs].filter(Boolean).join("; "),
  "capability": ({ persona }) => persona?.capabilities.join("; ") ?? "",
  "role": ({ persona }) => persona?.role ?? "",
  "menu": ({ persona }, startedBy) =>
    [...startedBy, ...persona?.menu.map(({ label }) => label) ?? []].join("; "),
  "phase": ({ phase }) => phase ?? "",
};

/** A text of a thing that is looked through, as it is; `startedBy` is what menus say that start it. */
export function textOf(field: Field, item: Item, startedBy: readonly string[]): string {
  return TEXTS[field](item, startedBy);
}

/** What tells the things of one inventory apart. */
function preparedKey({ module, kind, id }: Item): string {
  return `${module}:${kind}:${id}`;
}

/** The words of all things of an inventory. */
export function prepareWords(items: readonly Item[]): PreparedWords {
  return Object.fromEntries(items.map((item) => [preparedKey(item), ownWords(item)]));
}

/** The words of a thing, of which its own may have been made beforehand. */
export function wordsOfThing(
  item: Item,
  startedBy: readonly string[],
  prepared: PreparedWords | undefined,
): FieldTexts {
  const own = prepared?.[preparedKey(item)] ?? ownWords(item);
  if (startedBy.length === 0) return own;
  const words = wordsOf(startedBy.join(" "));
  const language = languageOf(words);
  const menu = words.filter((word) => !isFiller(word, language)).map((word) => stemOf(word, language));
  return own.with(MENU, [own[MENU], ...menu].filter(Boolean).join(" "));
}

/** Its texts as stems, all in the language of its sentences: a name is too short to tell. */
function ownWords(item: Item): FieldTexts {
  const words = FIELD_NAMES.map((field) => {
    const list = wordsOf(textOf(field, item, []));
    // A word that many old names have counts once.
    return [field, field === "other name" ? [...new Set(list)] : list] as const;
  });
  const language = languageOf(words.flatMap(([field, list]) => NAMING.has(field) ? [] : list));
  return words.map(([field, list]) =>
    list.filter((word) => NAMING.has(field) || !isFiller(word, language))
      .map((word) => stemOf(word, language)).join(" ")
  );
}
