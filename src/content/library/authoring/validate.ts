/**
 * Whether content is as its readers expect it, for people who write modules: what the readers of each layout report,
 * rules for each kind of file, and references, which may lead into the embedded packs.
 */
import { type Diagnostic, type DiagnosticCode, type Entry, hasKind } from "../../../base/model.ts";
import { asText, asValues, parseJson } from "../../../base/values.ts";
import { type Work, yieldToEventLoop } from "../../../base/work.ts";
import { LIMITS } from "../../limits.ts";
import { baseName, findText, joinPath, parentPath, walkFiles } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { isServed } from "../files/mounts.ts";
import { findFile } from "../files/references.ts";
import { type Library, type LibrarySource, onlyOrigin } from "../library.ts";
import { diagnose } from "../health/diagnose.ts";
import { brokenIn } from "../health/closure.ts";
import { brokenMessage, knownReason, UPSTREAM_MODULES, UPSTREAM_PACKAGES } from "../health/known_faults.ts";
import { checkAgentChanges, checkCompiled, checkPack, checkV3, checkV4 } from "./older_rules.ts";
import {
  EnoughFaults,
  type Fault,
  fileOf,
  findLine,
  lineIn,
  openFaults,
  type RuleName,
  type Subject,
} from "./faults.ts";
import {
  checkHelp,
  checkModule,
  checkOverrides,
  checkPlugin,
  checkRecord,
  checkSkillManifest,
  checkTaken,
} from "./module_rules.ts";
import { checkSkill, checkSkillFile } from "./skill_rules.ts";

interface Validation {
  readonly faults: readonly Fault[];
  readonly items: number;
  readonly files: number;
  readonly generations: readonly string[];
}

export async function validateSource(library: Library, within = "", work: Work = {}): Promise<Validation> {
  const source = library.sources[0]!;
  const { faults, add } = openFaults();
  const entries = library.manifest.entries.filter(({ rank }) => rank === 0);
  const ids = new Set(library.manifest.entries.flatMap(({ id, formerIds = [] }) => [id, ...formerIds]));
  const agents = new Set(
    library.manifest.entries.filter((entry) => hasKind(entry, "agent")).map(({ id }) => id),
  );
  const isInside = (path: string) => within === "" || path === within || path.startsWith(`${within}/`);
  const subject: Subject = {
    library,
    source,
    items: entries,
    hasItem: (id) => ids.has(id),
    hasAgent: (id) => agents.has(id),
    report: (rule, path, message, line) => {
      if (isInside(path)) add({ rule, path, message, line });
    },
  };
  // What else there is to read only answers to references.
  const own = onlyOrigin(library, source.origin.id);
  const files = listFiles(own).filter(({ path }) => isInside(path));
  try {
    await checkAll(subject, own, { files, faults }, work);
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error;
  }
  if (entries.length === 0 && faults.length === 0) {
    subject.report("no-content", within, `no BMAD content found in ${source.origin.location}`);
  }
  const sorted = faults.map((fault) => ({ ...fault, known: reasonFor(subject, fault) }))
    .toSorted((a, b) =>
      compare(a.known ?? "", b.known ?? "") || compare(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0)
    );
  return {
    faults: sorted,
    items: entries.filter(({ file }) => isInside(file)).length,
    files: files.length,
    generations: [...new Set(entries.map(({ generation }) => generation))],
  };
}

