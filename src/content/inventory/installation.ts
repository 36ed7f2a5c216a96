/** What an installer noted about an installation: `manifest.yaml` in `_config`, or in `_cfg` before 6.0 Beta. */
import type { Diagnostic } from "../../base/model.ts";
import { asText, asTexts, asValues, type Parsed, parseYaml } from "../parse.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { CONFIG_FOLDERS } from "./file_names.ts";
import { hasFile, installedModules } from "./folders.ts";
import { type Findings, noFindings, readParsed } from "./layout.ts";

export interface Installation {
  readonly config: string;
  readonly version: string | undefined;
  readonly modules: readonly string[];
  readonly ides: readonly string[];
  /** For the reader to fill: the root is mounted, and the manifest's problems are reported. */
  readonly findings: Findings;
  read<T>(path: string, parse: (text: string) => Parsed<T>): T | undefined;
  readManifest<T>(path: string, parse: (text: string) => Parsed<T>): T | undefined;
}

/** A manifest lists modules as strings or maps, possibly twice. */
export function readInstallation(tree: Tree, root: string): Installation {
  const diagnostics: Findings["diagnostics"] = [];
  const read: Installation["read"] = (path, parse) =>
    readParsed(tree, joinPath(root, path), parse, diagnostics);
  const readManifest: Installation["readManifest"] = (path, parse) => {
    const problems: Diagnostic[] = [];
    const value = readParsed(tree, joinPath(root, path), parse, problems);
    diagnostics.push(
      ...problems.map((problem): Diagnostic =>
        problem.code === "bad-file" ? { ...problem, code: "broken-manifest" } : problem
      ),
    );
    return value;
  };
  const config = CONFIG_FOLDERS.find((folder) => tree.list(joinPath(root, folder)).length > 0) ??
    CONFIG_FOLDERS[0]!;
  const onDisk = installedModules(tree, root);
  const file = joinPath(config, "manifest.yaml");
  const manifest = readManifest(file, parseYaml) ?? {};
  if (onDisk.length > 0 && !hasFile(tree, root, file)) {
    const isEmpty = tree.list(joinPath(root, config)).length === 0;
    const message = isEmpty ? "the folder of the installation's manifests is missing" : "the file is missing";
    const path = joinPath(root, isEmpty ? config : file);
    diagnostics.push({ level: "warning", code: "broken-manifest", message, path });
  }
  const listed = Array.isArray(manifest["modules"]) ? manifest["modules"] : [];
  const modules = listed.map((module) => asText(module) ?? asText(asValues(module)["name"]))
    .filter((code) => code !== undefined);
  const version = asText(asValues(manifest["installation"])["version"]) ?? notedVersion(tree, onDisk);
  return {
    findings: { ...noFindings(version), mounts: [{ at: "", path: root }], diagnostics },
    config,
    version,
    modules: modules.length > 0 ? [...new Set(modules)] : onDisk.map(baseName),
    ides: asTexts(manifest["ides"]),
    read,
    readManifest,
  };
}

/** From a comment in a module's configuration: `# Version: 6.12.0`. */
function notedVersion(tree: Tree, modules: readonly string[]): string | undefined {
  const texts = modules.values().map((folder) => findText(tree, joinPath(folder, "config.yaml")) ?? "");
  return texts.map((text) => /^# Version: (\d[\w.-]*)\r?$/m.exec(text)?.[1]).find(Boolean);
}
