/**
 * Looking at a commit before its files are written: a few kilobytes can unpack to any number of files and bytes.
 *
 * Git lists the tree, and is stopped at the first entry that is too much. Folders are listed as well, because a tree of
 * nothing but folders can be as large as any other. Their names must be safe everywhere: a copy may lie on a shared disk.
 */
import { MAX_PATH, openNames } from "../../base/paths.ts";
import { diskSize } from "./folders.ts";
import { GitError, tooLarge } from "./git_program.ts";

/** Runs git in the repository; each character of its output is a byte. */
type RunGit = (args: readonly string[], take: (text: string) => void) => Promise<unknown>;

/** More than any content needs, and few enough to be written and measured in seconds. */
const MAX_ENTRIES = 100_000;

/** Throws a `GitError` if the files of a commit are too many or too large, or mean something else on another system. */
export async function checkTree(run: RunGit, commit: string, maxSize: number): Promise<void> {
  let entries = 0;
  let size = 0;
  let rest = "";
  const whyUnsafe = openNames();
  const take = (entry: string) => {
    const [about = "", path = ""] = entry.split("\t", 2);
    entries += 1;
    // Folders and submodules have a dash for a size.
    size += diskSize(Number(about.split(/ +/)[3]) || 0);
    if (entries > MAX_ENTRIES) {
      throw new GitError(`the repository has more than ${MAX_ENTRIES} files and folders`);
    }
    if (path.length > MAX_PATH) {
      throw new GitError(`the repository has a path of more than ${MAX_PATH} bytes`);
    }
    if (size > maxSize) throw tooLarge(maxSize);
    const name = fromBytes(path);
    const why = whyUnsafe(name);
    if (why !== undefined) {
      throw new GitError(`the repository has an unsafe name, ${JSON.stringify(name)}: ${why}`);
    }
  };
  await run(["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit], (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop()!;
    parts.forEach(take);
    // The name of one entry alone can have any length.
    if (rest.length > 2 * MAX_PATH) take(rest);
  });
}

/** A text whose characters are the bytes of UTF-8. */
function fromBytes(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(text, (byte) => byte.charCodeAt(0)),
  );
}
