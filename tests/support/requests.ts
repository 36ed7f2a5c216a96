/**
 * Requests in the words of people who did not write our search: upstream's own texts, read from the content.
 *
 * A description that says `Use when the user says "…"` names requests and the skill that answers them; so does the
 * first sentence of a row of the help catalogue, and so does a line of a menu that starts a skill. The same line, asked
 * as `who can …?`, is answered by the agents whose menu it is. All of them are also part of what is indexed, so
 * finding them proves little by itself. `without` takes a request out of the content: what is found then was found by
 * the other words of the thing.
 */
import { type Library, openLibrary, searchLibrary } from "../../src/content/library/mod.ts";
import { type Inventory, isHidden, type Item } from "../../src/base/model.ts";
import { openPack } from "../../src/content/origins/pack.ts";

export const SOURCES = ["phrase", "help", "menu", "who"] as const;

export interface Request {
  readonly source: typeof SOURCES[number];
  readonly words: string;
  /** The text of the content that has them, and that `without` takes out. */
  readonly text: string;
  readonly answers: readonly string[];
  /** Even requests are there to tune by, odd ones to measure with. */
  readonly isHeldOut: boolean;
}

const CONTENT = new URL("../../bmad-embedded/content", import.meta.url).pathname;

export function embeddedInventory(): Inventory {
  return openPack("latest", CONTENT).inventory;
}

/** A library of the embedded content, with this inventory in place of its own; its words were prepared on demand. */
export function openEmbedded(
  inventory: Inventory = embeddedInventory(),
  { isPrepared = false }: { readonly isPrepared?: boolean } = {},
): Promise<Library> {
  const origin = { id: "package", kind: "package", priority: 9, location: "latest" } as const;
  const { tree, preparedWords } = openPack("latest", CONTENT);
  const words = isPrepared ? preparedWords : undefined;
  return openLibrary([{ origin, tree, inventory, use: "named", preparedWords: words }]);
}

export function requestsOf({ items }: Inventory): readonly Request[] {
  const shown = new Set(items.filter((item) => !isHidden(item)).map(({ id }) => id));
  const found = items.flatMap((item) => [
    ...phrasesOf(item.description).map((text) => requestFor("phrase", text, text, answerOf(item))),
    ...item.help === undefined || item.help.description === ""
      ? []
      : [requestFor("help", firstSentence(item.help.description), item.help.description, item.id)],
    ...(item.persona?.menu ?? []).flatMap(({ label, target }) => [
      ...target === undefined ? [] : [requestFor("menu", label, label, target)],
      requestFor("who", `who can ${label.charAt(0).toLowerCase()}${label.slice(1)}?`, label, item.id),
    ]),
  ]);
  const distinct = new Map<string, Request>();
  for (const request of found.filter(({ answers }) => answers.every((id) => shown.has(id)))) {
    const key = `${request.source}:${request.words}`;
    // Two agents may have the same line.
    const before = request.source === "who" ? distinct.get(key)?.answers ?? [] : [];
    distinct.set(key, { ...request, answers: [...before, ...request.answers] });
  }
  return [...distinct.values()];
}

/** The same inventory, nowhere with the text of a request. */
export function without(inventory: Inventory, { text }: Request): Inventory {
  const cleared = (words: string) => words.replaceAll(text, "");
  return {
    ...inventory,
    items: inventory.items.map((item): Item => ({
      ...item,
      description: cleared(item.description),
      help: item.help && { ...item.help, description: cleared(item.help.description) },
      persona: item.persona && {
        ...item.persona,
        menu: item.persona.menu.map((line) => ({ ...line, label: cleared(line.label) })),
      },
    })),
  };
}

/** The place of a request's answer among the hits, from 1; Infinity when it is not among them. */
export async function placeOf(library: Library, { words, answers }: Request): Promise<number> {
  const hits = await searchLibrary(library, { words });
  const at = hits.findIndex(({ data }) => answers.includes(String(data["id"])));
  return at < 0 ? Infinity : at + 1;
}

export type Quality = ReturnType<typeof qualityOf>;

export function qualityOf(places: readonly number[]) {
  const share = (most: number) => places.filter((place) => place <= most).length / places.length;
  /** The mean of one divided by the place. */
  const reciprocal = places.reduce((sum, place) => sum + 1 / place, 0) / places.length;
  return { first: share(1), third: share(3), reciprocal };
}

function requestFor(source: Request["source"], words: string, text: string, answer: string): Request {
  // A placeholder such as [feature] is nothing that people say.
  const said = words.replaceAll(/\[[^\]]*\]/g, "").trim();
  return { source, words: said, text, answers: [answer], isHeldOut: hash(said) % 2 === 1 };
}

/** What stands in quotation marks; an apostrophe inside a word is none. */
function phrasesOf(description: string): readonly string[] {
  return [...description.matchAll(/"([^"]+)"|(?<!\w)'((?:[^']|'(?=\w))+)'(?!\w)/g)].map((match) =>
    match[1] ?? match[2]!
  ).filter((phrase) => phrase.length < 80);
}

function answerOf(item: Item): string {
  return isHidden(item) ? /forwards to ([\w-]+)/.exec(item.description)?.[1] ?? item.id : item.id;
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.:])\s/)[0]!;
}

/** FNV-1a: the same on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
