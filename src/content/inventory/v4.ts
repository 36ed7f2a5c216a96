/**
 * The v4 generation: `.bmad-core` and its expansion packs, installed or as source.
 *
 * One folder a kind (`agents`, `tasks`, `templates`, …), one file a thing. An agent is a Markdown file with one
 * fenced YAML block that holds everything about it; ids are file stems, because some blocks carry another id.
 */
import type { Diagnostic, Item, Kind } from "../../base/model.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { noFindings, packageVersion, type Reader, readParsed } from "./layout.ts";
import { asText, asValues, isValues, normalizeText, parseYaml } from "../parse.ts";
import { type AgentFacts, parseAgentFile } from "./agent_file.ts";

/** Each folder's kind, and the key under which a YAML file of it describes itself. */
const FOLDERS: readonly { folder: string; kind: Kind; key?: string }[] = [
  { folder: "agents", kind: "agent" },
  { folder: "workflows", kind: "workflow", key: "workflow" },
  { folder: "tasks", kind: "task" },
  { folder: "agent-teams", kind: "team", key: "bundle" },
  { folder: "templates", kind: "template", key: "template" },
  { folder: "checklists", kind: "checklist" },
  { folder: "data", kind: "knowledge" },
];

export const v4: Reader = {
  generation: "v4",
  read: (tree, root) => {
    const version = versionOf(tree, root);
    const findings = noFindings(version);
    const module = (baseName(root) || baseName(tree.location.replaceAll("\\", "/"))).replace(/^\./, "");
    findings.modules.push({ code: module, name: module, description: "", version });
    findings.mounts.push({ at: module, path: root });
    for (const { folder, kind, key } of FOLDERS) {
      const dir = joinPath(root, folder);
      for (const { name, isDirectory } of tree.list(dir)) {
        if (isDirectory || !/\.(md|ya?ml)$/.test(name) || /^readme/i.test(name)) continue;
        findings.items.push({
          kind,
          roles: [],
          id: name.replace(/\.\w+$/, ""),
          name: name.replace(/\.\w+$/, "").toLowerCase(),
          module,
          generation: "v4",
          version,
          status: "verified",
          folder: dir,
          ownsFolder: false,
          file: joinPath(dir, name),
          ...describeFile(tree, joinPath(dir, name), kind, key, findings.diagnostics),
        });
      }
    }
    return findings;
  },
};

/** As the installer noted it; in a source a pack says it itself, and core has that of the package. */
function versionOf(tree: Tree, root: string): string | undefined {
  const noted = (name: string) => asText(readParsed(tree, joinPath(root, name), parseYaml, [])?.["version"]);
  const isSource = root !== "" && !root.startsWith(".");
  return noted("install-manifest.yaml") ?? noted("config.yaml") ??
    (isSource ? packageVersion(tree) : undefined);
}

const NOBODY: AgentFacts = { form: "prose", description: "" };

type Described = Pick<Item, "description" | "title" | "displayName" | "icon" | "persona">;

function describeFile(
  tree: Tree,
  path: string,
  kind: Kind,
  key: string | undefined,
  diagnostics: Diagnostic[],
): Described {
  if (kind === "agent") {
    const { form, isSkipped: _, ...facts } = readParsed(tree, path, parseAgentFile, diagnostics) ?? NOBODY;
    if (form === "prose") {
      const message = "the agent has no fenced YAML block that describes it";
      diagnostics.push({ level: "warning", code: "bad-file", message, path });
    }
    return facts;
  }
  if (/\.ya?ml$/.test(path)) {
    const values = readParsed(tree, path, parseYaml, diagnostics) ?? {};
    const own = asValues(values[key ?? ""]);
    const described = isValues(values[key ?? ""]) ? own : values;
    return {
      title: asText(described["name"]) ?? asText(described["title"]),
      icon: asText(described["icon"]),
      description: asText(described["description"]) ?? "",
    };
  }
  const text = normalizeText(findText(tree, path) ?? "");
  return { title: /^# +(.+)$/m.exec(text)?.[1]?.trim(), description: "" };
}
