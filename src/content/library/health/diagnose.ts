/** The issues of a library, each with a fix: one line, at most one command, which deletes nothing but the path it names. */
import { GENERATIONS } from "../../../base/generations.ts";
import { command, withCommand } from "../../../base/text.ts";
import { compareVersions } from "../../../base/versions.ts";
import { baseName } from "../../tree/mod.ts";
import { isAuthored, servedFor } from "../../catalog/mod.ts";
import { completeItem, diagnoseRefusals, findNearItems, layoutOf } from "../../inventory/mod.ts";
import {
  type Diagnostic,
  type DiagnosticCode,
  type Entry,
  NO_MODULE,
  qualifiedName,
  type Root,
} from "../../../base/model.ts";
import { fileList, prepareFiles } from "../files/files.ts";
import { isServed } from "../files/mounts.ts";
import { giveWay } from "../../../base/work.ts";
import { hasSteppedBack, isLinkBetween, type Library, type LibrarySource } from "../library.ts";
import { isNamed } from "../standby.ts";
import { LIMITS } from "../../limits.ts";

/** Reads all served files: a start must not wait for it. */
export async function diagnose(library: Library): Promise<readonly Diagnostic[]> {
  const { valueDiagnostics } = await import("../values/customize.ts");
  const { launcherDiagnostics, loadEngine } = await import("../delivery/launcher.ts");
  await loadEngine(library);
  await prepareFiles(library);
  const cut = fileList(library).truncated.map(({ origin }): Diagnostic => ({
    level: "warning",
    code: "too-many-files",
    message: `only the first ${library.maxFiles} files are listed`,
    origin: origin.id,
  }));
  const known = library.diagnostics;
  const isKnown = ({ origin, path, code }: Diagnostic) =>
    known.some((other) => other.origin === origin && other.path === path && other.code === code);
  const found = [
    ...sideBySide(library),
    ...servedAlready(library),
    ...duplicates(library),
    ...await brokenItems(library),
    ...await nearItems(library),
    ...await valueDiagnostics(library),
    ...await launcherDiagnostics(library),
  ];
  // Last, because everything above reads files too.
  const left = library.sources.flatMap(({ origin, tree }) =>
    diagnoseRefusals(tree).map((diagnostic) => ({ ...diagnostic, origin: origin.id }))
  ).filter((diagnostic) => !isLinkBetween(library.whole.sources, diagnostic));
  const all = [...known, ...cut, ...[...found, ...left].filter((diagnostic) => !isKnown(diagnostic))];
  return all.map((diagnostic) => withFix(library, diagnostic));
}

export function diagnosticsOf(library: Library): readonly Diagnostic[] {
  return library.diagnostics.map((diagnostic) => withFix(library, diagnostic));
}

/** A manifest describes these items, so their files were not opened. */
async function brokenItems(library: Library): Promise<readonly Diagnostic[]> {
  const entries = library.effective.filter(({ isBrief, status }) => isBrief && status !== "no-file-found");
  const found: Diagnostic[] = [];
  for (const entry of entries) {
    const { rank, file: path, origin } = entry;
    const { tree } = library.sources[rank]!;
    const { fault } = await completeItem(tree, entry);
    const facts = { level: "warning", path, origin: origin.id } as const;
    if (fault !== undefined) found.push({ ...facts, code: "bad-file", message: fault });
    // Of thousands, the inventory has looked only for their folders.
    const message = "a manifest lists it, but the file is missing";
    if (!tree.hasFile(path)) found.push({ ...facts, code: "no-file-found", message });
    await giveWay();
  }
  return found;
}

async function nearItems(library: Library): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const { tree, inventory, origin } of library.sources) {
    if (origin.kind === "package") continue;
    const known = new Set(inventory.diagnostics.map(({ path }) => path));
    for (const near of await findNearItems(tree, inventory)) {
      await giveWay();
      if (near === undefined || known.has(near.path)) continue;
      const { path, reason } = near;
      const message = `${isServed(inventory.mounts, path) ? "served as a file" : "not served"}: ${reason}`;
      found.push({ level: "info", code: "not-an-item", message, path, origin: origin.id });
      if (found.length >= LIMITS.health.nearItems) return found;
    }
  }
  return found;
}

