/** Documents for people. Only what is listed can be opened; secrets are hidden, and not found. */
import { type Field, type Matcher, openMatcher } from "../../../base/matching.ts";
import { giveWay, runInSlices } from "../../../base/work.ts";
import { failInput, failMissing } from "../../../base/errors.ts";
import { shorten } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import { loadCleaner } from "../../../content/library/mod.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type BoardWorld, plainName } from "../board/mod.ts";
import {
  type Board,
  type Document,
  DOCUMENT_ROLES,
  type DocumentRole,
  documentStatus,
  type Epic,
  findDocuments,
  type Story,
} from "../formats/mod.ts";

export interface ListedDocument extends Document {
  readonly title: string;
  readonly status?: string;
  readonly size: number;
  readonly modified?: number;
}

export async function listDocuments(place: BoardWorld): Promise<readonly ListedDocument[]> {
  return (await readDocuments(place, (document, text) => describe(place, document, text))).sort(byRole);
}

async function readDocuments<T>(
  place: BoardWorld,
  read: (document: Document, text: string | undefined) => T,
): Promise<T[]> {
  let left: number = LIMITS.context.readBytes;
  const results: T[] = [];
  for (const document of await everyDocument(place)) {
    const facts = place.tree.stat(document.path);
    if (facts === undefined) continue;
    const isRead = facts.size <= Math.min(LIMITS.context.documentBytes, left);
    if (isRead) left -= facts.size;
    results.push(read(document, isRead ? findText(place.tree, document.path) : undefined));
    await giveWay();
  }
  return results;
}

type Placed = Pick<ListedDocument, "path" | "role" | "modified">;

function byRole(a: Placed, b: Placed): number {
  const rank = ({ role }: Document) => ORDER.indexOf(role);
  return rank(a) - rank(b) || (b.modified ?? 0) - (a.modified ?? 0);
}

const ORDER: readonly DocumentRole[] = [...DOCUMENT_ROLES, "story", "other"];

async function everyDocument({ tree, folders, board }: BoardWorld): Promise<readonly Document[]> {
  return (await runInSlices(findDocuments(tree, folders, board))).slice(0, LIMITS.context.documents);
}

export async function openDocument(place: BoardWorld, path: string) {
  const all = await everyDocument(place);
  const document = all.find((one) => one.path === path) ?? storyAt(place.board, path);
  if (document === undefined) {
    const named = all.map((one) => one.path).filter((one) => baseName(one) === baseName(path));
    return failMissing("document", path, { suggestions: named.slice(0, 5) });
  }
  const size = place.tree.stat(path)?.size ?? 0;
  if (size > LIMITS.context.documentBytes) {
    return failInput(`${path} is too long for a page (${size} bytes)`);
  }
  const text = findText(place.tree, path);
  if (text === undefined) return failInput(`${path} is not a text`);
  const [previous, next] = neighbours(place, all, path)
    .map((one) => one && describe(place, one, findText(place.tree, one.path)));
  return {
    ...describe(place, document, text),
    text: place.clean(text),
    stories: await storiesNaming(place, path),
    previous,
    next,
  };
}

function neighbours({ tree }: BoardWorld, all: readonly Document[], path: string) {
  const order = all.map((one) => ({ ...one, modified: tree.stat(one.path)?.modified })).sort(byRole);
  const at = order.findIndex((one) => one.path === path);
  return at < 0 ? [] : [order[at - 1], order[at + 1]];
}

/** Its own, or whose files name it; a common name such as index.md counts with its folder. */
async function storiesNaming({ tree, board }: BoardWorld, path: string): Promise<readonly Story[]> {
  const name = COMMON.test(baseName(path)) ? path.split("/").slice(-2).join("/") : baseName(path);
  const naming: Story[] = [];
  for (const story of board.epics.flatMap(({ stories }) => stories)) {
    if (naming.length === LIMITS.context.namingStories) break;
    const { file, plan } = story;
    if (path === file || path === plan) naming.push(story);
    else if (file !== undefined && (tree.stat(file)?.size ?? Infinity) <= LIMITS.context.documentBytes) {
      if (hasName(findText(tree, file) ?? "", name)) naming.push(story);
      await giveWay();
    }
  }
  return naming;
}

const COMMON = /^(?:index|readme|spec|epic|story|plan)\.md$/i;

function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\p{L}\p{N}_-]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

/** Large projects have more story files than the list shows. */
function storyAt({ epics }: Board, path: string): Document | undefined {
  const isNamed = /\.md$/i.test(path) &&
    epics.some(({ stories }) => stories.some(({ file, plan }) => file === path || plan === path));
  return isNamed ? { path, role: "story" } : undefined;
}

function describe({ tree, clean }: BoardWorld, { path, role }: Document, text = ""): ListedDocument {
  const facts = tree.stat(path);
  const { title } = parseDocumentFront(text).value;
  const heading = /^#[ \t]+(\S[^\n]{0,300})/m.exec(text.slice(0, 20_000))?.[1];
  const name = asText(title) ?? heading ?? baseName(path).replace(/\.md$/i, "");
  const status = documentStatus(text, clean);
  return {
    path,
    role,
    title: shorten(clean(name), LIMITS.context.title),
    status,
    size: facts?.size ?? 0,
    modified: facts?.modified,
  };
}

interface WorkHit {
  readonly score: number;
  excerpt?(): string | undefined;
}

export interface FoundStory extends WorkHit {
  readonly story: Story;
  readonly epic: Epic;
}

export interface FoundDocument extends WorkHit {
  readonly document: ListedDocument;
}

const NAMED = 1_000;

export async function findInWork(place: BoardWorld, words: string) {
  const matcher = openMatcher(words);
  if (matcher === undefined) return { stories: [], documents: [] };
  const { longText: clean } = await loadCleaner();
  const hitIn = openTexts(matcher, clean);
  const stories: FoundStory[] = [];
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
  if (file === undefined || (tree.stat(file)?.size ?? Infinity) > LIMITS.context.documentBytes) {
    return undefined;
  }
  return hitIn((text) => [...names, { text, weight: 1, isLong: true }], findText(tree, file) ?? "");
}

type HitIn = (fields: (text: string) => readonly Field[], text: string) => WorkHit | undefined;

/** Cleaning takes longer than matching: only matches are cleaned, and then must match again. */
function openTexts(matcher: Matcher, clean: (text: string) => string): HitIn {
  return (fields, text) => {
    const found = matcher.score(fields(text));
    if (found === 0) return undefined;
    const safe = clean(text);
    const score = safe === text ? found : matcher.score(fields(safe));
    const body = () => safe.replace(/^---\r?\n[^]*?\r?\n---\r?\n/, "");
    return score === 0 ? undefined : { score, excerpt: () => matcher.excerpt(body()) };
  };
}
