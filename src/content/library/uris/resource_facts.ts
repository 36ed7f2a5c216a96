/**
 * Every resource that can be read, with its facts: the generated ones, then the served files. Of these only launchers are read.
 */
import { visibleEntries } from "../../catalog/mod.ts";
import type { Entry } from "../../../base/model.ts";
import { listFiles } from "../files/files.ts";
import { listGenerated } from "../delivery/resources.ts";
import { type Library, perLibrary } from "../library.ts";

/** A resource that can be read. */
export interface ResourceFacts {
  /** Such as `bmad://bmm/bmad-prd/SKILL.md`, or `bmad://manifests/agents` for a generated one. */
  readonly uri: string;
  /** Only for generated resources. */
  readonly title?: string;
  readonly mimeType: string;
  /** In bytes; missing for generated resources. */
  readonly size?: number;
  /** Milliseconds since the epoch; missing for embedded files and generated resources. */
  readonly modified?: number;
  /** The id of its origin; missing for generated resources. */
  readonly origin?: string;
  /** The entry whose first file this is. */
  readonly entry?: Entry;
}

export const resourceFacts = perLibrary((library: Library): readonly ResourceFacts[] => {
  const visible = visibleEntries(library.effective);
  const entries = new Map(visible.map((entry) => [`${entry.rank}:${entry.file}`, entry]));
  const files = listFiles(library).map(({ uri, mimeType, facts, source, path }): ResourceFacts => ({
    uri,
    mimeType,
    ...facts,
    origin: source.origin.id,
    entry: entries.get(`${library.sources.indexOf(source)}:${path}`),
  }));
  return [...listGenerated(library), ...files];
});
