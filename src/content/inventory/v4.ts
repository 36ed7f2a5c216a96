/**
 * The v4 generation: `.bmad-core` and its expansion packs, installed or as source.
 *
 * One folder for each kind (`agents`, `tasks`, `templates`, …), one file for each item. An agent is a Markdown file with
 * one fenced YAML block that holds everything about it; ids are file stems, because some blocks give another id.
 */
import type { Diagnostic, Item, Kind } from "../../base/model.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { itemOf, moduleOf, noFindings, packageVersion, type Reader, readParsed, stemOf } from "./layout.ts";
import { asText, findHeading, isValues, parseYaml } from "../parse.ts";
import { type AgentFacts, parseAgentFile } from "./agent_file.ts";

/** Each folder's kind, and the key under which its YAML files describe themselves. */
const FOLDERS: readonly { folder: string; kind: Kind; key?: string }[] = [
  { folder: "agents", kind: "agent" },
  { folder: "workflows", kind: "workflow", key: "workflow" },
  { folder: "tasks", kind: "task" },
  { folder: "agent-teams", kind: "team", key: "bundle" },
  { folder: "templates", kind: "template", key: "template" },
  { folder: "checklists", kind: "checklist" },
  { folder: "data", kind: "knowledge" },
];

export const v4: Reader = (tree, root) => {
  const problems: Diagnostic[] = [];
  const version = versionOf(tree, root, problems);
  const findings = noFindings(version);
  findings.diagnostics.push(...problems);
  const module = (baseName(root) || baseName(tree.location.replaceAll("\\", "/"))).replace(/^\./, "");
  findings.modules.push(moduleOf(module, version));
  findings.mounts.push({ at: module, path: root });
  for (const row of FOLDERS) {
    const dir = joinPath(root, row.folder);
    for (const { name, isDirectory } of tree.list(dir)) {
      if (isDirectory || !/\.(md|ya?ml)$/.test(name) || /^readme/i.test(name)) continue;
      const file = joinPath(dir, name);
      findings.items.push({
        ...itemOf({ kind: row.kind, id: stemOf(name), module, generation: "v4", version, file }),
        ...describeFile(tree, file, row, findings.diagnostics),
      });
    }
  }
  return findings;
};

/** As the installer noted it; in a source, a pack gives its own, and core has that of the package. */
function versionOf(tree: Tree, root: string, problems: Diagnostic[]): string | undefined {
  const noted = (name: string) =>
    asText(readParsed(tree, joinPath(root, name), parseYaml, problems)?.["version"]);
  const isSource = root !== "" && !root.startsWith(".");
  return noted("install-manifest.yaml") ?? noted("config.yaml") ??
    (isSource ? packageVersion(tree) : undefined);
}

const NO_FACTS: AgentFacts = { form: "prose", description: "" };

function describeFile(
  tree: Tree,
  path: string,
  { kind, key = "" }: typeof FOLDERS[number],
  diagnostics: Diagnostic[],
): Partial<Item> {
  if (kind === "agent") {
    const { form, isSkipped: _, ...facts } = readParsed(tree, path, parseAgentFile, diagnostics) ?? NO_FACTS;
    if (form === "prose" || form === "described") {
      const message = "the agent has no fenced YAML block";
      diagnostics.push({ level: "warning", code: "bad-file", message, path });
    }
    return facts;
  }
  if (/\.ya?ml$/.test(path)) {
    const values = readParsed(tree, path, parseYaml, diagnostics) ?? {};
    const own = values[key];
    const described = isValues(own) ? own : values;
    return {
      title: asText(described["name"]) ?? asText(described["title"]),
      icon: asText(described["icon"]),
      description: asText(described["description"]) ?? "",
    };
  }
  return { title: findHeading(findText(tree, path) ?? ""), description: "" };
}
