/**
 * The platforms that the program is built for, by the compiler's names for them.
 */

/** A platform, and where its binary is built: on a machine of its kind, so that it can be started before a download. */
export interface Platform {
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "x64" | "arm64";
  /** The npm package with Deno for it. */
  readonly deno: string;
  readonly runner: string;
}

/** Every platform, by target. */
export const TARGETS = {
  "x86_64-unknown-linux-gnu": row("linux", "x64", "@deno/linux-x64-glibc", "ubuntu-24.04"),
  "aarch64-unknown-linux-gnu": row("linux", "arm64", "@deno/linux-arm64-glibc", "ubuntu-24.04-arm"),
  "x86_64-apple-darwin": row("darwin", "x64", "@deno/darwin-x64", "macos-15-intel"),
  "aarch64-apple-darwin": row("darwin", "arm64", "@deno/darwin-arm64", "macos-15"),
  "x86_64-pc-windows-msvc": row("windows", "x64", "@deno/win32-x64", "windows-2025"),
  "aarch64-pc-windows-msvc": row("windows", "arm64", "@deno/win32-arm64", "windows-11-arm"),
} as const;

function row(os: Platform["os"], arch: Platform["arch"], deno: string, runner: string): Platform {
  return { os, arch, deno, runner };
}

/** The name of a platform: `aarch64-apple-darwin`. */
export type Target = keyof typeof TARGETS;

export const TARGET_NAMES = Object.keys(TARGETS) as readonly Target[];

export function isTarget(word: string): word is Target {
  return Object.hasOwn(TARGETS, word);
}

/** The platform of this machine. */
export function ownTarget(): Target {
  const { target } = Deno.build;
  if (isTarget(target)) return target;
  throw new Error(`Cannot build on ${target}: supported platforms are ${TARGET_NAMES.join(", ")}`);
}

/** The file name of a program on a platform. */
export function programName(target: Target, name = "bmad-mcp"): string {
  return TARGETS[target].os === "windows" ? `${name}.exe` : name;
}

/** Node's name of its system. */
export function nodeSystem(target: Target): string {
  const { os } = TARGETS[target];
  return os === "windows" ? "win32" : os;
}
