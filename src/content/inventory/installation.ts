/**
 * What an installer noted about an installation: `manifest.yaml` in `_config`, or in `_cfg` before 6.0 Beta.
 */
import { asText, asTexts, asValues, type Parsed, parseYaml } from "../parse.ts";
import { joinPath, type Tree } from "../tree/mod.ts";
import { type Findings, noFindings, readParsed } from "./layout.ts";
import { CONFIG_FOLDERS } from "./file_names.ts";

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
}

/** Reads the manifest of an installation. Its modules are strings or maps, and may be listed twice. */
export function readInstallation(tree: Tree, root: string): Installation {
  const diagnostics: Findings["diagnostics"] = [];
  const read: Installation["read"] = (path, parse) =>
    readParsed(tree, joinPath(root, path), parse, diagnostics);
  const config = CONFIG_FOLDERS.find((folder) => tree.list(joinPath(root, folder)).length > 0) ??
    CONFIG_FOLDERS[0]!;
  const manifest = read(joinPath(config, "manifest.yaml"), parseYaml) ?? {};
  const listed = Array.isArray(manifest["modules"]) ? manifest["modules"] : [];
  const modules = listed.map((module) => asText(module) ?? asText(asValues(module)["name"]));
  const version = asText(asValues(manifest["installation"])["version"]);
  return {
    findings: { ...noFindings(version), mounts: [{ at: "", path: root }], diagnostics },
    config,
    version,
    modules: [...new Set(modules.filter((code) => code !== undefined))],
    ides: asTexts(manifest["ides"]),
    read,
  };
}