function sideBySide({ sources }: Library): readonly Diagnostic[] {
  return sources.flatMap(({ origin, inventory }): Diagnostic[] => {
    const installed = inventory.roots.filter((root) => layoutOf(root).is === "installation");
    const byPath = [...new Map(installed.map((root) => [root.path, root])).values()];
    if (new Set(byPath.map(({ generation }) => generation)).size < 2) return [];
    const roots = byPath.map(({ path, layout, version = "" }) =>
      `${path} (${layout} ${version}`.trim() + ")"
    );
    const message = `several generations are installed side by side: ${roots.join(", ")}`;
    const isUpgrade = byPath.some((root) => layoutOf(root).inUpgrade === "replaces");
    const diagnostic = { level: "info", code: "two-generations", message, origin: origin.id } as const;
    return [isUpgrade ? { ...diagnostic, fix: UPGRADE_FIX } : diagnostic];
  });
}

const UPGRADE_FIX =
  "Nothing has to be done: flat skills replace older ones of the same name. BMAD's own skill can remove what is left";

function servedAlready(library: Library): readonly Diagnostic[] {
  return library.sources.filter(({ origin }, rank) => isNamed(origin) && hasSteppedBack(library, rank))
    .map(({ origin }) => ({
      level: "info",
      code: "served-already",
      message: "on standby: another source serves its folder already",
      origin: origin.id,
    }));
}

/** Only one of two such items has the name. What somebody wrote over an installed item is meant so. */
function duplicates({ manifest }: Library): readonly Diagnostic[] {
  const items = Map.groupBy(
    manifest.entries.filter((entry) => entry.status !== "no-file-found"),
    ({ rank, module, kind, id }) => `${rank}:${module}:${kind}:${id}`.toLowerCase(),
  );
  return [...items.values()].filter((same) => same.length > 1).flatMap((same) => {
    const { key } = servedFor(manifest, same[0]!);
    const served = same.find((entry) => entry.key === key) ?? same[0]!;
    const isMeant = (other: Entry) => isAuthored(manifest, served) && !isAuthored(manifest, other);
    const message = `is served only as a file: ${served.file} already has the name ${qualifiedName(served)}`;
    return same.filter((other) => other.key !== served.key && !isMeant(other)).map(
      ({ file: path, origin }) => ({
        level: "warning",
        code: "duplicate-id",
        message,
        path,
        origin: origin.id,
      }),
    );
  });
}

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
  "stand-in": reinstall,
  "stale-agent": ({ source }) =>
    withCommand(
      "Recompile the agents with BMAD's installer",
      command`npx -y ${`bmad-method@${versionIn(source, "latest")}`} install`,
    ),
  "too-many-files": () => "Serve a smaller folder, or raise the limit",
  "two-generations": () => "Keep both, or move the folder that is no longer used out of the project",
  "unreadable": ({ path }) => withCommand("Make it readable", command`chmod -R u+rX ${path}`),
};

export function withFix(library: Library, diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.fix !== undefined) return diagnostic;
  const source = library.sources.find(({ origin }) => origin.id === diagnostic.origin);
  const path = [source?.origin.location, diagnostic.path].filter(Boolean).join("/");
  // A copy is replaced by the next one; its origin has an address, not a folder.
  if (source && ["git", "npm"].includes(source.origin.kind) && diagnostic.path !== undefined) {
    return { ...diagnostic, fix: `Have it corrected in ${source.origin.location}` };
  }
  return { ...diagnostic, fix: FIXES[diagnostic.code]({ library, diagnostic, path, source }) };
}

