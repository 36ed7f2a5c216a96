/**
 * What an installer wrote about an installation: `manifest.yaml` in `_config`, or `_cfg` before 6.0 Beta.
 */
import type { Diagnostic } from "../model.ts";
import { asText, asTexts, asValues, parseYaml } from "../parse.ts";
import { joinPath, type Tree } from "../tree.ts";
import { readParsed } from "./layout.ts";
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
}

/** Reads the manifest of an installation. Its modules are texts or maps, and may be named twice. */
export function readInstallation(tree: Tree, root: string, diagnostics: Diagnostic[]): Installation {
  const config = CONFIG_FOLDERS.find((folder) => tree.list(joinPath(root, folder)).length > 0) ??
    CONFIG_FOLDERS[0]!;
  const manifest = readParsed(tree, joinPath(root, config, "manifest.yaml"), parseYaml, diagnostics) ?? {};
  const listed = Array.isArray(manifest["modules"]) ? manifest["modules"] : [];
  const modules = listed.map((module) => asText(module) ?? asText(asValues(module)["name"]));
  return {
    config,
    version: asText(asValues(manifest["installation"])["version"]),
    modules: [...new Set(modules.filter((code) => code !== undefined))],
    ides: asTexts(manifest["ides"]),
  };
}
