/**
 * The names of a release's files, and the runner that builds each binary.
 *
 * Formulas, manifests and the install scripts rely on these names. A binary is built on a machine of its own kind, so
 * that it can be started before anybody downloads it.
 */
import { npmPackageOf } from "./release.ts";
import { type Target, TARGETS } from "./targets.ts";

/** The label of the runner for each platform. */
export const RUNNERS: Readonly<Record<Target, string>> = {
  "x86_64-unknown-linux-gnu": "ubuntu-24.04",
  "aarch64-unknown-linux-gnu": "ubuntu-24.04-arm",
  "x86_64-apple-darwin": "macos-15-intel",
  "aarch64-apple-darwin": "macos-15",
  "x86_64-pc-windows-msvc": "windows-2025",
  "aarch64-pc-windows-msvc": "windows-11-arm",
};

/** A platform in file names: `linux-x64`. */
export function platformName(target: Target): string {
  const { os, arch } = TARGETS[target];
  return `${os}-${arch}`;
}

/** The archive that people download. */
export function archiveName(version: string, target: Target): string {
  const form = TARGETS[target].os === "windows" ? "zip" : "tar.gz";
  return `bmad-mcp-${version}-${platformName(target)}.${form}`;
}

/** The bundle that desktop clients install. */
export function mcpbName(version: string, target: Target): string {
  return `bmad-mcp-${version}-${platformName(target)}.mcpb`;
}

/** The npm package, named as npm itself would. */
export function npmName(repository: string, version: string): string {
  return `${npmPackageOf(repository).slice(1).replace("/", "-")}-${version}.tgz`;
}

/** The bill of materials. */
export function sbomName(version: string): string {
  return `bmad-mcp-${version}.cdx.json`;
}

/** One file with the formula, the manifests and the plugins, for whoever publishes them. */
export function manifestsName(version: string): string {
  return `bmad-mcp-${version}-manifests.zip`;
}

/** The licences of everything inside the program. */
export const LICENCES_NAME = "THIRD-PARTY-LICENSES.txt";
