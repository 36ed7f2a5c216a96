/**
 * How do clients start this program, and which launches are ours?
 *
 * Entries use a path that survives updates: package managers put each version into its own folder, with a link or shim
 * at a stable path, and the folder is gone after the next update. A bare name does not work, because desktop
 * applications have a minimal PATH.
 */
import { splitLines } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import { pathFolders } from "./paths.ts";
import type { Launch } from "./shapes.ts";
import { command, NO_COMMAND } from "../../base/text.ts";

/** How a package manager lays out its versions. */
interface PackageLayout {
  readonly manager: string;
  /** The command that gets the next version; it may name groups of `folder`. */
  readonly upgrade: string;
  /** The path of one version; its group `version`, if any, is the version. */
  readonly folder: RegExp;
  /** The stable paths for it. */
  readonly names: readonly string[];
  /** Whether the stable path is a small program, and not a link to the version. */
  readonly shim?: true;
}

const LAYOUTS: readonly PackageLayout[] = [
  {
    manager: "Homebrew",
    upgrade: "brew upgrade $2",
    folder: /^(.*)\/Cellar\/([^/]+)\/(?<version>[^/]+)\/bin\/([^/]+)$/,
    names: ["$1/bin/$4", "$1/opt/$2/bin/$4"],
  },
  {
    manager: "Scoop",
    upgrade: "scoop update $2",
    folder: /^(.*)[\\/]apps[\\/]([^\\/]+)[\\/](?<version>[^\\/]+)[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/shims/$4", "$1/apps/$2/current/$4"],
    shim: true,
  },
  {
    manager: "winget",
    upgrade: "winget upgrade --id $2",
    // The folder is named by the identifier, then the source.
    folder: /^(.*)[\\/]WinGet[\\/]Packages[\\/]([^\\/_]+)[^\\/]*(?:[\\/].*)?[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/WinGet/Links/$3"],
    shim: true,
  },
  {
    manager: "mise",
    upgrade: "mise upgrade $2",
    folder: /^(.*)\/installs\/([^/]+)\/(?<version>[^/]+)\/(.*)$/,
    names: ["$1/installs/$2/latest/$4"],
  },
  {
    manager: "Nix",
    upgrade: "nix profile upgrade $1",
    folder: /^\/nix\/store\/[^/]+\/bin\/([^/]+)$/,
    names: ["~/.nix-profile/bin/$1", "/run/current-system/sw/bin/$1"],
  },
];

/** The same launch by a stable path, if there is one that starts this version. */
export function stableLaunch(
  { command, args }: Launch,
  { home = "~", look }: Pick<Host, "home" | "look">,
): Launch {
  const real = look(command)?.real;
  const layout = real && LAYOUTS.find(({ folder }) => folder.test(real));
  if (!layout) return { command, args };
  const stable = layout.names.map((name) => real.replace(layout.folder, name).replace(/^~/, home))
    .find((path) => {
      const target = look(path)?.real;
      return target !== undefined && (layout.shim || target === real);
    });
  // On Windows the system writes paths with backslashes.
  return { command: stable?.replaceAll("/", command.includes("\\") ? "\\" : "/") ?? command, args };
}

const BINARY = /(?:^|[\\/])bmad-mcp(?:\.exe)?$/i;

/** The launchers of the npm package, which Node or the shell runs. */
const LAUNCHER = /[\\/]node_modules[\\/](?<name>@[^\\/]+[\\/]bmad-mcp)[\\/]launcher\.(?:[cm]js|sh)$/;

/** The npm package, as an npx command names it. Without a scope it is an unrelated package. */
const PACKAGE = /^@[\w.-]+\/bmad-mcp(?:@(?<version>[\w.+-]+))?$/;

const NPX = /(?:^|[\\/])npx(?:\.cmd)?$/i;

/** The package manager whose folder a program is in, with its command for the next version. */
export function managerOf(real: string): Pick<PackageLayout, "manager" | "upgrade"> | undefined {
  const layout = LAYOUTS.find(({ folder }) => folder.test(real));
  const args = layout?.upgrade.split(" ").map((word) => real.replace(layout.folder, word));
  return layout && { manager: layout.manager, upgrade: command`${{ args: args! }}` ?? NO_COMMAND };
}

/** The npm package that a launch starts, and the folder that its node_modules is in. */
export function packageFolder(
  { args }: Launch,
): { readonly folder: string; readonly name: string } | undefined {
  const launcher = args[0] ?? "";
  const found = LAUNCHER.exec(launcher);
  if (found === null) return undefined;
  const name = found.groups!["name"]!.replaceAll("\\", "/");
  return { folder: launcher.slice(0, found.index), name };
}

/** The package that a launch starts from the cache of npx, which npm may clear at any time; undefined for any other. */
export function cachedPackage(launch: Launch): string | undefined {
  const found = packageFolder(launch);
  return found && /[\\/]_npx(?:[\\/]|$)/.test(found.folder) ? found.name : undefined;
}

/** Whether a launch starts this program, in any version and from any folder. */
export function isOwnLaunch({ command, args }: Launch): boolean {
  if (BINARY.test(command) || LAUNCHER.test(args[0] ?? "")) return true;
  if (packageOf({ command, args }) !== undefined) return true;
  // From a checkout: … task --config …/bmad-mcp/deno.json start
  const task = args.indexOf("task");
  const [, ...rest] = args.slice(task).join(" ").split("--config ");
  return task >= 0 && /[\\/]deno\.json start(?: |$)/.test(rest.join("--config "));
}

/** Whether a word names the npm package at a version. */
export function isPackage(word: string, version: string): boolean {
  return PACKAGE.exec(word)?.groups?.["version"] === version;
}

/** The package that an npx command runs, if it is ours. */
function packageOf({ command, args }: Launch): string | undefined {
  const words = [command, ...args];
  const npx = words.findIndex((word) => NPX.test(word));
  const spec = npx < 0 ? undefined : words.slice(npx + 1).find((word) => !word.startsWith("-"));
  return spec !== undefined && PACKAGE.test(spec) ? spec : undefined;
}

/**
 * The form of a launch for files that others use, too. They may have no path of this machine, but npm fetches the
 * package for them; in a project's own file, npx gives the project no more than it has.
 */
export function portableLaunch(launch: Launch, version: string): Launch | undefined {
  const name = packageFolder(launch)?.name;
  return name === undefined ? undefined : { command: "npx", args: ["-y", `${name}@${version}`] };
}

/**
 * Why a launch of ours may start a program of the folder that the client starts it in; undefined if it cannot. On
 * Windows, that folder comes before PATH; in a project's own file this gives the project no more than it has.
 */
export function exposureOf(
  { command, args }: Launch,
  { scope, os }: { readonly scope: "user" | "project"; readonly os: Host["os"] },
): string | undefined {
  if (scope === "project" && packageOf({ command, args }) !== undefined) return undefined;
  const before = BINARY.test(command) ? [] : args.slice(0, args.indexOf("task"));
  const runner = [command, ...before].find((word) =>
    /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|cmd)(?:\.cmd|\.exe)?$/i.test(word)
  );
  if (runner !== undefined) return `${runner} obeys the folder it is started in`;
  const relative = [command, programOf({ command, args })].find(isRelative);
  if (relative !== undefined) return `${relative} is looked for in the folder it is started in`;
  const isBare = !/[\\/]/.test(command);
  if (!isBare || os !== "windows" || scope === "project") return undefined;
  return `Windows looks for ${command} in the folder it is started in`;
}

/** Whether a path depends on the working folder; a client fills in variables before it starts anything. */
function isRelative(path: string): boolean {
  return /^[^\\/~$%][^:]*[\\/]/.test(path) || /^\$\{(?:workspace\w*|cwd|PWD)\}/.test(path);
}

/** The words in a text that may identify a program of ours. A guess, made before the parsers are loaded. */
export function programsIn(text: string): readonly string[] {
  const quoted = Array.from(
    text.matchAll(/"((?:[^"\\\n]|\\[^\n])*)"?/g),
    ([, inner]) => inner!.replaceAll(/\\(.)/g, "$1"),
  );
  const words = [...quoted, ...splitLines(text).map(lastWord)].filter((word) =>
    OUR_END.test(word) && /^(?:\/|[A-Za-z]:[\\/]|bmad-mcp(?:\.exe)?$)/i.test(word)
  );
  return [...new Set(words)];
}

