/**
 * What a manifest left out: the rest of an item, from its file.
 */
import type { Item } from "../../base/model.ts";
import { findText, type Tree } from "../tree/mod.ts";
import { parseAgentFile } from "./agent_file.ts";

/** The item with what its file says; the file's word counts more than a manifest's. */
export function completeFromFile(tree: Tree, item: Item): Item {
  const text = findText(tree, item.file);
  if (text === undefined) return item;
  const { displayName, title, icon, description, persona } = parseAgentFile(text).value;
  return {
    ...item,
    displayName: displayName ?? item.displayName,
    title: title ?? item.title,
    icon: icon ?? item.icon,
    description: item.description || description,
    persona: persona ?? item.persona,
    isBrief: false,
  };
}
