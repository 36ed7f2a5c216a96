/**
 * Files that belong to another user, such as those that root created with sudo: no other fix works before they are given
 * back.
 */
import type { Host } from "../../process/host.ts";
import { command } from "../../base/text.ts";

/**
 * The start of a command line that gives the foreign ones of some paths to the user; empty if none is, and undefined if it
 * cannot be written.
 */
export type Reclaim = (
  paths: readonly string[],
  options?: { readonly isRecursive?: boolean },
) => string | undefined;

/** Compares owners with the owner of the home folder. Root may change everything, and Windows knows no owners. */
export function openReclaim({ look }: Pick<Host, "look">, homeOwner: number | undefined): Reclaim {
  return (paths, { isRecursive = false } = {}) => {
    const foreign = paths.filter((path) => {
      const uid = look(path)?.owner?.uid;
      return uid !== undefined && homeOwner !== undefined && homeOwner !== ROOT && uid !== homeOwner;
    });
    if (foreign.length === 0) return "";
    const flags = { line: isRecursive ? "-R " : "" };
    return command`sudo chown ${flags}"$(id -u):$(id -g)" ${{ args: foreign }} && `;
  };
}

const ROOT = 0;
