/**
 * The third generation: `bmad-agent` with one file that describes all agents, and a persona file for each.
 *
 * Agents are sections `## Title: …` with bullets for their name, persona file and what they are for.
 */
import type { Item } from "../../base/model.ts";
import { normalizeText } from "../parse.ts";
import { baseName, findText, joinPath } from "../tree/mod.ts";
import { noFindings, type Reader } from "./layout.ts";
import { slug } from "../../base/values.ts";
import { V3_FILE } from "./roots.ts";

const MODULE = "bmad-agent";

export const v3: Reader = {
  generation: "v3",
  read: (tree, root) => {
    const findings = noFindings();
    findings.modules.push({ code: MODULE, name: MODULE, description: "" });
    findings.mounts.push({ at: MODULE, path: root });
    const text = normalizeText(findText(tree, joinPath(root, V3_FILE)) ?? "");
    const item = (kind: Item["kind"], file: string, more: Partial<Item>): Item => ({
      kind,
      roles: [],
      id: baseName(file).replace(/\.\w+$/, ""),
      name: baseName(file).replace(/\.\w+$/, "").toLowerCase(),
      module: MODULE,
      generation: "v3",
      status: tree.stat(file) === undefined ? "no-file-found" : "verified",
      folder: root,
      ownsFolder: false,
      file,
      description: "",
      ...more,
    });
    for (const section of text.split(/^## /m).slice(1)) {
      const title = /^Title:\s*(.+)$/m.exec(section)?.[1]?.trim();
      const field = (name: string) =>
        new RegExp(`^- ${name}:\\s*"?([^"\\n]+)"?`, "m").exec(section)?.[1]?.trim();
      const persona = field("Persona");
      if (title === undefined || persona === undefined) continue;
      const id = slug(title) || title;
      const file = joinPath(root, "personas", baseName(persona));
      findings.items.push(
        item("agent", file, {
          id,
          name: id,
          title,
          displayName: field("Name"),
          description: field("Description") ?? "",
        }),
      );
    }
    for (
      const [folder, kind] of [["tasks", "task"], ["templates", "template"], [
        "checklists",
        "checklist",
      ]] as const
    ) {
      const dir = joinPath(root, folder);
      for (const { name, isDirectory } of tree.list(dir)) {
        if (!isDirectory && name.endsWith(".md")) findings.items.push(item(kind, joinPath(dir, name), {}));
      }
    }
    return findings;
  },
};
