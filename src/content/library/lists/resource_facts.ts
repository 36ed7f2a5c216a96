/**
 * All that can be opened, with what is known of it without opening it.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import type { Entry } from "../../../base/model.ts";
import { listFiles } from "../files/files.ts";
import { listGenerated } from "../generated/resources.ts";
import { type Library, perLibrary } from "../library.ts";

/** A resource that can be opened. */
export interface ResourceFacts {
  /** Such as `bmad://bmm/bmad-prd/SKILL.md`, or `bmad://manifests/agents` for one that is no file. */
  readonly uri: string;
  /** Only for resources that are no files. */
  readonly title?: string;
  /** Such as `text/markdown`. */
  readonly mimeType: string;
  /** In bytes; missing for resources that are made when they are read. */
  readonly size?: number;
  /** Milliseconds since the epoch; missing for embedded files and resources that are no files. */
  readonly modified?: number;
  /** The thing that begins with this file; missing for all other files. */
  readonly entry?: Entry;
}

/** The generated resources, then every served file. */
export const resourceFacts = perLibrary((library: Library): readonly ResourceFacts[] => {
  const entries = new Map(
    visibleEntries(library.effective).map((entry) => [`${entry.rank}:${entry.file}`, entry]),
  );
  const files = listFiles(library).map(({ uri, mimeType, facts, source, path }): ResourceFacts => ({
    uri,
    mimeType,
    ...facts,
    entry: entries.get(`${library.sources.indexOf(source)}:${path}`),
  }));
  return [...listGenerated(library), ...files];
});