async function checkAll(
  subject: Subject,
  own: Library,
  { files, faults }: { readonly files: readonly ServedFile[]; readonly faults: readonly Fault[] },
  { signal }: Work,
): Promise<void> {
  const { source, items } = subject;
  for (const [at, entry] of items.entries()) {
    signal?.throwIfAborted();
    if (at % 50 === 0) await yieldToEventLoop();
    if (entry.status !== "no-file-found") await checkEntry(subject, entry);
  }
  for (const folder of foldersOf(source)) checkFolder(subject, folder);
  for (const { path } of source.inventory.roots) checkRoot(subject, path);
  if (!isUpstream(source)) checkTaken(subject);
  // After the rules, which know the line.
  for (const diagnostic of await diagnose(own)) reportDiagnostic(subject, diagnostic);
  for (const [at, file] of files.entries()) {
    signal?.throwIfAborted();
    if (at % 50 === 0) await yieldToEventLoop();
    checkSize(subject, file.path, file.facts.size);
    checkReferences(subject, file, faults);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function checkEntry(subject: Subject, entry: Entry): Promise<void> {
  if (entry.kind === "skill") return checkSkill(subject, entry);
  if (entry.generation === "v4") return checkV4(subject, entry);
  if (entry.generation === "v6") await checkCompiled(subject, entry);
}

function foldersOf({ tree, inventory: { mounts } }: LibrarySource): readonly string[] {
  const skip = (path: string) => SKIPPED.has(baseName(path));
  const named = [...walkFiles(tree, "", skip).take(MAX_WALKED)].filter((path) => NAMED.has(baseName(path)));
  return [
    ...new Set(
      named.filter((path) =>
        path.startsWith(".claude-plugin") || isServed(mounts, path) ||
        /(?:^|\/)(?:bmod|module-manifest)\.toml$/.test(path)
      ).map(parentPath),
    ),
  ];
}

const SKIPPED = new Set(["node_modules", ".git", "tests", "__pycache__"]);
const NAMED = new Set([
  "module.yaml",
  "install-config.yaml",
  "module-help.csv",
  "marketplace.json",
  "bmod.toml",
  "module-manifest.toml",
]);
const MAX_WALKED = 100_000;

function checkFolder(subject: Subject, folder: string): void {
  const { tree } = subject.source;
  const path = (name: string) => joinPath(folder, name);
  checkModule(subject, path("module.yaml"));
  if (baseName(folder) === "_module-installer") checkModule(subject, path("install-config.yaml"));
  checkHelp(subject, path("module-help.csv"));
  if (baseName(folder) === ".claude-plugin") checkPlugin(subject, path("marketplace.json"));
  checkRecord(subject, path("bmod.toml"));
  checkSkillManifest(subject, path("module-manifest.toml"));
  if (tree.stat(path("bmod.toml")) !== undefined && tree.stat(path("SKILL.md")) === undefined) {
    subject.report("not-found", path("bmod.toml"), "no SKILL.md lies beside it");
  }
}

function checkRoot(subject: Subject, root: string): void {
  const { generation } = subject.source.inventory.roots.find(({ path }) => path === root)!;
  if (generation === "v4") checkPack(subject, root);
  if (generation === "v3") checkV3(subject, root, V3_FILE);
  checkOverrides(subject, root);
  checkAgentChanges(subject, root);
}

function checkReferences(subject: Subject, file: ServedFile, faults: readonly Fault[]): void {
  if (baseName(file.path) === V3_FILE) return;
  const text = findText(subject.source.tree, file.path) ?? "";
  for (const reference of brokenIn(subject.library, file)) {
    const name = reference.replace(/^skill:/, "");
    const line = findLine(text, name) ?? findLine(text, baseName(name));
    // The installer of v4 copies what a pack needs of the core.
    const shared = name.replace(/^\{root\}\//, ".bmad-core/");
    if (shared !== name && findFile(subject.library, shared, file) !== undefined) continue;
    const isReported = faults.some((fault) =>
      fault.path === file.path && fault.line === line && fault.message.includes(name)
    );
    if (!isReported) subject.report("reference", file.path, brokenMessage(reference), line);
  }
}

const V3_FILE = "ide-bmad-orchestrator.cfg.md";

const BY_CODE: Readonly<Partial<Record<DiagnosticCode, RuleName>>> = {
  "bad-file": "syntax",
  "bad-launcher": "syntax",
  "bad-record": "record",
  "broken-manifest": "syntax",
  "duplicate-id": "duplicate",
  "limit-reached": "size",
  "link-refused": "link",
  "no-file-found": "not-found",
  "too-many-files": "size",
  "unreadable": "unreadable",
};

function isUpstream({ tree }: LibrarySource): boolean {
  const name = asText(asValues(parseJson(findText(tree, "package.json") ?? ""))["name"]);
  return name !== undefined && UPSTREAM_PACKAGES.includes(name);
}

/** Whether two files of one name belong to one root: sources beside the files generated from them are allowed. */
function areInOneRoot({ inventory: { roots } }: LibrarySource, path: string, message: string): boolean {
  const [, first = ""] = /^is served only as a file: (.+) already has the name/.exec(message) ?? [];
  const layoutOf = (file: string) =>
    roots.filter((root) => root.path === "" || file.startsWith(`${root.path}/`))
      .toSorted((a, b) => b.path.length - a.path.length)[0]?.layout;
  return layoutOf(first) === layoutOf(path);
}

function reportDiagnostic(subject: Subject, { code, path = "", message, origin }: Diagnostic): void {
  if (origin !== subject.source.origin.id) return;
  const rule = BY_CODE[code];
  if (code === "duplicate-id" && !areInOneRoot(subject.source, path, message)) return;
  if (code === "not-a-skill") {
    const file = fileOf(subject, joinPath(path, "SKILL.md"));
    if (file !== undefined) checkSkillFile(file, baseName(path));
  } else if (rule !== undefined) {
    subject.report(rule, path, message, lineIn(message));
  }
}

/** In bytes: what a model would have to read at once. */
const MAX_FIRST = 64 << 10;
const MAX_TEXT = 256 << 10;

function checkSize(subject: Subject, path: string, size: number): void {
  const isFirst = subject.items.some((item) => item.file === path);
  const limit = isFirst ? MAX_FIRST : /\.(md|xml|ya?ml|toml)$/.test(path) ? MAX_TEXT : LIMITS.tree.fileBytes;
  if (size > limit) subject.report("size", path, `the file has ${size} bytes, more than ${limit}`);
}

function reasonFor({ items }: Subject, { path, message }: Fault): string | undefined {
  const isOwn = items.some(({ module }) => UPSTREAM_MODULES.includes(module));
  return isOwn ? knownReason(path, message) : undefined;
}
