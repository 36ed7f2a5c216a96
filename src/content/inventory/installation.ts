/**
 * What an installer noted about an installation: `manifest.yaml` in `_config`, or in `_cfg` before 6.0 Beta.
 *
 * Where its notes are missing or broken, what it left on disk counts.
 */
import type { Diagnostic } from "../../base/model.ts";
import { asText, asTexts, asValues, type Parsed, parseYaml } from "../parse.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { CONFIG_FOLDERS } from "./file_names.ts";
import { hasFile, installedModules } from "./folders.ts";
import { type Findings, noFindings, readParsed } from "./layout.ts";

/** An installation as its manifest describes it. */
export interface Installation {
  /** The folder with the manifests, below the root. */
  readonly config: string;
  readonly version: string | undefined;
  readonly modules: readonly string[];
  /** The ids of the coding tools it was set up for. */
  readonly ides: readonly string[];
  /** Findings for the reader to fill, with the root mounted and the manifest's problems reported. */
  readonly findings: Findings;
  /** Reads a file of the root, which may be missing. */
  read<T>(path: string, parse: (text: string) => Parsed<T>): T | undefined;
  /** Reads a manifest; a problem with it is one of the installation. */
  readManifest<T>(path: string, parse: (text: string) => Parsed<T>): T | undefined;
}

/** Reads the manifest of an installation. Its modules are strings or maps, and may be listed twice. */
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

/** The version that an installer wrote into the configuration of a module: `# Version: 6.12.0`. */
function notedVersion(tree: Tree, modules: readonly string[]): string | undefined {
  const texts = modules.values().map((folder) => findText(tree, joinPath(folder, "config.yaml")) ?? "");
  return texts.map((text) => /^# Version: (\d[\w.-]*)\r?$/m.exec(text)?.[1]).find(Boolean);
}
