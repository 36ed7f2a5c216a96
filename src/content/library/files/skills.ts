/**
 * Skills as whole folders, with their files as they are: for hosts that bring a skill into their own world.
 *
 * A skill is here what has a SKILL.md and a folder of its own, whichever layout it was found in; of each the record
 * that counts. All its files come from its own origin, so that they belong together. Nothing is read before somebody
 * asks for bytes.
 */
import { isHidden, qualifiedName } from "../../../base/model.ts";
import { baseName } from "../../tree/mod.ts";
import { filesOf } from "./files.ts";
import { type Library, perLibrary } from "../library.ts";
import { readSafely } from "./reading.ts";

/** A file of a skill. */
export interface SkillFile {
  /** Inside the skill's folder: `references/guide.md`. */
  readonly path: string;
  /** By the name's ending, as for every resource. */
  readonly mimeType: string;
  /** What it holds now, without secrets: bytes, and the same as text where they are that. */
  read(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly text?: string };
}

/** A skill and its files. */
export interface SkillFolder {
  /** Module and id: `bmm/bmad-prd`. */
  readonly path: string;
  /** Whether lists show it: a skill that only forwards to a newer one is reachable by name alone. */
  readonly isListed: boolean;
  /** Its files, in order; the disk is asked at each call. */
  files(): readonly SkillFile[];
  /** The same as long as no file of it came, went or changed; asks the disk, but reads nothing. */
  state(): string;
}

/** Every skill, in the order of its URIs. */
export const skillFolders = perLibrary(
  (library: Library): readonly SkillFolder[] => {
    const skills = library.effective.filter(({ file, ownsFolder }) =>
      ownsFolder && baseName(file) === "SKILL.md"
    );
    const folders = new Map(skills.map((entry): [string, SkillFolder] => [qualifiedName(entry), {
      path: qualifiedName(entry),
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
    }]));
    return [...folders.values()].sort((a, b) => (`${a.path}/` < `${b.path}/` ? -1 : 1));
  },
);
