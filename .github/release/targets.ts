/**
 * The platforms that the program is built for, by the names that the compiler has for them.
 */

/** One platform. */
export interface Platform {
  /** As release files are named: `linux`, `darwin` or `windows`. */
  readonly os: "linux" | "darwin" | "windows";
  /** As release files are named: `x64` or `arm64`. */
  readonly arch: "x64" | "arm64";
  /** The npm package that holds Deno for it. */
  readonly deno: string;
}

/** Every platform, by its target. */
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

/** All of them. */
export const TARGET_NAMES = Object.keys(TARGETS) as readonly Target[];

/** Whether a word names a platform. */
export function isTarget(word: string): word is Target {
  return Object.hasOwn(TARGETS, word);
}

/** The platform of this machine. */
export function ownTarget(): Target {
  const { target } = Deno.build;
  if (isTarget(target)) return target;
  throw new Error(`Cannot build on ${target}: the platforms are ${TARGET_NAMES.join(", ")}`);
}

/** What a program is called there. */
export function programName(target: Target, name = "bmad-mcp"): string {
  return TARGETS[target].os === "windows" ? `${name}.exe` : name;
}
