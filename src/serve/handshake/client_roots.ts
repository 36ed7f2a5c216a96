/**
 * Which of a client's roots is the project: the first that holds BMAD content, else the first.
 *
 * A root counts when it is a folder of this machine that is there, and not the whole disk or the whole home.
 */
import { isTooWide } from "../../base/paths.ts";
import type { Host } from "../../base/host.ts";
import { holdsContent } from "../../content/inventory/mod.ts";
import { diskTree } from "../../content/tree/mod.ts";

/** More folders than anybody has open. */
const MOST_ROOTS = 50;

/** The folder, links followed; undefined when no root is fit. `roots` is what the client sent, whatever that is. */
export function chooseRoot(
  roots: unknown,
  host: Pick<Host, "findFolder" | "home" | "os">,
): string | undefined {
  const home = host.home === undefined ? undefined : host.findFolder(host.home) ?? host.home;
  const folders = (Array.isArray(roots) ? roots : []).slice(0, MOST_ROOTS)
    .map((root) => folderOf(root?.uri, host.os))
    .map((folder) => folder === undefined ? undefined : host.findFolder(folder))
    .filter((folder) => folder !== undefined)
    .filter((folder) => !isTooWide(folder, { home, os: host.os }));
  return folders.find((folder) => holdsContent(diskTree(folder))) ?? folders[0];
}

/** The folder that a `file://` URI names; undefined for every other URI. */
export function folderOf(uri: unknown, os: Host["os"]): string | undefined {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (url?.protocol !== "file:" || (url.hostname !== "" && url.hostname !== "localhost")) return undefined;
  // A separator that is written as a code would be a separator only for us.
  if (/%(?:2f|5c|00)/i.test(url.pathname)) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    return os === "windows" ? path.replace(/^\/(?=[A-Za-z]:)/, "") : path;
  } catch {
    return undefined;
  }
}
