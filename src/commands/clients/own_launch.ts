/** How clients start this program: by a path that survives updates; desktop applications have a minimal PATH. */
import { attempt } from "../../base/absence.ts";
import { PRODUCT } from "../../base/model.ts";
import { command, NO_COMMAND, splitLines } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import { HOOK_ARGS, type Launch, OWN_LINE } from "./shapes.ts";
import { pathFolders, type Target } from "./target.ts";

const LAYOUTS: readonly {
  readonly manager: string;
  /** The command that gets the next version; it may name groups of `folder`. */
  readonly upgrade: string;
  /** One version's path; group `version`, if any, is the version. */
  readonly folder: RegExp;
  readonly names: readonly string[];
  /** Whether the stable path is a small program instead of a link. */
  readonly shim?: true;
}[] = [
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
    // Named by the identifier, then the source.
    folder: /^(.*)[\\/]WinGet[\\/]Packages[\\/]([^\\/_]+)[^\\/]*(?:[\\/].*)?[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/WinGet/Links/$3"],
    shim: true,
  },
];

export function stableLaunch({ command, args }: Launch, { look }: Pick<Host, "look">): Launch {
  const real = look(command)?.real;
  const layout = real && LAYOUTS.find(({ folder }) => folder.test(real));
  if (!layout) return { command, args };
  const stable = layout.names.map((name) => real.replace(layout.folder, name)).find((path) => {
    const target = look(path)?.real;
    return target !== undefined && (layout.shim || target === real);
  });
  // On Windows, the system writes backslashes.
  return { command: stable?.replaceAll("/", command.includes("\\") ? "\\" : "/") ?? command, args };
}

const BINARY = /(?:^|[\\/])bmad-mcp(?:\.exe)?$/i;

/** The npm package's launchers, run by Node or the shell. */
const LAUNCHER = /[\\/]node_modules[\\/](?<name>@[^\\/]+[\\/]bmad-mcp)[\\/]launcher\.(?:[cm]js|sh)$/;

/** As an npx command names it. Without a scope it is an unrelated package. */
const PACKAGE = /^@[\w.-]+\/bmad-mcp(?:@(?<version>[\w.+-]+))?$/;

const NPX = /(?:^|[\\/])npx(?:\.cmd)?$/i;

/** For each way to start this program, which word identifies it; below 0 if none does. */
const WAYS: Readonly<Record<string, (words: readonly string[]) => number>> = {
  binary: ([command = ""]) => BINARY.test(command) ? 0 : -1,
  launcher: ([, script = ""]) => LAUNCHER.test(script) ? 1 : -1,
  npx: (words) => {
    const npx = words.findIndex((word) => NPX.test(word));
    const name = npx < 0 ? -1 : words.findIndex((word, at) => at > npx && !word.startsWith("-"));
    return PACKAGE.test(words[name] ?? "") ? name : -1;
  },
  // … task --config …/bmad-mcp/deno.json start
  checkout: (words) => {
    const task = words.indexOf("task");
    const config = words.indexOf("--config", task) + 1;
    const isConfig = task > 0 && config > task && /[\\/]deno\.json$/.test(words[config] ?? "");
    return isConfig && words[config + 1] === "start" ? config : -1;
  },
};

/** `program`: the command, the launcher, the package's name or a deno.json. */
function recognize({ command, args }: Launch) {
  const words = [command, ...args];
  for (const [way, find] of Object.entries(WAYS)) {
    const at = find(words);
    if (at >= 0) return { way, program: words[at]!, runners: words.slice(0, at) };
  }
  return undefined;
}

export function isOwnLaunch(launch: Launch): boolean {
  return recognize(launch) !== undefined;
}

export function programOf(launch: Launch): string {
  return recognize(launch)?.program ?? launch.command;
}

function packageFolder(launch: Launch): { readonly folder: string; readonly name: string } | undefined {
  const found = LAUNCHER.exec(launch.args[0] ?? "");
  if (found === null) return undefined;
  return { folder: found.input.slice(0, found.index), name: found.groups!["name"]!.replaceAll("\\", "/") };
}

