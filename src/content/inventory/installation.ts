/**
 * What an installer wrote about an installation: `manifest.yaml` in `_config`, or `_cfg` before 6.0 Beta.
 */
import { asText, asTexts, asValues, parseYaml } from "../parse.ts";
import { joinPath, type Tree } from "../tree/mod.ts";
import { type Findings, noFindings, readParsed } from "./layout.ts";
import { CONFIG_FOLDERS } from "./roots.ts";

/** An installation as its manifest describes it. */
export interface Installation {
  /** The folder of the manifests, below the root. */
  readonly config: string;
  readonly version: string | undefined;
  /** The codes of the installed modules. */
  readonly modules: readonly string[];
  /** The ids of the IDEs that were set up. */
  readonly ides: readonly string[];
  /** Findings to be filled: the root is mounted, and what is wrong with the manifest is told. */
  readonly findings: Findings;
}

/** Reads the manifest of an installation. Its modules are texts or maps, and may be named twice. */
export function readInstallation(tree: Tree, root: string): Installation {
  const diagnostics: Findings["diagnostics"] = [];
  const config = CONFIG_FOLDERS.find((folder) => tree.list(joinPath(root, folder)).length > 0) ??
    CONFIG_FOLDERS[0]!;
  const manifest = readParsed(tree, joinPath(root, config, "manifest.yaml"), parseYaml, diagnostics) ?? {};
  const listed = Array.isArray(manifest["modules"]) ? manifest["modules"] : [];
  const modules = listed.map((module) => asText(module) ?? asText(asValues(module)["name"]));
  const version = asText(asValues(manifest["installation"])["version"]);
  return {
    findings: { ...noFindings(version), mounts: [{ at: "", path: root }], diagnostics },
    config,
    version,
    modules: [...new Set(modules.filter((code) => code !== undefined))],
    ides: asTexts(manifest["ides"]),
  };
}
