/**
 * Fills in the placeholders for the installation folder, which an installer replaces when it copies a text.
 *
 * Texts that were never installed still have them, and so do some that early installers missed.
 */
import { layoutOf } from "../../inventory/mod.ts";
import { baseName } from "../../tree/mod.ts";
import type { SourceFile } from "../library.ts";
import { isBelow, servedPath } from "./mounts.ts";

/** A file's text as an installer would have written it. */
export function fillPlaceholders(text: string, { source, path }: SourceFile): string {
  if (!text.includes("{bmad_folder}") && !text.includes("{root}")) return text;
  const { roots, mounts } = source.inventory;
  const root = roots.filter((root) => isBelow(path, root.path))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  if (root?.generation === "v4") {
    const module = servedPath(mounts, path).split("/")[0]!;
    // Shared files of packs are installed into the core.
    return text.replaceAll("{root}", module === "common" ? ".bmad-core" : `.${module}`);
  }
  const name = root && layoutOf(root).isFreelyNamed ? baseName(root.path) : "";
  return text.replaceAll("{bmad_folder}", name || "_bmad");
}