/** The package started from npx's cache, which npm may clear at any time. */
export function cachedPackage(launch: Launch): string | undefined {
  const found = packageFolder(launch);
  return found && NPX_CACHE.test(found.folder) ? found.name : undefined;
}

const NPX_CACHE = /[\\/]_npx(?:[\\/]|$)/;

/**
 * For files that others use, too, without paths of this machine: npm fetches the package. In a project's own file, npx
 * gives the project no more than it has.
 */
export function portableLaunch(launch: Launch, version: string): Launch | undefined {
  const name = packageFolder(launch)?.name;
  return name === undefined ? undefined : { command: "npx", args: ["-y", `${name}@${version}`] };
}

/**
 * Why a launch of ours may start a program of the folder that the client starts it in. On Windows, that folder comes
 * before PATH; in a project's own file this gives the project no more than it has.
 */
export function exposureOf(
  launch: Launch,
  { scope, os }: { readonly scope: "user" | "project"; readonly os: Host["os"] },
): string | undefined {
  const { command } = launch;
  const { way, program = command, runners = [] } = recognize(launch) ?? {};
  if (scope === "project" && way === "npx") return undefined;
  const obedient = runners.find((word) =>
    /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx?|cmd)(?:\.cmd|\.exe)?$/i.test(word)
  );
  if (obedient !== undefined) return `${obedient} obeys the folder it is started in`;
  const relative = [command, program].find(isRelative);
  if (relative !== undefined) return `${relative} is looked for in the folder it is started in`;
  const isBare = !/[\\/]/.test(command);
  if (!isBare || os !== "windows" || scope === "project") return undefined;
  return `Windows looks for ${command} in the folder it is started in`;
}

function isRelative(path: string): boolean {
  return /^[^\\/~$%][^:]*[\\/]/.test(path) || /^\$\{(?:workspace\w*|cwd|PWD)\}/.test(path);
}

/** Words that may identify a program of ours: a guess, made before the parsers are loaded. */
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

const OUR_END =
  /(?:bmad-mcp(?:\.exe)?|[\\/](?:deno(?:\.json|\.exe)?|node(?:\.exe)?|launcher\.(?:[cm]js|sh)))$/i;

function lastWord(line: string): string {
  const text = line.trimEnd().replace(/'$/, "");
  const quote = Math.max(text.lastIndexOf("'"), text.lastIndexOf('"'));
  const rest = text.slice(quote + 1);
  return text[quote] === "'" && /^\S/.test(rest) ? rest : /[:-][ \t]+(\S.*)$/s.exec(rest)?.[1] ?? "";
}

export interface OwnProgram {
  readonly real: string;
  /** If its folder or checkout shows it: programs are not started to ask them. */
  readonly version?: string;
}

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
  // Of a checkout or of the npm package.
  const manifest = LAUNCHER.test(real) ? `${real.slice(0, real.lastIndexOf("/"))}/package.json` : real;
  const version = manifest.endsWith(".json")
    ? /^[ \t]*"version":\s*"([^"\n]+)"/m.exec(readText(manifest) ?? "")?.[1]
    : versionAt(real);
  return { real, ...(version !== undefined && { version }) };
}

/** Both launchers of a package start the same. */
export function isSameProgram(one: OwnProgram | undefined, other: OwnProgram | undefined): boolean {
  const name = ({ real }: OwnProgram) => LAUNCHER.test(real) ? folderIn(real) : real;
  return one !== undefined && other !== undefined && name(one) === name(other);
}

function versionAt(path: string): string | undefined {
  const forms = [...LAYOUTS.map(({ folder }) => folder), PACKAGE];
  const names = forms.map((form) => form.exec(path)?.groups?.["version"]);
  return names.find((name) => name !== undefined && /^\d/.test(name))?.replace(/_\d+$/, "");
}

export interface LaunchState {
  /** The word that does not exist, or else the one that identifies the program. */
  readonly program: string;
  /** Undefined for a name that is not on our PATH: it may be on the client's. */
  readonly isThere?: boolean;
  /** A path with a version in it does not count: the next update breaks it. */
  readonly isCurrent: boolean;
  readonly version?: string;
}

