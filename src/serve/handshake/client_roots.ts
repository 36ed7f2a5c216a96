/**
 * Which of a client's roots is the project: the first with BMAD content, else the first.
 *
 * A root counts if it is an existing folder on this machine, and neither a whole disk nor the user's home or a folder above it.
 */
import { isTooWide } from "../../base/paths.ts";
import type { Host } from "../../process/host.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";

/** More folders than anybody has open. */
const MAX_ROOTS = 50;

/** The folder, with links resolved; undefined if no root is usable. `roots` is unchecked input from the client. */
export function chooseRoot(
  roots: unknown,
  host: Pick<Host, "findFolder" | "home" | "os">,
): string | undefined {
  const folders = (Array.isArray(roots) ? roots : []).slice(0, MAX_ROOTS)
    .map((root) => folderOf(root?.uri, host.os))
    .map((folder) => folder === undefined ? undefined : host.findFolder(folder))
    .filter((folder) => folder !== undefined)
    .filter((folder) => !isTooWide(folder, host));
  return folders.find((folder) => holdsContent(diskTree(folder))) ?? folders[0];
}

/** The folder that a `file://` URI names; undefined for any other URI. */
export function folderOf(uri: unknown, os: Host["os"]): string | undefined {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (url?.protocol !== "file:" || (url.hostname !== "" && url.hostname !== "localhost")) return undefined;
  // An encoded separator would become a separator only after decoding.
  if (/%(?:2f|5c|00)/i.test(url.pathname)) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return os === "windows" ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
  } catch {
    return undefined;
  }
}
