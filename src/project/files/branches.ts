/** Read from git's own files. */
import { splitLines } from "../../base/text.ts";
import { askDisk, diskTree, findText, walkFiles } from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";

const RENAMED = /\tBranch: renamed refs\/heads\/(\S+) to /g;
const MAX_LOGS = 2_000;

/** `head` is the worktree's file in the common directory, of which only what is named here may be read. */
export function openBranches(common: string, head: string) {
  const refs = diskTree(`${common}/refs`);
  let known: ReadonlySet<string> | undefined;
  const standpointIn = (file: string): { readonly branch?: string; readonly head?: string } => {
    const text = textOf(`${common}/${file}`)?.trim() ?? "";
    const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
    // A repository that keeps its refs in tables does not say it here.
    if (branch !== undefined) return branch === ".invalid" ? {} : { branch };
    return /^[0-9a-f]{40,64}$/.test(text) ? { head: text } : {};
  };
  /** The clone, or what it last saw of a remote; undefined if that cannot be told. */
  const has = (branch: string): boolean | undefined => {
    if (refs.stamp("heads") === undefined || refs.hasFile("heads")) return undefined;
    const remotes = refs.stamp("remotes") === undefined ? [] : refs.list("remotes");
    const spaces = ["heads", ...remotes.map(({ name }) => `remotes/${name}`)];
    if (spaces.some((space) => refs.hasFile(`${space}/${branch}`))) return true;
    const packed = `${common}/packed-refs`;
    if (askDisk(() => Deno.lstatSync(packed)) === undefined) return false;
    known ??= packedBranches(textOf(packed));
    // Undefined if it is too large to be read.
    return known?.has(branch);
  };
  let renames: ReadonlyMap<string, string> | undefined;
  const findRenames = (logs: string) => {
    const found = new Map<string, string>();
    for (const name of walkFiles(diskTree(logs), "", () => false).take(MAX_LOGS)) {
      const renamed = has(name) ? textOf(`${logs}/${name}`)?.matchAll(RENAMED) ?? [] : [];
      for (const [, before] of renamed) found.set(before!, name);
    }
    return found;
  };
  return {
    current: () => standpointIn(head),
    commit: (): string | undefined => {
      const { branch, head: commit } = standpointIn(head);
      if (branch === undefined) return commit;
      const loose = findText(refs, `heads/${branch}`)?.trim();
      const packed = () =>
        splitLines(textOf(`${common}/packed-refs`) ?? "").find((line) =>
          line.endsWith(` refs/heads/${branch}`)
        );
      return /^[0-9a-f]{40,64}(?=$| )/.exec(loose ?? packed() ?? "")?.[0];
    },
    renamed: (branch: string) => (renames ??= findRenames(`${common}/logs/refs/heads`)).get(branch),
    has,
  };
}

function textOf(path: string): string | undefined {
  return askDisk(() => {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile && size <= LIMITS.files.fileBytes ? Deno.readTextFileSync(path) : undefined;
  });
}

function packedBranches(text: string | undefined): ReadonlySet<string> | undefined {
  const refs = text?.matchAll(/^[0-9a-f]{40,64} refs\/(?:heads|remotes\/[^/\n]+)\/(.+)$/gm);
  return refs && new Set(refs.map(([, branch]) => branch!));
}