/** How a word ends that may identify a program of ours. */
const OUR_END =
  /(?:bmad-mcp(?:\.exe)?|[\\/](?:deno(?:\.json|\.exe)?|node(?:\.exe)?|launcher\.(?:[cm]js|sh)))$/i;

/** What ends a line, in single quotes or after a colon or a dash. */
function lastWord(line: string): string {
  const text = line.trimEnd().replace(/'$/, "");
  const quote = Math.max(text.lastIndexOf("'"), text.lastIndexOf('"'));
  const rest = text.slice(quote + 1);
  return text[quote] === "'" && /^\S/.test(rest) ? rest : /[:-][ \t]+(\S.*)$/s.exec(rest)?.[1] ?? "";
}

/** The word of a launch that identifies the program: the command, the launcher or name of a package, a deno.json. */
export function programOf({ command, args }: Launch): string {
  if (BINARY.test(command)) return command;
  if (LAUNCHER.test(args[0] ?? "")) return args[0]!;
  return packageOf({ command, args }) ?? args[args.indexOf("--config") + 1] ?? command;
}

/** A program of ours that exists on this machine. */
export interface OwnProgram {
  /** Its path with links resolved. */
  readonly real: string;
  /** Its version, if its folder or checkout shows it. Programs are not started to ask them. */
  readonly version?: string;
}

/** Whether two programs are the same one: both launchers of a package start what is in it. */
export function isSameProgram(one: OwnProgram | undefined, other: OwnProgram | undefined): boolean {
  const name = ({ real }: OwnProgram) => LAUNCHER.test(real) ? real.slice(0, real.lastIndexOf("/")) : real;
  return one !== undefined && other !== undefined && name(one) === name(other);
}

/** Finds a program by its path or its name on PATH. */
export function findProgram(
  word: string,
  { os, env, look, readText }: Pick<Host, "os" | "env" | "look" | "readText">,
): OwnProgram | undefined {
  const ending = os === "windows" && !/\.exe$/i.test(word) ? ".exe" : "";
  const paths = /[\\/]/.test(word)
    ? [word]
    : pathFolders({ os, env }).map((folder) => `${folder}/${word}${ending}`);
  const real = paths.map(look).find((found) => found?.kind === "file")?.real;
  if (real === undefined) return undefined;
  const manifest = real.endsWith("/deno.json")
    ? real
    : LAUNCHER.test(real)
    ? `${real.slice(0, real.lastIndexOf("/") + 1)}package.json`
    : undefined;
  const version = manifest === undefined ? versionAt(real) : versionIn(readText(manifest) ?? "");
  return { real, ...(version !== undefined && { version }) };
}

/** The version in a path or in the name of a package; Homebrew appends its own revision to it. */
export function versionAt(path: string): string | undefined {
  const forms = [...LAYOUTS.map(({ folder }) => folder), PACKAGE];
  const names = forms.map((form) => form.exec(path)?.groups?.["version"]);
  return names.find((name) => name !== undefined && /^\d/.test(name))?.replace(/_\d+$/, "");
}

function versionIn(manifest: string): string | undefined {
  return /^[ \t]*"version":\s*"([^"\n]+)"/m.exec(manifest)?.[1];
}
