/**
 * Libraries over small trees, for tests that ask them something.
 */
import type { OriginKind } from "../../src/base/model.ts";
import { type Library, type Opening, openLibrary } from "../../src/content/library/mod.ts";
import { diskTree } from "../../src/content/tree/mod.ts";

/** The folder of a fixture's tree. */
export function fixture(name: string): string {
  return new URL(`../fixtures/${name}/tree`, import.meta.url).pathname;
}

/** An origin over a folder; a project is the user's own, everything else was named. */
export function opening(kind: OriginKind, priority: number, folder: string, location = folder): Opening {
  const use = kind === "project" ? "project" : "named";
  return { origin: { id: kind, kind, priority, location }, tree: diskTree(folder), use };
}

/** An installed project (`shop`) above the sources of two modules (`team`). */
export function openShop(project?: string): Promise<Library> {
  const openings = [
    opening("project", 1, fixture("shop"), "/shop"),
    opening("cli", 2, fixture("team"), "/team"),
  ];
  return openLibrary(openings, { project });
}
