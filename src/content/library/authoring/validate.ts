/** Whether content is as its readers expect it, for people who write modules. */
import { type Diagnostic, type DiagnosticCode, hasKind } from "../../../base/model.ts";
import { recover } from "../../../base/absence.ts";
import { asText, asValues, parseJson } from "../../../base/values.ts";
import { compareTexts } from "../../../base/text.ts";
import { giveWay, type Work } from "../../../base/work.ts";
import { V3_FILE } from "../../inventory/mod.ts";
import { LIMITS } from "../../limits.ts";
import { baseName, findText, walkFiles } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { innerRoot, isServed } from "../files/mounts.ts";
import { findFile } from "../files/references.ts";
import { type Library, type LibrarySource, onlyOrigin } from "../library.ts";
import { diagnose } from "../health/diagnose.ts";
import { brokenIn } from "../health/closure.ts";
import { brokenMessage, knownReason, UPSTREAM_MODULES, UPSTREAM_PACKAGES } from "../health/known_faults.ts";
import {
  EnoughFaults,
  type Fault,
  findLine,
  lineIn,
  openFaults,
  type RuleName,
  type Subject,
} from "./schema.ts";
import {
  checkChanges,
  checkEntry,
  checkModuleFile,
  checkPack,
  checkSkillFile,
  checkTaken,
  checkV3,
  isModuleFile,
} from "./rules.ts";

export async function validateSource(library: Library, within = "", work: Work = {}) {
  const source = library.sources[0]!;
  const { faults, add } = openFaults();
  const { entries: known } = library.manifest;
  const entries = known.filter(({ rank }) => rank === 0);
  const ids = new Set(known.flatMap(({ id, formerIds = [] }) => [id, ...formerIds]));
  const agents = new Set(known.filter((entry) => hasKind(entry, "agent")).map(({ id }) => id));
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
  await recover(EnoughFaults, () => checkAll(subject, own, { files, faults }, work));
  if (entries.length === 0 && faults.length === 0) {
    subject.report("no-content", within, `no BMAD content found in ${source.origin.location}`);
  }
  const isOwn = entries.some(({ module }) => UPSTREAM_MODULES.includes(module));
  const sorted = faults
    .map((fault): Fault => ({ ...fault, known: isOwn ? knownReason(fault.path, fault.message) : undefined }))
    .toSorted((a, b) =>
      compareTexts(a.known ?? "", b.known ?? "") || compareTexts(a.path, b.path) ||
      (a.line ?? 0) - (b.line ?? 0)
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
  for (const entry of items) {
    await giveWay(signal);
    if (entry.status !== "no-file-found") await checkEntry(subject, entry);
  }
  for (const path of moduleFiles(source)) checkModuleFile(subject, path);
  for (const { path, generation } of source.inventory.roots) {
    if (generation === "v4") checkPack(subject, path);
    if (generation === "v3") checkV3(subject, path);
    checkChanges(subject, path);
  }
  if (!isUpstream(source)) checkTaken(subject);
  // After the rules, which know the line.
  for (const diagnostic of await diagnose(own)) reportDiagnostic(subject, diagnostic);
  for (const file of files) {
    await giveWay(signal);
    checkSize(subject, file.path, file.facts.size);
    checkReferences(subject, file, faults);
  }
}

const SKIPPED = new Set(["node_modules", ".git", "tests", "__pycache__"]);

function moduleFiles({ tree, inventory: { mounts } }: LibrarySource): readonly string[] {
  const skip = (path: string) => SKIPPED.has(baseName(path));
  return walkFiles(tree, "", skip).take(LIMITS.validation.files).filter((path) => {
    const name = baseName(path);
    if (name === "marketplace.json") return path === `.claude-plugin/${name}`;
    return isModuleFile(name) &&
      (isServed(mounts, path) || name === "bmod.toml" || name === "module-manifest.toml");
  }).toArray();
}

function checkReferences(subject: Subject, file: ServedFile, faults: readonly Fault[]): void {
  const { path } = file;
  if (baseName(path) === V3_FILE) return;
  const text = findText(subject.source.tree, path) ?? "";
  for (const reference of brokenIn(subject.library, file)) {
    const name = reference.replace(/^skill:/, "");
    const line = findLine(text, name, baseName(name));
    // The installer of v4 copies what a pack needs of the core.
    const shared = name.replace(/^\{root\}\//, ".bmad-core/");
    if (shared !== name && findFile(subject.library, shared, file) !== undefined) continue;
    const isSame = (fault: Fault) =>
      fault.path === path && fault.line === line && fault.message.includes(name);
    if (!faults.some(isSame)) subject.report("reference", path, brokenMessage(reference), line);
  }
}

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

function reportDiagnostic(subject: Subject, { code, path = "", message, origin }: Diagnostic): void {
  const { source } = subject;
  if (origin !== source.origin.id) return;
  const rule = BY_CODE[code];
  const [, first] = /^is served only as a file: (.+) already has the name/.exec(message) ?? [];
  // Sources beside the files generated from them are allowed.
  if (first !== undefined && innerRoot(source, first)?.layout !== innerRoot(source, path)?.layout) return;
  if (code === "not-a-skill") checkSkillFile(subject, path);
  else if (rule !== undefined) subject.report(rule, path, message, lineIn(message));
}

function checkSize(subject: Subject, path: string, size: number): void {
  const isFirst = subject.items.some((item) => item.file === path);
  const { firstFileBytes, textBytes } = LIMITS.validation;
  const most = /\.(md|xml|ya?ml|toml)$/.test(path) ? textBytes : LIMITS.tree.fileBytes;
  const limit = isFirst ? firstFileBytes : most;
  if (size > limit) subject.report("size", path, `the file has ${size} bytes, more than ${limit}`);
}
