/**
 * The skills of an installation whose own list of them is missing or broken: files that exist beat a broken list.
 *
 * Which module a skill belongs to is known from the list of all files, its folder in the root, the modules' help and the
 * roster, in this order; a skill that none of them knows belongs to no module. The installers of 6.1 and 6.2.0 kept the
 * skills in the root, and in the folders of the coding tools only copies of them and launchers of compiled agents.
 */
import { baseName, joinPath, parentPath, type Tree } from "../tree/mod.ts";
import { parseTable } from "../parse.ts";
import { NO_MODULE } from "../../base/model.ts";
import { asText } from "../../base/values.ts";
import { FILES_MANIFEST, HELP_FILE, SKILL_FILE } from "./file_names.ts";
import { hasFile, ideFolders, keepsSkills, looseSkillIds, skillFolders } from "./folders.ts";
import { parseHelp } from "./help_catalog.ts";
import type { Installation } from "./installation.ts";

/** A row as the skill manifest would have it. */
type Row = Readonly<Record<"canonicalId" | "module" | "path", string>>;

/** A row for each skill on disk. */
export function unlistedSkills(
  tree: Tree,
  root: string,
  { modules, read }: Pick<Installation, "modules" | "read">,
  moduleInRoster: (id: string) => unknown,
): readonly Row[] {
  const rowOf = (folder: string): Row => ({
    canonicalId: baseName(folder),
    module: folder.split("/")[0]!,
    path: `${root}/${folder}/${SKILL_FILE}`,
  });
  const inRoot = modules.flatMap((code) => [...skillFolders(tree, joinPath(root, code))])
    .map((folder) => rowOf(root === "" ? folder : folder.slice(root.length + 1)));
  if (keepsSkills(tree, root)) return inRoot;
  const files = (read(FILES_MANIFEST, parseTable) ?? []).map((row) => row["path"] ?? "")
    .filter((path) => path.endsWith(`/${SKILL_FILE}`)).map((path) => rowOf(parentPath(path)));
  const listed = new Map(files.map((row) => [row.canonicalId, row]));
  const inHelp = new Map(
    modules.flatMap((code) =>
      (read(joinPath(code, HELP_FILE), parseHelp) ?? []).map(({ skill }) => [skill, code])
    ),
  );
  const ids = ideFolders(tree).flatMap((folder) =>
    [
      ...looseSkillIds(tree, folder, "project"),
      ...[...listed.keys(), ...inHelp.keys()].filter((id) => hasFile(tree, joinPath(folder, id), SKILL_FILE)),
    ].filter((id) => tree.stat(joinPath(folder, id, SKILL_FILE))?.size !== 0)
  );
  const known = new Set(inRoot.map(({ canonicalId }) => canonicalId));
  const elsewhere = [...new Set(ids)].filter((id) => !known.has(id)).sort().map((id) => {
    const module = inHelp.get(id) ?? asText(moduleInRoster(id)) ?? NO_MODULE;
    return listed.get(id) ?? rowOf(`${module}/${id}`);
  });
  return [...inRoot, ...elsewhere];
}
