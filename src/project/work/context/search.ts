/**
 * The stories and documents of a project that have some words.
 *
 * Stories are found by their names, their titles and those of their epics, and by the words of their own files; of all other
 * documents, those of a list are searched. What looks like a secret is not found.
 */
import { type Field, type Matcher, openMatcher } from "../../../base/matching.ts";
import { openYielder } from "../../../base/work.ts";
import { loadCleaner } from "../../../content/library/mod.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type BoardWorld, plainName } from "../board/mod.ts";
import type { Epic, Story } from "../formats/mod.ts";
import { describe, type ListedDocument, readDocuments } from "./documents.ts";

interface WorkHit {
  readonly score: number;
  /** The words around the match, if only the text matches. */
  excerpt?(): string | undefined;
}

export interface FoundStory extends WorkHit {
  readonly story: Story;
  readonly epic: Epic;
}

/** A story file counts as its story. */
export interface FoundDocument extends WorkHit {
  readonly document: ListedDocument;
}

interface WorkHits {
  readonly stories: readonly FoundStory[];
  readonly documents: readonly FoundDocument[];
}

/** An exact name comes first. */
const NAMED = 1_000;

export async function findInWork(place: BoardWorld, words: string): Promise<WorkHits> {
  const matcher = openMatcher(words);
  if (matcher === undefined) return { stories: [], documents: [] };
  const { longText: clean } = await loadCleaner();
  const hitIn = openTexts(matcher, clean);
  const stories: FoundStory[] = [];
  const yieldIfDue = openYielder();
  const name = plainName(words.trim());
  for (const epic of place.board.epics) {
    for (const story of epic.stories) {
      const hit = storyHit(place, matcher, hitIn, { story, epic, name });
      if (hit !== undefined) stories.push({ ...hit, story, epic });
      await yieldIfDue();
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
  if (file === undefined || (tree.stat(file)?.size ?? Infinity) > LIMITS.context.documentBytes) {
    return undefined;
  }
  return hitIn((text) => [...names, { text, weight: 1, isLong: true }], findText(tree, file) ?? "");
}

type HitIn = (fields: (text: string) => readonly Field[], text: string) => WorkHit | undefined;

/** Cleaning takes longer than matching, so only matches are cleaned; then they must match without their secrets. */
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
