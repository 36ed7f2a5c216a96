/** Where a worktree stands and which branches its repository knows, by git's own files. */
import { findText, type Tree } from "../../content/tree/mod.ts";

/** `tree` is the common directory, and `head` the file of the worktree in it. */
export function openBranches(tree: Tree, head: string) {
  let known: ReadonlySet<string> | undefined;
  return {
    current: (): { readonly branch?: string; readonly head?: string } => {
      const text = findText(tree, head)?.trim() ?? "";
      const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
      // A repository that keeps its refs in tables does not say it here.
      if (branch !== undefined) return branch === ".invalid" ? {} : { branch };
      return /^[0-9a-f]{40,64}$/.test(text) ? { head: text } : {};
    },
    /** Whether the clone, or what it last saw of a remote, has a branch; undefined if that cannot be told. */
    has: (branch: string): boolean | undefined => {
      if (tree.stamp("refs/heads") === undefined || tree.hasFile("refs/heads")) return undefined;
      const remotes = tree.stamp("refs/remotes") === undefined ? [] : tree.list("refs/remotes");
      const spaces = ["heads", ...remotes.map(({ name }) => `remotes/${name}`)];
      if (spaces.some((space) => tree.hasFile(`refs/${space}/${branch}`))) return true;
      if (!tree.hasFile("packed-refs")) return false;
      known ??= packedBranches(findText(tree, "packed-refs"));
      // Undefined if it is too large to be read.
      return known?.has(branch);
    },
  };
}

function packedBranches(text: string | undefined): ReadonlySet<string> | undefined {
  const refs = text?.matchAll(/^[0-9a-f]{40,64} refs\/(?:heads|remotes\/[^/\n]+)\/(.+)$/gm);
  return refs && new Set(refs.map(([, branch]) => branch!));
}
