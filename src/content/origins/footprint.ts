/**
 * Whether what was read from a tree is still what is there.
 *
 * Notes every folder that is listed and every file that is measured or read through the tree. As long as none of
 * them has another time or size, reading again would find the same: one `stat` each tells. Costs next to nothing
 * until it is asked.
 */
import type { Stamp, Tree, TreeItem } from "../tree/mod.ts";

/** A tree that remembers what was used of it. */
export interface Footprint {
  /** What is read through it is noted. */
  readonly tree: Tree;
  /** The folders that had names in them when they were listed. */
  folders(): readonly string[];
  /**
   * Whether anything differs from what was read. Looks at the folders, which shows what came and went, and at the
   * files when it is told to or when a folder gives reason to.
   */
  differs(options: { readonly files: boolean }): Promise<boolean>;
}

interface Folder {
  readonly digest: number;
  /** The state in which its names were known to be these; undefined before the first look. */
  mark?: string;
}

/** The times of files are coarser than the clock, by this many milliseconds at most. */
const COARSE_MS = 50;

/** Where only whole seconds are known, a time may be told as up to this much later than it was. */
const ROUNDED_MS = 1_000;

/** So many names are asked for before others get their turn. */
const STRIDE = 500;

/** A tree whose use is noted from now on. */
export function noteUse(tree: Tree, now: () => number): Footprint {
  const since = now();
  const folders = new Map<string, Folder>();
  const files = new Map<string, string | undefined>();
  // What changed after we began to read, or right before, may not be what we read. The clock of another machine,
  // or of a file from the future, tells nothing. Nor does ours when it was set back since.
  const isSince = (time: number) => time >= since - COARSE_MS && time <= now() + ROUNDED_MS;
  const mayBeNews = ({ time, changedBy }: Stamp) => now() < since || isSince(time) || isSince(changedBy);

  return {
    tree: {
      ...tree,
      list: (dir) => {
        const items = tree.list(dir);
        // The first listing counts: a later one may show what came after the inventory was taken.
        if (!folders.has(dir)) folders.set(dir, { digest: digestOf(items) });
        return items;
      },
      stat: (path) => {
        const facts = tree.stat(path);
        if (facts !== undefined && !files.has(path)) files.set(path, undefined);
        return facts;
      },
      read: (path) => {
        const bytes = tree.read(path);
        if (!files.has(path)) files.set(path, undefined);
        return bytes;
      },
    },
    folders: () => folders.entries().filter(([, { digest }]) => digest !== 0).map(([dir]) => dir).toArray(),
    differs: async (options) => {
      let lookAtFiles = options.files;
      let looks = 0;
      for (const [dir, folder] of folders) {
        if (++looks % STRIDE === 0) await breathe();
        const stamp = tree.stamp(dir);
        const mark = stamp?.mark ?? "";
        if (folder.mark === mark) continue;
        if (folder.mark !== undefined || stamp === undefined || mayBeNews(stamp)) {
          // Names that came and went again, as in a folder that others work in, are no change.
          if (digestOf(tree.list(dir)) !== folder.digest) return true;
          // One file may have taken the place of another.
          lookAtFiles = true;
        }
        // Within the same moment a folder can change again without another time.
        if (stamp === undefined || now() - stamp.time > COARSE_MS) folder.mark = mark;
      }
      if (!lookAtFiles) return false;
      for (const [path, known] of files) {
        if (++looks % STRIDE === 0) await breathe();
        const stamp = tree.stamp(path);
        if (known === undefined ? stamp === undefined || mayBeNews(stamp) : known !== stamp?.mark) {
          return true;
        }
        if (known === undefined) files.set(path, stamp!.mark);
      }
      return false;
    },
  };
}

/** A number for the names in a folder; 0 for none. */
function digestOf(items: readonly TreeItem[]): number {
  let digest = items.length;
  for (const { name, isDirectory } of items) {
    digest = Math.imul(digest, 31) + (isDirectory ? 1 : 2) | 0;
    for (let i = 0; i < name.length; i++) digest = Math.imul(digest, 31) + name.charCodeAt(i) | 0;
  }
  return digest;
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