function reinstall(issue: Issue): string {
  const known = findInstallation(issue);
  if (known === undefined) return `Install it again, or remove the rows without a file from ${issue.path}`;
  if (known.root.path === "") {
    return `Serve the project folder instead: ${known.location.replace(/[\\/][^\\/]*$/, "")}`;
  }
  if (known.root.generation === "v4") return reinstallV4(issue, known);
  if (known.asks) return withCommand(`Install it again, and ${UPDATE}`, known.install);
  const what = GENERATIONS[known.root.generation].isOfSkills ? "its skills" : "it";
  return withCommand(`Install ${what} again`, command`${{ line: known.install }} --yes`);
}

const UPDATE = 'choose "Quick Update"';

const V4_CORE = ".bmad-core";

/** The installer of v4 has options of its own and asks what to do. A pack has a version of its own. */
function reinstallV4({ source }: Issue, { root, folder }: Installed): string {
  const program = `bmad-method@${versionIn(source, "4", V4_CORE)}`;
  const install = { line: command`cd ${folder} && npx -y ${program} install` };
  const name = baseName(root.path);
  if (name === V4_CORE) {
    return withCommand("Install it again, and choose to repair it", command`${install} -f -d .`);
  }
  const pack = name.replace(/^\./, "");
  return withCommand("Install the expansion pack again", command`${install} -x -d . -e ${pack}`);
}

/** Where manifests are missing or broken, an installer must be told to write them again. */
function rewriteManifests(issue: Issue): string {
  const known = findInstallation(issue);
  if (known === undefined) return `Correct ${issue.path}, or install BMAD again`;
  const { root, location, modules, install, asks } = known;
  const update = asks ? install : command`${{ line: install }} --action update --yes`;
  const again = asks ? `${AGAIN}, and ${UPDATE}` : AGAIN;
  const [folder] = /_(?:config|cfg)(?=(?:\/manifest\.yaml)?$)/.exec(issue.path) ?? [];
  // Before 6.3, the installer gives up where this manifest cannot be parsed.
  if (GENERATIONS[root.generation].isOfSkills || folder === undefined) return withCommand(again, update);
  const config = [location, root.path, folder].join("/");
  const lines = [
    `installation: {version: ${root.version}}`,
    `modules: [${["core", ...modules].join(", ")}]`,
    "ides: [claude-code]",
  ];
  const [args, file] = [{ args: lines }, `${config}/manifest.yaml`];
  const write = command`mkdir -p ${config} && printf "%s\\n" ${args} > ${file}`;
  return withCommand(again, command`${{ line: write }} && ${{ line: update }}`);
}

const AGAIN = "Let the installer write it again";

type Installed = NonNullable<ReturnType<typeof findInstallation>>;

function findInstallation({ library: { manifest, sources }, diagnostic, source }: Issue) {
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
  const installed = named.filter((code) => {
    const own = manifest.entries.filter(({ rank, module }) => sources[rank] === source && module === code);
    return own.length === 0 || own.some((entry) => !isAuthored(manifest, entry));
  });
  // Where the manifests are lost, all items look so.
  const modules = installed.length > 0 ? installed : named;
  const [program, codesToInstall] = [`bmad-method@${root.version}`, modules.join(",")];
  // Before its first release, the installer of 6.0.0 had no flags: it asks, and offers the folder where it is run.
  const asks = compareVersions(root.version, "6.0.0-0") >= 0 && compareVersions(root.version, "6.0.0") < 0;
  // Before 6.3, npx starts a program that hands on the words without their quotes.
  const isInside = compareVersions(root.version, "6.3.0") < 0;
  const [cd, place] = isInside ? [command`cd ${folder} && `, "."] : ["", folder];
  const flags = command` --directory ${place} --modules ${codesToInstall} --tools claude-code`;
  const install = command`${{ line: cd }}npx -y ${program} install${{ line: asks ? "" : flags }}`;
  return { root, location, folder, modules, install, asks };
}

const IS_WORD = /^\w[\w.-]*$/;

function versionIn(source: LibrarySource | undefined, usual: string, folder?: string): string {
  const roots = source?.inventory.roots.filter(({ path }) =>
    folder === undefined || baseName(path) === folder
  );
  return roots?.find(({ version }) => IS_WORD.test(version ?? ""))?.version ?? usual;
}
