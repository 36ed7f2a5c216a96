/**
 * The fix for each issue: one line that a person can follow.
 *
 * Every code has a row, so that a new code does not compile without one. Where a single shell command does it, the fix is
 * that command, and it deletes nothing but the path it names. How settings and commands of this program are spelled is
 * left to the surfaces.
 */
import type { Diagnostic, DiagnosticCode, Root } from "../../../base/model.ts";
import type { Library, LibrarySource } from "../library.ts";

interface Issue {
  readonly diagnostic: Diagnostic;
  /** The absolute path of the file or folder; for embedded content, its path in the pack. */
  readonly path: string;
  readonly source: LibrarySource | undefined;
}

const FETCH_AGAIN = "Fix its address or your access to it and fetch it again, or remove it from the settings";

const FIXES: Readonly<Record<DiagnosticCode, (issue: Issue) => string>> = {
  "bad-file": ({ path }) => `Fix ${path}, or delete it`,
  "bad-launcher": ({ path }) => `Fix the skill in the folder of ${path}`,
  "being-fetched": () => "Wait a moment, or fetch it now",
  "duplicate-id": ({ path }) => `Rename one of them, or delete ${path}`,
  "limit-reached": ({ path }) => `Shorten ${path}, or split it`,
  "link-refused": ({ path }) =>
    `Remove the link (rm ${quoted(path)}), or replace it with a copy of its target`,
  "no-content": () =>
    "Name a project, a BMAD root or a single module, or remove the folder from the settings",
  "no-file-found": reinstall,
  "no-folder": () => "Create the folder, or remove it from the settings",
  "not-a-skill": ({ path }) =>
    `To serve it, add a name (that of its folder) and a description to ${path}/SKILL.md`,
  "old-copy": () => FETCH_AGAIN,
  "origin-unavailable": ({ source }) =>
    source?.origin.kind === "git" ? FETCH_AGAIN : "Remove it from the settings if it is not needed",
  "reload-failed": () => "Check the latest change, or restart the server",
  "stale-agent": ({ source }) =>
    `Recompile the agents with BMAD's installer: npx -y bmad-method@${versionOf(source)} install`,
  "too-many-files": () => "Serve a smaller folder, or raise the limit",
  "unreadable": ({ path }) => `Make it readable: chmod -R u+rX ${quoted(path)}`,
};

/** A diagnostic with its fix; one that was given with it takes precedence. */
export function withFix(library: Library, diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.fix !== undefined) return diagnostic;
  const source = library.sources.find(({ origin }) => origin.id === diagnostic.origin);
  const path = [source?.origin.location, diagnostic.path].filter(Boolean).join("/");
  return { ...diagnostic, fix: FIXES[diagnostic.code]({ diagnostic, path, source }) };
}

/** For an installation whose manifest lists more than it has. */
function reinstall({ diagnostic, path: manifest, source }: Issue): string {
  const roots: readonly Root[] = source?.inventory.roots ?? [];
  const root = roots.find(({ path }) => path === "" || diagnostic.path?.startsWith(`${path}/`));
  if (source === undefined || root?.version === undefined) {
    return `Install it again, or remove the rows without a file from ${manifest}`;
  }
  const { location } = source.origin;
  if (root.path === "") {
    return `Serve the project folder instead: ${location.replace(/[\\/][^\\/]*$/, "")}`;
  }
  const folder = [location, ...root.path.split("/").slice(0, -1)].join("/");
  const modules = new Set(source.inventory.modules.map(({ code }) => code).filter((code) => code !== "core"));
  return `Install its skills again: npx -y bmad-method@${root.version} install ` +
    `--directory ${quoted(folder)} --modules ${[...modules].join(",")} --tools claude-code --yes`;
}

function versionOf(source: LibrarySource | undefined): string {
  return source?.inventory.roots.find(({ version }) => version !== undefined)?.version ?? "latest";
}

function quoted(path: string): string {
  return /^[\w./@+:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
