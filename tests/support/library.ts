/** Libraries over small trees, for tests that ask them something. */
import type { OriginKind } from "../../src/base/model.ts";
import { type Library, type Opening, openLibrary } from "../../src/content/library/mod.ts";
import { openPack } from "../../src/content/origins/pack.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { type TreeFile, withTree } from "./trees.ts";

export type Files = Readonly<Record<string, TreeFile>>;

export function fixture(name: string): string {
  return new URL(`../fixtures/${name}/tree`, import.meta.url).pathname;
}

/** An origin over a folder; a project is the user's own, everything else was named. */
export function opening(kind: OriginKind, priority: number, folder: string, location = folder): Opening {
  const use = kind === "project" ? "project" : "named";
  return { origin: { id: kind, kind, priority, location }, tree: diskTree(folder), use };
}

/** The project in a folder, by itself. */
export function openProject(dir: string): Promise<Library> {
  return openLibrary([opening("project", 1, dir)], { project: dir });
}

/** A folder that the user named, by itself. */
export function openSource(dir: string): Promise<Library> {
  return openLibrary([opening("cli", 2, dir)]);
}

const CONTENT = new URL("../../bmad-embedded/content", import.meta.url).pathname;

/** A pack of the embedded content. */
export function embedded(pack: "latest" | "v4", id = "package"): Opening {
  const origin = { id, kind: "package", priority: 9, location: pack } as const;
  return { origin, use: "named", ...openPack(pack, CONTENT) };
}

/** An installed project (`shop`) above the sources of two modules (`team`). */
export function openShop(project?: string): Promise<Library> {
  const openings = [
    opening("project", 1, fixture("shop"), "/shop"),
    opening("cli", 2, fixture("team"), "/team"),
  ];
  return openLibrary(openings, { project });
}

const PRIORITIES: Partial<Record<OriginKind, number>> = { project: 1, cli: 2, env: 3, user: 4, git: 5 };

/** A library of several origins, each with a folder below `dir`. */
export function openOrigins(dir: string, folders: Partial<Record<OriginKind, string>>): Promise<Library> {
  const kinds = Object.keys(folders) as OriginKind[];
  return openLibrary(kinds.map((kind) => opening(kind, PRIORITIES[kind]!, `${dir}/${folders[kind]}`)));
}

export function withProject<T>(
  files: Files,
  fn: (library: Library, dir: string) => T | Promise<T>,
): Promise<T> {
  return withTree(files, async (dir) => await fn(await openProject(dir), dir));
}

/** The same for a folder that the user named. */
export function withSource<T>(
  files: Files,
  fn: (library: Library, dir: string) => T | Promise<T>,
): Promise<T> {
  return withTree(files, async (dir) => await fn(await openSource(dir), dir));
}

/** Tests whose body is one call, such as of `withProject`: a name, then what the call is given. */
export function testsOver<A extends readonly unknown[]>(call: (...args: A) => Promise<unknown>) {
  return (name: string, ...args: A) => Deno.test(name, async () => void await call(...args));
}

export const projectTest = testsOver(withProject);
export const sourceTest = testsOver(withSource);