export function checkLaunch(
  launch: Launch,
  own: Launch,
  { find, isMissing }: {
    readonly find: (word: string) => OwnProgram | undefined;
    readonly isMissing: (word: string) => boolean;
  },
): LaunchState {
  const missing = [launch.command, programOf(launch)].find(isMissing);
  const program = missing ?? programOf(launch);
  const found = missing === undefined ? find(program) : undefined;
  const isSame = launch.command === own.command && own.args.every((arg, at) => launch.args[at] === arg);
  const isCurrent = isSame || PACKAGE.exec(program)?.groups?.["version"] === PRODUCT.version ||
    (isSameProgram(found, find(programOf(own))) && versionAt(program) === undefined);
  const version = isCurrent ? PRODUCT.version : found?.version ?? versionAt(program);
  return {
    program,
    ...((found ?? missing) !== undefined && { isThere: missing === undefined }),
    isCurrent,
    ...(version !== undefined && { version }),
  };
}

export function upgradeOf(launch: Launch) {
  const installed = packageFolder(launch);
  if (installed !== undefined) {
    const { folder, name } = installed;
    const latest = `${name}@latest`;
    if (NPX_CACHE.test(folder)) {
      const hint = "It adds the new version to the clients that you choose.";
      return { way: "npx", command: command`npx -y ${latest} install` ?? NO_COMMAND, hint };
    }
    const isGlobal = /[\\/](?:lib|npm|nodejs)$/.test(folder);
    const where = isGlobal ? { line: "--global" } : { line: command`--prefix ${folder}` };
    return { way: "npm", command: command`npm install ${where} ${latest}` ?? NO_COMMAND };
  }
  const { way, program } = recognize(launch) ?? { program: launch.command };
  if (way === "checkout") {
    return { way: "a checkout", command: command`git -C ${folderIn(program)} pull` ?? NO_COMMAND };
  }
  const layout = LAYOUTS.find(({ folder }) => folder.test(program));
  if (layout !== undefined) {
    const args = layout.upgrade.split(" ").map((word) => program.replace(layout.folder, word));
    return { way: layout.manager, command: command`${{ args }}` ?? NO_COMMAND };
  }
  if (/[\\/]Claude Extensions[\\/]/.test(program)) {
    return { way: "a bundle", hint: "Download the new .mcpb bundle and open it with Claude Desktop." };
  }
  return {
    way: "an archive or the install script",
    hint: "Run the install script of the new release with BMAD_MCP_INSTALL_DIR set to " +
      `${folderIn(program)}, or put the program of its archive there.`,
  };
}

function folderIn(program: string): string {
  return program.replace(/[\\/][^\\/]*$/, "");
}

export type FoundHook = ReturnType<typeof findHooks>[number];

/** Decided while the whole disk is visible, by searching for our command line. */
export function findHooks(
  targets: readonly Target[],
  own: Launch,
  host: Pick<Host, "os" | "env" | "look" | "readText">,
) {
  const disk = {
    find: (word: string) => findProgram(word, host),
    isMissing: (word: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(word) && host.look(word) === undefined,
  };
  return targets.flatMap((target) => {
    // Both lists of a file have the same line.
    const line = target.hooks?.isEnd ? undefined : ownLineIn(host.readText(target.real) ?? "");
    if (line === undefined) return [];
    // `install` quotes without escaping.
    const words = Array.from(
      line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g),
      ([word, double, single]) => double ?? single ?? word,
    );
    const end = words.findIndex((_, at) => HOOK_ARGS.every((arg, offset) => words[at + offset] === arg));
    const [command = "", ...args] = words.slice(0, end);
    return [{ target, words, ...checkLaunch({ command, args }, own, disk) }];
  });
}

function ownLineIn(text: string): string | undefined {
  // Without an end, it goes to the end of its line, so that no other begins in it.
  const quoted = Array.from(
    text.matchAll(/"(?:[^"\\\n]|\\[^\n])*"?/g),
    ([word]) => String(attempt(() => JSON.parse(word))),
  );
  // PowerShell's form begins with `&`.
  return quoted.find((line) => OWN_LINE.test(line))?.replace(/^& /, "");
}
