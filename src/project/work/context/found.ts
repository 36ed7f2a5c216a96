/**
 * The stories and documents of a project that have some words.
 *
 * Stories are found by their names, their titles and those of their epics, and by the words of their own files; of all other
 * documents, those of a list are searched. What looks like a secret is not found.
 */
import { type Field, type Matcher, openMatcher } from "../../../base/matching.ts";
import { openTurns } from "../../../base/work.ts";
import { loadCleaner } from "../../../content/library/mod.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import { type BoardWorld, plainName } from "../board/mod.ts";
import type { Epic, Story } from "../formats/mod.ts";
import { describe, type ListedDocument, readDocuments } from "./listed.ts";

/** How well something matches. */
export interface WorkHit {
  readonly score: number;
  /** The words around the match, where only a text has them. */
  excerpt?(): string | undefined;
}

/** A story that matches. */
export interface FoundStory extends WorkHit {
  readonly story: Story;
  readonly epic: Epic;
}

/** A document that matches; a story's file counts as the story. */
export interface FoundDocument extends WorkHit {
  readonly document: ListedDocument;
}

/** What was found, the best first. */
export interface WorkHits {
  readonly stories: readonly FoundStory[];
  readonly documents: readonly FoundDocument[];
}

/** A story that is called so comes first. */
const NAMED = 1_000;
/** A longer file of a story is found by its name and title. */
const MAX_BYTES = 1_000_000;

/** Finds stories and documents. */
export async function findInWork(place: BoardWorld, words: string): Promise<WorkHits> {
  const matcher = openMatcher(words);
  if (matcher === undefined) return { stories: [], documents: [] };
  const { longText: clean } = await loadCleaner();
  const hitIn = openTexts(matcher, clean);
  const stories: FoundStory[] = [];
  const giveWay = openTurns();
  const name = plainName(words.trim());
  for (const epic of place.board.epics) {
    for (const story of epic.stories) {
      const hit = storyHit(place, matcher, hitIn, { story, epic, name });
      if (hit !== undefined) stories.push({ ...hit, story, epic });
      await giveWay();
    }
  }
  const documents = await readDocuments(place, (document, text = ""): FoundDocument | undefined => {
    if (document.role === "story") return undefined;
    const listed = describe(place, document, text);
    const fields = (text: string): readonly Field[] => [
      { text: listed.title, weight: 4 },
      { text: baseName(document.path), weight: 3 },
      { text, weight: 1, isLong: true },
    ];
    const hit = hitIn(fields, text);
    return hit && { ...hit, document: listed };
  });
  return {
    stories: stories.sort((a, b) => b.score - a.score),
    documents: documents.filter((one) => one !== undefined).sort((a, b) =>
      b.score - a.score || (b.document.modified ?? 0) - (a.document.modified ?? 0)
    ),
  };
}

function storyHit(
  { tree }: BoardWorld,
  matcher: Matcher,
  hitIn: HitIn,
  { story: { ref, key, title, file }, epic, name }: Pick<FoundStory, "story" | "epic"> & {
    readonly name: string;
  },
): WorkHit | undefined {
  const isNamed = name !== "" && [ref, key].some((one) => plainName(one) === name);
  const names: readonly Field[] = [
    { text: title, weight: 4 },
    { text: `${ref} ${key}`, weight: 5 },
    { text: epic.title, weight: 2 },
  ];
  const score = matcher.score(names);
  if (score > 0 || isNamed) return { score: score + (isNamed ? NAMED : 0) };
  if (file === undefined || (tree.stat(file)?.size ?? Infinity) > MAX_BYTES) return undefined;
  return hitIn((text) => [...names, { text, weight: 1, isLong: true }], findText(tree, file) ?? "");
}

/** Looks for the words in a text, among others. */
type HitIn = (fields: (text: string) => readonly Field[], text: string) => WorkHit | undefined;

/** Only what matches is cleaned, which takes longer than to look for words, and has to match without its secrets, too. */
function openTexts(matcher: Matcher, clean: (text: string) => string): HitIn {
  return (fields, text) => {
    const found = matcher.score(fields(text));
    if (found === 0) return undefined;
    const safe = clean(text);
    const score = safe === text ? found : matcher.score(fields(safe));
    return score === 0 ? undefined : { score, excerpt: () => matcher.excerpt(withoutFront(safe)) };
  };
}

function withoutFront(text: string): string {
  return text.replace(/^---\r?\n[^]*?\r?\n---\r?\n/, "");
}
