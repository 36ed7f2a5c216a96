/** Does every file exist that the served texts tell a reader to open? */
import { splitLines } from "../../../base/text.ts";
import { findByName } from "../../catalog/mod.ts";
import { ROOT_NAMES } from "../../../base/model.ts";
import { baseName, decodeText } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { isGenerated } from "../delivery/resources.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { giveWay } from "../../../base/work.ts";
import { findFile } from "../files/references.ts";
import { brokenMessage, knownReason } from "./known_faults.ts";
import { LIMITS } from "../../limits.ts";

export type BrokenReference = Readonly<Record<"reference" | "uri" | "origin", string>>;

export const checkReferences = perLibraryPaced(async (library, work) => {
  const broken: BrokenReference[] = [];
  let references = 0;
  const files = listFiles(library);
  for (const [at, file] of files.entries()) {
    if (at > 0 && at % 128 === 0) {
      work.progress?.(at, files.length, "Checking references");
      await giveWay(work.signal);
    }
    for (const reference of readReferences(file)) {
      if (broken.length === LIMITS.health.brokenReferences) return { references, broken };
      // Looking for what is missing takes milliseconds, and a file may have many.
      if (++references % 200 === 0) await giveWay(work.signal);
      if (hasTarget(library, reference, file)) continue;
      const { uri, path, source: { origin } } = file;
      if (origin.kind === "package" && knownReason(path, brokenMessage(reference)) !== undefined) continue;
      broken.push({ reference, uri, origin: origin.id });
    }
  }
  return { references, broken };
});

export function brokenIn(library: Library, file: ServedFile): Iterable<string> {
  return readReferences(file).values().filter((reference) => !hasTarget(library, reference, file));
}

function hasTarget(library: Library, reference: string, from: ServedFile): boolean {
  if (!reference.startsWith(SKILL)) {
    return findFile(library, reference, from) !== undefined || isGenerated(library, reference, from);
  }
  return findByName(library.manifest.entries, { name: reference.slice(SKILL.length) }) !== undefined;
}

const SKILL = "skill:";

/** Manifests of skills are read by programs: they name help in prose, or files that are checked for authors. */
const FOR_READERS = /\.(?:md|mdc|ya?ml|xml|csv|toml|txt)$(?<!\/module-manifest\.toml)/i;

function readReferences({ uri, path, source: { tree } }: ServedFile): ReadonlySet<string> {
  return FOR_READERS.test(uri) ? referencesAt(uri, decodeText(tree.read(path)) ?? "") : new Set();
}

export function referencesAt(uri: string, whole: string): ReadonlySet<string> {
  if (!FOR_READERS.test(uri)) return new Set();
  // Comments only give examples of settings.
  const text = /\.(toml|ya?ml)$/.test(uri) ? whole.replaceAll(/^[ \t]*#.*$/gm, "") : whole;
  // A link in a template belongs to the document that it becomes.
  const isTemplate = /(?:^|\/)templates\/|$(?<=template[^/]*)/.test(uri);
  const isV4 = /^bmad:\/\/[^/]+\/agent(?:s|-teams)\//.test(uri);
  const references = referencesIn(text)
    .filter((reference) => !isTemplate || !/^\.\/|^[\w.@+-]+$/.test(reference));
  const all = new Set([...references, ...(isV4 ? dependenciesIn(text) : [])]);
  return new Set(all.values().take(LIMITS.health.referencesPerFile));
}

const EXTENSION = /\.(?:md|mdc|ya?ml|csv|xml|toml|json|txt|py|html)\b/g;
const PATH =
  /(?<![\p{L}\p{N}_@+/}.:-])(?:file:)?((?:\{[\w-]+\}|\.{1,2}|[\p{L}\p{N}_.-]+)(?:\/[\p{L}\p{N}_.@+-]+)*\/[\p{L}\p{N}_.@+-]+\.(?:md|mdc|ya?ml|csv|xml|toml|json|txt|py|html))\b(?![\w/*{}-])/gu;
const LINK = /\]\(([\w.@+-]{1,100}\.(?:md|ya?ml|csv|xml))(?:#[^)\n]{0,100})?\)/g;
const CONFIG_SOURCE = /\{config_source\}/g;
const SKILL_NAME = /\bskill:([a-z][\w-]*[a-z0-9])|^skill\s*=\s*"([\w-]+)"/gm;

export function referencesIn(whole: string): readonly string[] {
  const text = withoutCode(whole);
  const isExample = (at: number) => /\be\.g\.[\s`"',:(]*$/.test(text.slice(Math.max(0, at - 10), at));
  return [
    ...pathsIn(text).filter(({ at, path }) => !isExample(at) && isClaim(path)).map(({ path }) => path),
    ...text.matchAll(LINK).map(([, path]) => path!),
    ...text.matchAll(CONFIG_SOURCE).map(([path]) => path),
    ...text.matchAll(SKILL_NAME).map(([, marked, value]) => SKILL + (marked ?? value)),
  ];
}

/** Only lines with an extension are looked at: most have none, and the pattern is slow. */
function* pathsIn(text: string): Generator<{ readonly at: number; readonly path: string }> {
  let end = 0;
  for (const { index } of text.matchAll(EXTENSION)) {
    if (index < end) continue;
    const begin = text.lastIndexOf("\n", index) + 1;
    end = (text.indexOf("\n", index) + 1) || text.length;
    for (const { index: at, 1: path } of text.slice(begin, end).matchAll(PATH)) {
      yield { at: begin + at, path: path! };
    }
  }
}

const CODE = /^ *```(?:ts|typescript|tsx|js|javascript|jsx|python|bash|sh|diff)\b/;

/** Code samples refer to files of the user's project. */
function withoutCode(text: string): string {
  if (!text.includes("```")) return text;
  let isCode = false;
  return splitLines(text).filter((line) => {
    if (isCode) isCode = !/^ *```\s*$/.test(line);
    else if (CODE.test(line)) isCode = true;
    else return true;
    return false;
  }).join("\n");
}

const OWN = /^(?:\{(?:bmad_folder|root|skill-root|installed_path|workflow_path)\}|\.{1,2})\//;

const CONTENT_FOLDERS = new Set(
  ("agents agent-teams assets checklists data knowledge prompts references resources review-prompts scripts " +
    "steps steps-c steps-e steps-v tasks templates types utils workflows").split(" "),
);

const USERS_OWN = /^(?:(?:custom|_memory|render)\/|config\.user\.toml$)/;

function isClaim(path: string): boolean {
  if (OWN.test(path)) return true;
  const own = path.replace(/^\{project-root\}\//, "");
  const [, first = "", rest = own] = /^([^/]*)\/(.*)$/.exec(own) ?? [];
  if (ROOT_NAMES.includes(first) || /^\.bmad-/.test(first)) return !USERS_OWN.test(rest);
  return !path.startsWith("{") && CONTENT_FOLDERS.has(first);
}

function dependenciesIn(text: string): readonly string[] {
  const found: string[] = [];
  let kind: string | undefined;
  for (const line of splitLines(text)) {
    const [, key] = /^\s*(tasks|templates|checklists|data|utils|workflows):\s*$/.exec(line) ?? [];
    const [, name] = /^\s*- ([\w.-]+)\s*$/.exec(line) ?? [];
    if (key !== undefined) kind = key;
    else if (name === undefined) kind = undefined;
    else if (kind !== undefined) found.push(`{root}/${kind}/${baseName(name)}`);
  }
  return found;
}
