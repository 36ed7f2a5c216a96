/** v3 and v4: a folder for each kind, a file for each item. Ids are file stems: some YAML gives another. */
import type { Diagnostic, Item, Kind } from "../../base/model.ts";
import { baseName, findText, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import {
  authorIn,
  itemOf,
  moduleOf,
  noFindings,
  packageVersion,
  type Reader,
  readParsed,
  reportMissing,
  stemOf,
  warn,
} from "./layout.ts";
import {
  asList,
  asText,
  asValues,
  findHeading,
  isValues,
  normalizeText,
  parseYaml,
  type Values,
} from "../parse.ts";
import { type AgentFacts, parseAgentFile } from "./agent_file.ts";
import { filesIn, folderName, V3_FILE } from "./folders.ts";
import { LIMITS } from "../limits.ts";
import { slug } from "../../base/values.ts";

/** `key`: the table in which a YAML file describes itself. */
const V4_FOLDERS: readonly { folder: string; kind: Kind; key?: string }[] = [
  { folder: "agents", kind: "agent" },
  { folder: "workflows", kind: "workflow", key: "workflow" },
  { folder: "tasks", kind: "task" },
  { folder: "agent-teams", kind: "team", key: "bundle" },
  { folder: "templates", kind: "template", key: "template" },
  { folder: "checklists", kind: "checklist" },
  { folder: "data", kind: "knowledge" },
];

export const v4: Reader = (tree, root) => {
  const diagnostics: Diagnostic[] = [];
  const manifest = readParsed(tree, joinPath(root, MANIFEST), parseYaml, diagnostics) ?? {};
  const version = versionOf(tree, root, manifest, diagnostics);
  const findings = { ...noFindings(version), diagnostics };
  const name = folderName(tree, root);
  const listed = listedFiles(root, manifest, name);
  const module = name.replace(/^\./, "");
  findings.modules.push(moduleOf(module, version));
  findings.mounts.push({ at: module, path: root });
  for (const row of V4_FOLDERS) {
    const dir = joinPath(root, row.folder);
    const found = filesIn(tree, dir, /\.(md|ya?ml)$/);
    const missing = listed.difference(new Set(found)).values().filter((file) =>
      parentPath(file) === dir && /\.(md|ya?ml)$/.test(file) && !/^readme/i.test(baseName(file))
    );
    for (const file of [...found, ...missing]) {
      const isListed = listed.has(file);
      const isThere = found.includes(file);
      findings.items.push({
        ...itemOf({ kind: row.kind, id: stemOf(file), module, generation: "v4", version, file }),
        ...(isThere && describeFile(tree, file, row, diagnostics)),
        ...(isListed && { isListed }),
        status: !isThere ? "no-file-found" : isListed || listed.size === 0 ? "verified" : "not-in-manifest",
      });
    }
  }
  reportMissing(findings, "files in the manifest", joinPath(root, MANIFEST));
  return findings;
};

const MANIFEST = "install-manifest.yaml";

/** The files that the installer wrote into this root; the core's manifest also lists those of expansion packs. */
function listedFiles(root: string, manifest: Values, name: string): ReadonlySet<string> {
  const own = asList(manifest["files"]).map((row) => normalizePath(asText(asValues(row)["path"]) ?? ""))
    .filter((path) => path?.startsWith(`${name}/`));
  return new Set(own.map((path) => joinPath(root, path!.slice(name.length + 1))));
}

/** From the manifest; in a source, a pack states its own version, and the core has the package's. */
function versionOf(tree: Tree, root: string, manifest: Values, problems: Diagnostic[]): string | undefined {
  const config = () => readParsed(tree, joinPath(root, "config.yaml"), parseYaml, problems) ?? {};
  const isSource = root !== "" && !root.startsWith(".");
  return asText(manifest["version"]) ?? asText(config()["version"]) ??
    (isSource ? packageVersion(tree) : undefined);
}

/** By a workflow's type, the phase in which it starts; it runs through all later phases. */
const PHASES: ReadonlyMap<string | undefined, string> = new Map([
  ["greenfield", "1-analysis"],
  ["brownfield", "2-planning"],
  // A one-page concept and spec precede the code.
  ["prototype", "4-implementation"],
]);

/** For a workflow without a type: the phase of the first document that it creates. */
const DOCUMENTS: readonly (readonly [name: RegExp, phase: string])[] = [
  [/brief|research|concept/, "1-analysis"],
  [/prd|spec|design/, "2-planning"],
  [/architecture/, "3-solutioning"],
  [/stor(?:y|ies)|implementation/, "4-implementation"],
];

function phaseOf(workflow: Values): { readonly phase?: string } {
  const steps = Object.values(workflow).flatMap(asList).slice(0, LIMITS.roots.steps);
  const created = steps.map((step) => asText(asValues(step)["creates"])).find((name) => name !== undefined);
  const phase = PHASES.get(asText(workflow["type"])) ??
    DOCUMENTS.find(([name]) => created !== undefined && name.test(created))?.[1];
  return phase === undefined ? {} : { phase };
}

const NO_FACTS: AgentFacts = { form: "prose", description: "" };

function describeFile(
  tree: Tree,
  path: string,
  { kind, key = "" }: typeof V4_FOLDERS[number],
  diagnostics: Diagnostic[],
): Partial<Item> {
  if (kind === "agent") {
    const { form, isSkipped: _, ...facts } = readParsed(tree, path, parseAgentFile, diagnostics) ?? NO_FACTS;
    if (form === "prose" || form === "described") {
      warn(diagnostics, "bad-file", path, "the agent has no fenced YAML block");
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
      ...authorIn(described),
      ...(kind === "workflow" && phaseOf(described)),
    };
  }
  return { title: findHeading(findText(tree, path) ?? ""), description: "" };
}

const V3_MODULE = "bmad-agent";
const V3_FOLDERS: readonly (readonly [folder: string, kind: Kind])[] = [
  ["tasks", "task"],
  ["templates", "template"],
  ["checklists", "checklist"],
];

/** v3: one file describes all agents in sections `## Title: …` with bullets for name, persona file and purpose. */
export const v3: Reader = (tree, root) => {
  const findings = noFindings();
  findings.modules.push(moduleOf(V3_MODULE));
  findings.mounts.push({ at: V3_MODULE, path: root });
  const add = (kind: Kind, id: string, file: string, facts: Partial<Item> = {}) =>
    findings.items.push({
      ...itemOf({ kind, id, module: V3_MODULE, generation: "v3", file }),
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
  for (const [folder, kind] of V3_FOLDERS) {
    const dir = joinPath(root, folder);
    for (const file of filesIn(tree, dir, /\.md$/)) add(kind, stemOf(file), file);
  }
  return findings;
};
