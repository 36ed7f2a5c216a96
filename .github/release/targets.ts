/**
 * The platforms that the program is built for, by the compiler's names for them.
 */

export interface Platform {
  /** The system in release file names. */
  readonly os: "linux" | "darwin" | "windows";
  /** The processor in release file names. */
  readonly arch: "x64" | "arm64";
  /** The npm package with Deno for it. */
  readonly deno: string;
}

/** Every platform, by target. */
export const TARGETS = {
  "x86_64-unknown-linux-gnu": { os: "linux", arch: "x64", deno: "@deno/linux-x64-glibc" },
  "aarch64-unknown-linux-gnu": { os: "linux", arch: "arm64", deno: "@deno/linux-arm64-glibc" },
  "x86_64-apple-darwin": { os: "darwin", arch: "x64", deno: "@deno/darwin-x64" },
  "aarch64-apple-darwin": { os: "darwin", arch: "arm64", deno: "@deno/darwin-arm64" },
  "x86_64-pc-windows-msvc": { os: "windows", arch: "x64", deno: "@deno/win32-x64" },
  "aarch64-pc-windows-msvc": { os: "windows", arch: "arm64", deno: "@deno/win32-arm64" },
} as const satisfies Readonly<Record<string, Platform>>;

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
