/**
 * What is looked through of a file: its path as the first line, and then its text.
 *
 * Bytes of UTF-8, as they are on the disk. A file that is no text has no page.
 */
import { decodeText, findBytes, type Tree } from "../../content/tree/mod.ts";

const encoder = new TextEncoder();

/** The page at a path; undefined when there is no text. */
export function pageAt(tree: Tree, path: string): Uint8Array | undefined {
  const bytes = findBytes(tree, path);
  return bytes === undefined || decodeText(bytes) === undefined ? undefined : pageOf(path, bytes);
}

/** The page of a text. */
export function pageOf(path: string, text: Uint8Array): Uint8Array {
  const head = encoder.encode(`${path}\n`), page = new Uint8Array(head.length + text.length);
  page.set(head);
  page.set(text, head.length);
  return page;
}
