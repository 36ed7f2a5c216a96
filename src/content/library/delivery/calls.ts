/** How a reader opens files and starts items: phrases of the surface, without which plain words must do. */
import { GENERATIONS } from "../../../base/generations.ts";
import type { Entry } from "../../../base/model.ts";
import { joinPath } from "../../tree/mod.ts";
import { type Library, sourceOf } from "../library.ts";

export interface Calls {
  readonly open: string;
  /** Opens a file by its path as an item spells it; `ITEM` and `PATH` are the gaps. Missing where only URIs can be opened. */
  readonly openOf?: string;
  readonly start: string;
  readonly script?: string;
  readonly next?: string;
  readonly review?: string;
  /** What a call adds to start an item in short that was started before. */
  readonly again?: string;
}

const PLAIN_WORDS: Calls = { open: "open URI", start: "start KIND NAME" };

export function openCall(uri: string, { open }: Pick<Calls, "open"> = PLAIN_WORDS): string {
  return open.replace("URI", () => uri);
}

export function startCall(kind: string, name: string, { start }: Calls = PLAIN_WORDS): string {
  return start.replace("KIND", () => kind).replace("NAME", () => name);
}

/** Without a phrase that opens a file, the URI must do. */
export function literalCall(uri: string, open: string | undefined): string {
  return open === undefined ? uri : openCall(`"${uri}"`, { open });
}

export function folderOnDisk(library: Library, entry: Entry): string | undefined {
  const { origin, tree } = sourceOf(library, entry);
  if (library.isRemote || !GENERATIONS[entry.generation].isOfSkills || origin.kind === "package") {
    return undefined;
  }
  return joinPath(tree.location, entry.folder);
}
