/**
 * What mends a thing that was found wrong: one line that a person can follow as it stands.
 *
 * One row for each code, so that a new one does not compile without. What comes from settings is named as a person
 * knows it; a command is given where it does the whole of it, and it never removes more than the one name it says.
 */
import type { Diagnostic, DiagnosticCode, Root } from "../../../base/model.ts";
import type { Library, LibrarySource } from "../library.ts";

/** Where something is wrong. */
interface Trouble {
  readonly diagnostic: Diagnostic;
  /** The absolute name of the file or folder; of embedded content, where it lies in that. */
  readonly place: string;
  readonly source: LibrarySource | undefined;
}

const FETCH =
  "Correct the address or the access to it, and fetch it again: bmad-mcp cache update; or take it out of the settings";

const REMEDIES: Readonly<Record<DiagnosticCode, (trouble: Trouble) => string>> = {
  "bad-file": ({ place }) => `Correct what is said of it in ${place}, or remove that file`,
  "bad-launcher": ({ place }) => `Correct what is said of it in the folder of ${place}`,
  "being-fetched": () => "Wait a moment, or fetch it now: bmad-mcp cache update",
  "duplicate-id": ({ place }) => `Give one of the two another name, or remove ${place}`,
  "link-refused": ({ place }) =>
    `Remove the link (rm ${quoted(place)}), or put a copy of what it leads to in its place`,
  "no-content": ({ source }) =>
    `Name a project, a BMAD root or one module, or take the folder out of ${namedBy(source)}`,
  "no-file-found": reinstall,
  "no-folder": ({ source }) => `Make the folder, or take it out of ${namedBy(source)}`,
  "not-a-skill": ({ place }) =>
    `Write a name, which is that of its folder, and a description into ${place}/SKILL.md, if it should be served`,
  "old-copy": () => FETCH,
  "origin-unavailable": ({ source }) =>
    source?.origin.kind === "git" ? FETCH : "Take it out of the settings, if it is not needed",
  "reload-failed": () => "Look at what changed last, or start the program anew",
  "stale-agent": ({ source }) =>
    `Let BMAD's installer compile the agents again: npx -y bmad-method@${versionOf(source)} install`,
  "too-many-files": () => "Serve a smaller folder, or raise the limit with --max-files",
  "unreadable": ({ place }) => `Let this user read it: chmod -R u+rX ${quoted(place)}`,
};

/** A diagnostic with what mends it, unless whoever found it knows that best. */
export function withFix(library: Library, diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, fix: diagnostic.fix ?? remedyFor(library, diagnostic) };
}

function remedyFor(library: Library, diagnostic: Diagnostic): string {
  const source = library.sources.find(({ origin }) => origin.id === diagnostic.origin);
  const place = [source?.origin.location, diagnostic.path].filter(Boolean).join("/");
  return REMEDIES[diagnostic.code]({ diagnostic, place, source });
}

/** An installation that tells of more than it holds. */
function reinstall({ diagnostic, place, source }: Trouble): string {
  const roots: readonly Root[] = source?.inventory.roots ?? [];
  const root = roots.find(({ path }) => path === "" || diagnostic.path?.startsWith(`${path}/`));
  if (source === undefined || root?.version === undefined) {
    return `Install it again, or take the rows that have no file out of ${place}`;
  }
  const { location } = source.origin;
  if (root.path === "") {
    return `Serve the project around it instead: ${location.replace(/[\\/][^\\/]*$/, "")}`;
  }
  const folder = [location, ...root.path.split("/").slice(0, -1)].join("/");
  const modules = new Set(
    source.inventory.modules.map(({ code }) => code).filter((code) => code !== "core"),
  );
  return `Install its skills again: npx -y bmad-method@${root.version} install --directory ${
    quoted(folder)
  } ` +
    `--modules ${[...modules].join(",")} --tools claude-code --yes`;
}

/** The setting that names an origin. */
function namedBy(source: LibrarySource | undefined): string {
  const kind = source?.origin.kind;
  if (kind === "project") return "--project or BMAD_PROJECT_ROOT";
  return kind === "env" ? "BMAD_ROOT" : "--path, the arguments or `paths` in a settings file";
}

function versionOf(source: LibrarySource | undefined): string {
  return source?.inventory.roots.find(({ version }) => version !== undefined)?.version ?? "latest";
}

/** A name as a shell takes it. */
function quoted(name: string): string {
  return /^[\w./@+:-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}
