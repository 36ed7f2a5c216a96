/**
 * The v4 generation: `.bmad-core` and its expansion packs, installed or as source.
 *
 * One folder for each kind (`agents`, `tasks`, `templates`, …), one file for each item. An agent is a Markdown file with
 * one fenced YAML block that holds everything about it; ids are file stems, because some blocks give another id.
 */
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
} from "./layout.ts";
import { asText, asValues, findHeading, isValues, parseYaml, type Values } from "../parse.ts";
import { type AgentFacts, parseAgentFile } from "./agent_file.ts";
import { folderName } from "./folders.ts";

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
  const manifest = readParsed(tree, joinPath(root, MANIFEST), parseYaml, problems) ?? {};
  const version = versionOf(tree, root, manifest, problems);
  const findings = noFindings(version);
  const name = folderName(tree, root);
  const listed = listedFiles(root, manifest, name);
  findings.diagnostics.push(...problems);
  const module = name.replace(/^\./, "");
  findings.modules.push(moduleOf(module, version));
  findings.mounts.push({ at: module, path: root });
  for (const row of FOLDERS) {
    const dir = joinPath(root, row.folder);
    for (const { name, isDirectory } of tree.list(dir)) {
      if (isDirectory || !isItem(name)) continue;
      const file = joinPath(dir, name);
      findings.items.push({
        ...itemOf({ kind: row.kind, id: stemOf(name), module, generation: "v4", version, file }),
        ...describeFile(tree, file, row, findings.diagnostics),
        ...(listed.has(file) && { isListed: true }),
        status: listed.size === 0 || listed.has(file) ? "verified" : "not-in-manifest",
      });
    }
    const found = new Set(findings.items.map(({ file }) => file));
    const missing = [...listed].filter((file) =>
      parentPath(file) === dir && isItem(file) && !found.has(file)
    );
    for (const file of missing) {
      const facts = { kind: row.kind, id: stemOf(file), module, generation: "v4", version, file } as const;
      findings.items.push({ ...itemOf(facts), status: "no-file-found", isListed: true });
    }
  }
  reportMissing(findings, "files in the manifest", joinPath(root, MANIFEST));
  return findings;
};

const MANIFEST = "install-manifest.yaml";

/** The files that the installer wrote into this root, if it says so; it lists those of expansion packs with the core's. */
function listedFiles(root: string, manifest: Values, name: string): ReadonlySet<string> {
  const rows = Array.isArray(manifest["files"]) ? manifest["files"].map(asValues) : [];
  const own = rows.map(({ path }) => normalizePath(asText(path) ?? ""))
    .filter((path) => path?.startsWith(`${name}/`));
  return new Set(own.map((path) => joinPath(root, path!.slice(name.length + 1))));
}

function isItem(file: string): boolean {
  return /\.(md|ya?ml)$/.test(file) && !/^readme/i.test(baseName(file));
}

/** As the installer noted it; in a source, a pack gives its own, and core has that of the package. */
function versionOf(tree: Tree, root: string, manifest: Values, problems: Diagnostic[]): string | undefined {
  const config = () => readParsed(tree, joinPath(root, "config.yaml"), parseYaml, problems) ?? {};
  const isSource = root !== "" && !root.startsWith(".");
  return asText(manifest["version"]) ?? asText(config()["version"]) ??
    (isSource ? packageVersion(tree) : undefined);
}

/** The phase in which a project takes up a workflow of v4, which goes through all that follow, by its type. */
const PHASES: ReadonlyMap<string | undefined, string> = new Map([
  // It begins with a brief of what is to be made.
  ["greenfield", "1-analysis"],
  // What there is already is only taken stock of: it begins with the requirements of the change.
  ["brownfield", "2-planning"],
  // A concept and a spec of one page go before the code that it is about.
  ["prototype", "4-implementation"],
]);

/** The phase of the first document that a workflow without a type creates. */
const DOCUMENTS: readonly (readonly [name: RegExp, phase: string])[] = [
  [/brief|research|concept/, "1-analysis"],
  [/prd|spec|design/, "2-planning"],
  [/architecture/, "3-solutioning"],
  [/stor(?:y|ies)|implementation/, "4-implementation"],
];

/** Longer than the sequence of any workflow. */
const MAX_STEPS = 100;

function phaseOf(workflow: Values): { readonly phase?: string } {
  const sequences = Object.values(workflow).filter((value) => Array.isArray(value)).flat().slice(
    0,
    MAX_STEPS,
  );
  const created = sequences.map((step) => asText(asValues(step)["creates"])).find((name) =>
    name !== undefined
  );
  const phase = PHASES.get(asText(workflow["type"])) ??
    DOCUMENTS.find(([name]) => created !== undefined && name.test(created))?.[1];
  return phase === undefined ? {} : { phase };
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
      ...authorIn(described),
      ...(kind === "workflow" && phaseOf(described)),
    };
  }
  return { title: findHeading(findText(tree, path) ?? ""), description: "" };
}
