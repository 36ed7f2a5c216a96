/**
 * The customization of compiled agents, as far as lists and names need it: `_config/agents/bmm-analyst.customize.yaml`.
 *
 * What else it changes is read when the agent is asked for. The installer writes an empty file for every agent, so a look
 * at the text decides whether it is parsed.
 */
import type { RenamedAgent } from "../../base/model.ts";
import { asText, asValues, parseYaml } from "../parse.ts";
import { findText, joinPath, type Tree } from "../tree/mod.ts";
import { AGENT_CHANGES, CONFIG_FOLDERS } from "./file_names.ts";
import { composed } from "./layout.ts";

/** A line that gives a name, title or icon. */
const NAMED = /^[ \t]+(?:name|title|icon):\s*(?!""|''|#|~|null\b)\S/m;

export function readRenamed(tree: Tree, root: string): readonly RenamedAgent[] {
  return CONFIG_FOLDERS.map((folder) => joinPath(root, folder, "agents")).flatMap((folder) =>
    tree.list(folder).filter(({ name }) => name.endsWith(AGENT_CHANGES)).flatMap(({ name }) => {
      const text = findText(tree, joinPath(folder, name)) ?? "";
      if (!NAMED.test(text)) return [];
      const metadata = asValues(asValues(parseYaml(text).value["agent"])["metadata"]);
      const [displayName, title, icon] = ["name", "title", "icon"].map((key) => asText(metadata[key]));
      return [{
        agent: composed(name.slice(0, -AGENT_CHANGES.length)),
        ...(displayName && { displayName }),
        ...(title && { title }),
        ...(icon && { icon }),
      }];
    })
  );
}
