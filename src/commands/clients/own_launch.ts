/**
 * How clients start this program: by a path that stays right when the program is updated.
 *
 * Package managers put each version into a folder of its own and a link with a lasting name beside it. An entry that
 * names the folder would lead nowhere after the next update, and programs with windows have no PATH to find a bare
 * name on.
 */
import type { Host } from "../../base/host.ts";
import type { Launch } from "./shapes.ts";

/** A place that holds one version, and the lasting names that package managers give it. */
interface Versioned {
  /** Its group `version` is the version, where the folder is called so. */
  readonly folder: RegExp;
  readonly names: readonly string[];
  /** Whether the lasting name is a small program of its own, and no link to the version's. */
  readonly shim?: true;
}

const VERSIONED: readonly Versioned[] = [
  // Homebrew
  {
    folder: /^(.*)\/Cellar\/([^/]+)\/(?<version>[^/]+)\/bin\/([^/]+)$/,
    names: ["$1/bin/$4", "$1/opt/$2/bin/$4"],
  },
  // Scoop
  {
    folder: /^(.*)[\\/]apps[\\/]([^\\/]+)[\\/](?<version>[^\\/]+)[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/shims/$4", "$1/apps/$2/current/$4"],
    shim: true,
  },
  // winget
  {
    folder: /^(.*)[\\/]WinGet[\\/]Packages[\\/].*[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/WinGet/Links/$2"],
    shim: true,
  },
  // mise
  {
    folder: /^(.*)\/installs\/([^/]+)\/(?<version>[^/]+)\/(.*)$/,
    names: ["$1/installs/$2/latest/$4"],
  },
  // Nix
  {
    folder: /^\/nix\/store\/[^/]+\/bin\/([^/]+)$/,
    names: ["~/.nix-profile/bin/$1", "/run/current-system/sw/bin/$1"],
  },
];

/** The same launch by a lasting name, if the program lies in a folder of its version and has one. */
export function lastingLaunch(
  { command, args }: Launch,
  place: {
    readonly home: string | undefined;
    /** The name of a file behind links; undefined when there is none. */
    realName(path: string): string | undefined;
  },
): Launch {
  const real = place.realName(command);
  if (real === undefined) return { command, args };
  const row = VERSIONED.find(({ folder }) => folder.test(real));
  const names = row?.names.map((name) => real.replace(row.folder, name).replace(/^~/, place.home ?? "~")) ??
    [];
  const lasting = names.find((name) => {
    const target = place.realName(name);
    return target !== undefined && (row?.shim || target === real);
  });
  // On Windows people write paths with backslashes, and so does the system.
  return { command: lasting?.replaceAll("/", command.includes("\\") ? "\\" : "/") ?? command, args };
}

/** Whether something that an entry runs is this program, in whatever version and place. */
export function isOwnLaunch({ command, args }: Launch): boolean {
  if (/(?:^|[\\/])bmad-mcp(?:\.exe)?$/i.test(command)) return true;
  // From a checkout: … task --config …/bmad-mcp/deno.json start
  const task = args.indexOf("task");
  const rest = args.slice(task).join(" ");
  return task >= 0 && /--config (?:.*[\\/])deno\.json start(?: |$)/.test(rest);
}

/** The words of a text that may say which program of ours to start. A guess by the letters: it comes before parsers. */
export function programsIn(text: string): readonly string[] {
  const quoted = text.matchAll(/"((?:[^"\\\n]|\\.)*(?:bmad-mcp(?:\.exe)?|[\\/]deno\.json))"/gi);
  const plain = text.matchAll(
    /(?:'|:[ \t]+|-[ \t]+)([^\s"'][^"'\n]*?(?:bmad-mcp(?:\.exe)?|[\\/]deno\.json)|bmad-mcp)'?[ \t]*\r?$/gim,
  );
  const found = [
    ...Array.from(quoted, ([, inner]) => inner!.replaceAll(/\\(.)/g, "$1")),
    ...Array.from(plain, ([, inner]) => inner!),
  ];
  return [...new Set(found.filter((word) => /^(?:\/|[A-Za-z]:[\\/]|bmad-mcp(?:\.exe)?$)/i.test(word)))];
}

/** The word of a launch of ours that says which program it is: the command, or where the checkout is. */
export function programOf({ command, args }: Launch): string {
  return /bmad-mcp(?:\.exe)?$/i.test(command) ? command : args[args.indexOf("--config") + 1] ?? command;
}

/** A program of ours as it is found on this machine. */
export interface OwnProgram {
  /** Its name behind links. */
  readonly real: string;
  /** Its version, where its folder or its checkout tells. Programs are not started to ask them. */
  readonly version?: string;
}

/** Finds the program that a word means: a path, or a name on PATH. */
export function findProgram(
  word: string,
  { os, env, look, readText }: Pick<Host, "os" | "env" | "look" | "readText">,
): OwnProgram | undefined {
  const isWindows = os === "windows";
  const folders = (env("PATH") ?? "").split(isWindows ? ";" : ":").filter((folder) => folder !== "");
  const ending = isWindows && !/\.exe$/i.test(word) ? ".exe" : "";
  const paths = /[\\/]/.test(word) ? [word] : folders.map((folder) => `${folder}/${word}${ending}`);
  const real = paths.map(look).find((found) => found?.kind === "file")?.real;
  if (real === undefined) return undefined;
  const version = real.endsWith("/deno.json") ? versionIn(readText(real) ?? "") : versionAt(real);
  return { real, ...(version !== undefined && { version }) };
}

/** The version that a folder is called by; Homebrew counts its own changes behind it. */
export function versionAt(path: string): string | undefined {
  const names = VERSIONED.map(({ folder }) => folder.exec(path)?.groups?.["version"]);
  return names.find((name) => name !== undefined && /^\d/.test(name))?.replace(/_\d+$/, "");
}

function versionIn(manifest: string): string | undefined {
  return /^\s*"version":\s*"([^"\n]+)"/m.exec(manifest)?.[1];
}
