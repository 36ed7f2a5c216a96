/**
 * Skills as whole folders with unchanged files, for clients that install a skill themselves.
 *
 * Any item with a SKILL.md and a folder of its own is a skill here, whatever its layout; overridden records are left out.
 * All files come from the skill's own origin, so that they belong together. A file is read when its content is requested.
 */
import { type Entry, isHidden, qualifiedName } from "../../../base/model.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { filesOf, folderUri, ownFile } from "./files.ts";
import { type Library, perLibrary, sourceOf } from "../library.ts";
import { readSafely } from "./reading.ts";

/** A file of a skill. */
export interface SkillFile {
  /** In the skill's folder: `references/guide.md`. */
  readonly path: string;
  readonly mimeType: string;
  /** Its present content without secrets: as bytes and, if it is text, as text. */
  read(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly text?: string };
}

/** A skill with its files. */
export interface SkillFolder {
  /** Module and id: `bmm/bmad-prd`. */
  readonly path: string;
  /** Its id: `bmad-prd`. */
  readonly name: string;
  /** Its folder on disk, absolute, else its URI; no slash at the end. */
  readonly location: string;
  /** Whether lists show it: a skill that only forwards to a newer one can only be reached by name. */
  readonly isListed: boolean;
  /** The text of one of its files, without secrets; undefined if there is none. */
  read(path: string): string | undefined;
  /** Its files, sorted; each call looks at the disk. */
  files(): readonly SkillFile[];
  /** The same as long as none of its files was added, removed or changed; looks at the disk, but reads nothing. */
  state(): string;
}

/** Every skill, in the order of its URIs. */
export const skillFolders = perLibrary((library): readonly SkillFolder[] => {
  const skills = library.effective.filter(({ file, ownsFolder }) =>
    ownsFolder && baseName(file) === "SKILL.md"
  );
  const folders = new Map(skills.map((entry) => [qualifiedName(entry), folderOf(library, entry)]));
  return [...folders.values()].sort((a, b) => (`${a.path}/` < `${b.path}/` ? -1 : 1));
});

function folderOf(library: Library, entry: Entry): SkillFolder {
  return {
    path: qualifiedName(entry),
    name: entry.id,
    location: locationOf(library, entry),
    read: (path) => {
      const file = ownFile(library, entry, path);
      return file && readSafely(file).text;
    },
    isListed: !isHidden(entry),
    files: () =>
      filesOf(library, entry).map(({ path, mimeType, source }) => ({
        path: path.slice(entry.folder === "" ? 0 : entry.folder.length + 1),
        mimeType,
        read: () => readSafely({ source, path }),
      })),
    state: () =>
      filesOf(library, entry).map(({ path, source: { tree } }) => `${path}\0${tree.stamp(path)?.mark}`)
        .join("\n"),
  };
}

/** The folder of a skill: on disk unless it is embedded. */
function locationOf(library: Library, entry: Entry): string {
  const { origin, tree } = sourceOf(library, entry);
  if (origin.kind === "package") return folderUri(entry).replace(/\/$/, "");
  return joinPath(tree.location, entry.folder);
}
