/** The searchable texts of an item, and their terms, which the build prepares for embedded content. */
import { namesLeadingTo } from "../../catalog/mod.ts";
import type { Item, PreparedWords } from "../../../base/model.ts";
import { isFiller, languageOf, stemOf, wordsOf } from "../../../base/language/mod.ts";
import type { FieldTexts } from "./index.ts";

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

export type Field = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

/** In names every word counts. */
const NAMING: ReadonlySet<Field> = new Set(["name", "persona", "title", "other name"]);

const MENU = FIELD_NAMES.indexOf("menu");

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

export function textOf(field: Field, item: Item, startedBy: readonly string[]): string {
  return TEXTS[field](item, startedBy);
}

function preparedKey({ module, kind, id }: Item): string {
  return `${module}:${kind}:${id}`;
}

export function prepareWords(items: readonly Item[]): PreparedWords {
  return Object.fromEntries(items.map((item) => [preparedKey(item), ownTerms(item)]));
}

export function termsOf(
  item: Item,
  startedBy: readonly string[],
  prepared: PreparedWords | undefined,
): FieldTexts {
  const own = prepared?.[preparedKey(item)] ?? ownTerms(item);
  if (startedBy.length === 0) return own;
  const labels = startedBy.join(" ");
  const words = wordsOf(labels);
  const language = languageOf(labels, words);
  const menu = words.filter((word) => !isFiller(word, language)).map((word) => stemOf(word, language));
  return own.with(MENU, [own[MENU], ...menu].filter(Boolean).join(" "));
}

/** All in the language of its sentences: a name is too short to detect one. */
function ownTerms(item: Item): FieldTexts {
  const fields = FIELD_NAMES.map((field) => {
    const text = textOf(field, item, []);
    return { field, text, words: wordsOf(text) };
  });
  const sentences = fields.filter(({ field }) => !NAMING.has(field));
  const language = languageOf(
    sentences.map(({ text }) => text).join("\n"),
    sentences.flatMap(({ words }) => words),
  );
  return fields.map(({ field, words }) => {
    // A word in several old names counts once.
    const counted = field === "other name" ? [...new Set(words)] : words;
    return counted.filter((word) => NAMING.has(field) || !isFiller(word, language))
      .map((word) => stemOf(word, language)).join(" ");
  });
}
