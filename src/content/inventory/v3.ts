/**
 * The third generation: `bmad-agent` with one file that describes all agents, and a persona file for each.
 *
 * Agents are sections `## Title: …` with bullets for their name, persona file and purpose.
 */
import type { Item, Kind } from "../../base/model.ts";
import { slug } from "../../base/values.ts";
import { normalizeText } from "../parse.ts";
import { baseName, findText, joinPath } from "../tree/mod.ts";
import { V3_FILE } from "./file_names.ts";
import { itemOf, moduleOf, noFindings, type Reader, stemOf } from "./layout.ts";

const MODULE = "bmad-agent";

const FOLDERS: readonly (readonly [folder: string, kind: Kind])[] = [
  ["tasks", "task"],
  ["templates", "template"],
  ["checklists", "checklist"],
];

export const v3: Reader = (tree, root) => {
  const findings = noFindings();
  findings.modules.push(moduleOf(MODULE));
  findings.mounts.push({ at: MODULE, path: root });
  const add = (kind: Kind, id: string, file: string, facts: Partial<Item> = {}) =>
    findings.items.push({
      ...itemOf({ kind, id, module: MODULE, generation: "v3", file }),
      status: tree.stat(file) === undefined ? "no-file-found" : "verified",
      folder: root,
      ...facts,
    });
  const text = normalizeText(findText(tree, joinPath(root, V3_FILE)) ?? "");
  for (const section of text.split(/(?<=^|\n)## /).slice(1)) {
    const title = /^Title:\s*(.+)$/m.exec(section)?.[1]?.trim();
    const field = (name: string) =>
      new RegExp(`^- ${name}:\\s*"?([^"\\n]+)"?`, "m").exec(section)?.[1]?.trim();
    const persona = field("Persona");
    if (title === undefined || persona === undefined) continue;
    add("agent", slug(title) || title, joinPath(root, "personas", baseName(persona)), {
      title,
      isListed: true,
      displayName: field("Name"),
      description: field("Description") ?? "",
    });
  }
  for (const [folder, kind] of FOLDERS) {
    const dir = joinPath(root, folder);
    for (const { name, isDirectory } of tree.list(dir)) {
      if (!isDirectory && name.endsWith(".md")) add(kind, stemOf(name), joinPath(dir, name));
    }
  }
  return findings;
};
