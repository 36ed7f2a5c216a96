/** Adds the files to an activation that its text has its reader load in any case. */
import { recover } from "../../../base/absence.ts";
import { BmadError } from "../../../base/errors.ts";
import { type Entry, hasKind } from "../../../base/model.ts";
import { LIMITS } from "../../limits.ts";
import { baseName } from "../../tree/mod.ts";
import type { Calls } from "../delivery/calls.ts";
import type { Execution } from "../delivery/execute.ts";
import { followUps } from "../delivery/follow_ups.ts";
import { renderedUri } from "../delivery/launcher.ts";
import { folderUri, uriOf } from "../files/files.ts";
import type { Library } from "../library.ts";
import { byteLength } from "../shape.ts";
import { findContent } from "./read.ts";

export async function withFollowUps(
  library: Library,
  entry: Entry,
  execution: Execution,
  calls: Calls,
): Promise<Execution> {
  const isAsked = !hasKind(entry, "agent") && entry.file.endsWith(".md");
  const files = isAsked ? await readFollowUps(library, entry, execution, calls) : [];
  if (files.length === 0) return execution;
  const sections = files.map(({ uri, text }) => `=== loaded: ${uri} ===\n${text.trimEnd()}\n`);
  return {
    ...execution,
    text: `${execution.text.trimEnd()}\n\n${sections.join("\n")}`,
    loaded: files.map(({ uri }) => baseName(uri)),
  };
}

async function readFollowUps(library: Library, entry: Entry, { text, chosen }: Execution, calls: Calls) {
  const entryUri = uriOf(library, entry);
  const beside = entry.ownsFolder ? [entryUri.slice(0, entryUri.lastIndexOf("/") + 1)] : [];
  const folders = [folderUri(entry), `${renderedUri(entry)}/`, ...beside];
  const found = new Map<string, { readonly uri: string; readonly text: string }>();
  let left = LIMITS.choices.bytes;
  const queue = [{ text, isStep: false }];
  for (const { text, isStep } of queue) {
    const { steps, files } = followUps(text);
    // Steps are loaded one after the other, as their texts demand.
    for (const name of [...files, ...(isStep ? [] : steps)]) {
      // Whoever has chosen an intent writes no new document.
      if (name.startsWith("{workflow.") && chosen !== undefined) continue;
      const file = await recover(BmadError, () => findContent(library, name, { of: entry, calls }));
      const folder = folders.find((folder) => file?.uri.startsWith(folder));
      if (file?.text === undefined || folder === undefined) continue;
      const isKnown = found.has(file.uri) || chosen?.has(file.uri.slice(folder.length)) ||
        file.uri === entryUri;
      if (isKnown || (left -= byteLength(file.text)) < 0) continue;
      found.set(file.uri, { uri: file.uri, text: file.text });
      queue.push({ text: file.text, isStep: /\bsteps?\b/.test(file.uri.slice(folder.length)) });
    }
  }
  return [...found.values()];
}
