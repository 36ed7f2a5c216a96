/**
 * How clients start this program: by a path that stays right when the program is updated.
 *
 * Package managers put each version into a folder of its own and a link with a lasting name beside it. An entry that
 * names the folder would lead nowhere after the next update, and programs with windows have no PATH to find a bare
 * name on.
 */
import type { Launch } from "./shapes.ts";

/** A place that holds one version, and the lasting names that package managers give it. */
interface Versioned {
  readonly folder: RegExp;
  readonly names: readonly string[];
  /** Whether the lasting name is a small program of its own, and no link to the version's. */
  readonly shim?: true;
}

const VERSIONED: readonly Versioned[] = [
  // Homebrew
  {
    folder: /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/([^/]+)$/,
    names: ["$1/bin/$3", "$1/opt/$2/bin/$3"],
  },
  // Scoop
  {
    folder: /^(.*)[\\/]apps[\\/]([^\\/]+)[\\/][^\\/]+[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/shims/$3", "$1/apps/$2/current/$3"],
    shim: true,
  },
  // winget
  {
    folder: /^(.*)[\\/]WinGet[\\/]Packages[\\/].*[\\/]([^\\/]+\.exe)$/i,
    names: ["$1/WinGet/Links/$2"],
    shim: true,
  },
  // mise
  { folder: /^(.*)\/installs\/([^/]+)\/[^/]+\/(.*)$/, names: ["$1/installs/$2/latest/$3"] },
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

/** The programs of ours, with a path, that a text may want to start. A guess by the letters: it comes before parsers. */
export function commandsIn(text: string): readonly string[] {
  const quoted = text.matchAll(/"((?:[^"\\\n]|\\.)*bmad-mcp(?:\.exe)?)"/gi);
  const plain = text.matchAll(/(?:'|:[ \t]+|-[ \t]+)([^\s"'][^"'\n]*?bmad-mcp(?:\.exe)?)'?[ \t]*\r?$/gim);
  const found = [
    ...Array.from(quoted, ([, inner]) => inner!.replaceAll(/\\(.)/g, "$1")),
    ...Array.from(plain, ([, inner]) => inner!),
  ];
  return [...new Set(found.filter((command) => /^(?:\/|[A-Za-z]:[\\/])/.test(command)))];
}
