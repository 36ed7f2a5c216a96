/**
 * Every document of a project for people: its title, its role, its status and its text.
 *
 * Only what is found as a document can be opened: no page opens other files. Secrets are hidden.
 */
import { inTurns } from "../../../base/work.ts";
import { fail } from "../../../base/errors.ts";
import { shorten } from "../../../base/text.ts";
import { asText } from "../../../base/values.ts";
import { parseDocumentFront } from "../../../content/parse.ts";
import { baseName, findText } from "../../../content/tree/mod.ts";
import type { BoardWorld } from "../board/mod.ts";
import {
  type Board,
  type Document,
  DOCUMENT_ROLES,
  type DocumentRole,
  documentStatus,
  findDocuments,
} from "../formats/mod.ts";
import { MAX_DOCUMENTS } from "./pack.ts";

/** A document as a list shows it. */
export interface ListedDocument extends Document {
  readonly title: string;
  readonly status?: string;
  /** In bytes. */
  readonly size: number;
  /** When it was last changed, in milliseconds since the epoch. */
  readonly modified?: number;
}

/** A document with its text. */
export interface OpenedDocument extends ListedDocument {
  readonly text: string;
}

/** A longer document has no title and no status in a list, and is not opened. */
const MAX_BYTES = 1_000_000;
/** Of all documents of a list together. */
const MAX_READ = 16_000_000;
const MAX_TITLE = 120;

/** The documents of a project, those of one role together, the latest first. */
export async function listDocuments(place: BoardWorld): Promise<readonly ListedDocument[]> {
  let left = MAX_READ;
  const listed = (await everyDocument(place)).flatMap((document) => {
    const facts = place.tree.stat(document.path);
    if (facts === undefined) return [];
    const isRead = facts.size <= Math.min(MAX_BYTES, left);
    if (isRead) left -= facts.size;
    return [describe(place, document, isRead ? findText(place.tree, document.path) : undefined)];
  });
  const rank = ({ role }: Document) => ORDER.indexOf(role);
  return listed.sort((a, b) => rank(a) - rank(b) || (b.modified ?? 0) - (a.modified ?? 0));
}

const ORDER: readonly DocumentRole[] = [...DOCUMENT_ROLES, "story", "other"];

async function everyDocument({ tree, folders, board }: BoardWorld): Promise<readonly Document[]> {
  return (await inTurns(findDocuments(tree, folders, board))).slice(0, MAX_DOCUMENTS);
}

/** A document with its text, by its path in the project. */
export async function openDocument(place: BoardWorld, path: string): Promise<OpenedDocument> {
  const all = await everyDocument(place);
  const document = all.find((one) => one.path === path) ?? storyAt(place.board, path);
  if (document === undefined) {
    const named = all.map((one) => one.path).filter((one) => baseName(one) === baseName(path));
    return fail({ code: "not-found", what: "document", name: path, suggestions: named.slice(0, 5) });
  }
  const size = place.tree.stat(path)?.size ?? 0;
  if (size > MAX_BYTES) {
    return fail({ code: "invalid-input", problem: `${path} is too long for a page (${size} bytes)` });
  }
  const text = findText(place.tree, path);
  if (text === undefined) return fail({ code: "invalid-input", problem: `${path} is not a text` });
  return { ...describe(place, document, text), text: place.clean(text) };
}

/** A story that the board names: a large project has more of them than a list of documents shows. */
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
    title: shorten(clean(name), MAX_TITLE),
    ...(status && { status }),
    size: facts?.size ?? 0,
    ...(facts?.modified !== undefined && { modified: facts.modified }),
  };
}
