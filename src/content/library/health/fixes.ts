/**
 * The fix for each issue: one line that a person can follow, a single shell command where one does it, which deletes
 * nothing but the path it names. How settings and commands of this program are spelled is left to the surfaces.
 */
import { GENERATIONS } from "../../../base/generations.ts";
import { type Diagnostic, type DiagnosticCode, NO_MODULE, type Root } from "../../../base/model.ts";
import { command, withCommand } from "../../../base/text.ts";
import { isAuthored } from "../../catalog/mod.ts";
import { layoutOf } from "../../inventory/mod.ts";
import { baseName } from "../../tree/mod.ts";
import type { Library, LibrarySource } from "../library.ts";

interface Issue {
  readonly library: Library;
  readonly diagnostic: Diagnostic;
  readonly path: string;
  readonly source: LibrarySource | undefined;
}

const FETCH_AGAIN =
  "Correct its address or your access to it and fetch it again, or remove it from the settings";

const FIXES: Readonly<Record<DiagnosticCode, (issue: Issue) => string>> = {
  "bad-file": ({ path }) => `Correct ${path}, or delete it`,
  "bad-launcher": ({ path }) => `Correct the skill in the folder of ${path}`,
  "bad-record": ({ path }) => `Correct ${path}, or install its module again`,
  "broken-manifest": rewriteManifests,
  "being-fetched": () => "Wait a moment, or fetch it now",
  "duplicate-id": ({ path }) => `Rename one of them, or delete ${path}`,
  "stray-customization": ({ path }) => `Name ${path} after a skill, or delete it`,
  "limit-reached": ({ path }) => `Shorten ${path}, or split it`,
  "link-refused": ({ path }) =>
    withCommand("Replace the link with a copy of its target, or remove it", command`rm ${path}`),
  "no-content": () =>
    "Name a project, a BMAD root or a single module, or remove the folder from the settings",
  "no-file-found": reinstall,
  "no-folder": () => "Create the folder, or remove it from the settings",
  "not-a-skill": ({ path }) =>
    `To serve it, add a name (that of its folder) and a description to ${path}/SKILL.md`,
  "not-an-item": ({ path }) => `To make it an item, rename or move ${path}`,
  "old-copy": () => FETCH_AGAIN,
  "origin-unavailable": ({ source }) =>
    source?.origin.kind === "git" ? FETCH_AGAIN : "Remove it from the settings if it is not needed",
  "reload-failed": () => "Check the latest change, or restart the server",
  "retired-skill": ({ path }) => `Delete ${path}`,
  "served-already": () => "Leave it out, or name a folder outside",
  "stale-agent": ({ source }) =>
    withCommand(
      "Recompile the agents with BMAD's installer",
      command`npx -y ${`bmad-method@${findVersion(source)}`} install`,
    ),
  "too-many-files": () => "Serve a smaller folder, or raise the limit",
  "two-generations": () => "Keep both, or move the folder that is no longer used out of the project",
  "unreadable": ({ path }) => withCommand("Make it readable", command`chmod -R u+rX ${path}`),
};

export function withFix(library: Library, diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.fix !== undefined) return diagnostic;
  const source = library.sources.find(({ origin }) => origin.id === diagnostic.origin);
  const path = [source?.origin.location, diagnostic.path].filter(Boolean).join("/");
  return { ...diagnostic, fix: FIXES[diagnostic.code]({ library, diagnostic, path, source }) };
}

function reinstall(issue: Issue): string {
  const known = findInstallation(issue);
  if (known === undefined) return `Install it again, or remove the rows without a file from ${issue.path}`;
  if (known.root.path === "") {
    return `Serve the project folder instead: ${known.location.replace(/[\\/][^\\/]*$/, "")}`;
  }
  if (known.root.generation === "v4") return reinstallV4(issue, known);
  return withCommand("Install its skills again", command`${{ line: known.install }} --yes`);
}

const V4_CORE = ".bmad-core";

/** The installer of v4 has options of its own, and asks what to do with what it finds. A pack has a version of its own. */
function reinstallV4({ source }: Issue, { root, folder }: Installed): string {
  const core = source?.inventory.roots.find(({ path }) => baseName(path) === V4_CORE)?.version ?? "";
  const install = command`npx -y ${`bmad-method@${IS_WORD.test(core) ? core : "4"}`} install`;
  const pack = baseName(root.path).replace(/^\./, "");
  return baseName(root.path) === V4_CORE
    ? withCommand("Install it again, and choose to repair it", command`${{ line: install }} -f -d ${folder}`)
    : withCommand(
      "Install the expansion pack again",
      command`${{ line: install }} -x -d ${folder} -e ${pack}`,
    );
}

/** For an installation whose manifests are missing or broken: an installer must be told to write them again. */
function rewriteManifests(issue: Issue): string {
  const known = findInstallation(issue);
  if (known === undefined) return `Correct ${issue.path}, or install BMAD again`;
  const { root, location, modules, install } = known;
  const update = command`${{ line: install }} --action update --yes`;
  // Before 6.3, the installer gives up where this manifest cannot be parsed.
  if (GENERATIONS[root.generation].isOfSkills || !/_(config|cfg)(\/manifest\.yaml)?$/.test(issue.path)) {
    return withCommand(AGAIN, update);
  }
  const config = [location, root.path, "_config"].join("/");
  const lines = [
    `installation: {version: ${root.version}}`,
    `modules: [${["core", ...modules].join(", ")}]`,
    "ides: [claude-code]",
  ];
  const write = command`mkdir -p ${config} && printf "%s\\n" ${{
    args: lines,
  }} > ${`${config}/manifest.yaml`}`;
  return withCommand(AGAIN, command`${{ line: write }} && ${{ line: update }}`);
}

const AGAIN = "Let the installer write it again";

type Installed = NonNullable<ReturnType<typeof findInstallation>>;

function findInstallation(issue: Issue) {
  const { diagnostic, source } = issue;
  const roots: readonly Root[] = source?.inventory.roots ?? [];
  const own = roots.filter(({ path }) => path === "" || diagnostic.path?.startsWith(`${path}/`));
  // One with both layouts is installed like a compiled one.
  const root = own.find((root) => layoutOf(root).manifests === "kinds") ?? own[0];
  if (source === undefined || root?.version === undefined || !IS_WORD.test(root.version)) return undefined;
  const { location } = source.origin;
  const folder = [location, ...root.path.split("/").slice(0, -1)].join("/");
  const codes = source.inventory.modules.map(({ code }) => code);
  const named = [...new Set(codes)].filter((code) =>
    IS_WORD.test(code) && code !== "core" && code !== NO_MODULE
  );
  const installed = named.filter((code) => !isAuthoredModule(issue, code));
  // Where the manifests are lost, all items look so.
  const modules = installed.length > 0 ? installed : named;
  const install = command`npx -y ${`bmad-method@${root.version}`} install --directory ${folder} --modules ${
    modules.join(",")
  } --tools claude-code`;
  return { root, location, folder, modules, install };
}

function isAuthoredModule({ library: { manifest, sources }, source }: Issue, code: string): boolean {
  const own = manifest.entries.filter(({ rank, module }) => sources[rank] === source && module === code);
  return own.length > 0 && own.every((entry) => isAuthored(manifest, entry));
}

/** What a project's files say and a command may contain. */
const IS_WORD = /^\w[\w.-]*$/;

function findVersion(source: LibrarySource | undefined): string {
  return source?.inventory.roots.find(({ version }) => IS_WORD.test(version ?? ""))?.version ?? "latest";
}
