/**
 * Reference closure: does everything that the served texts tell a reader to open exist?
 *
 * A path counts as a reference when it claims to be content: it begins with a variable or a folder that stands for
 * BMAD's own files, with `./` or `../`, or with the name of a folder that things keep their files in. What a user's
 * project will hold (`{planning_artifacts}/prd.md`, `docs/prd.md`), patterns and names with a gap to be filled
 * (`{slug}`) are no references.
 */
import { resolveName } from "../../catalog/mod.ts";
import { ROOT_NAMES } from "../../../base/model.ts";
import { baseName, decodeText } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { isGenerated } from "../generated/resources.ts";
import { type Library, perLibraryPaced } from "../library.ts";
import { forEachPaced } from "../../../base/work.ts";
import { findFile } from "../files/references.ts";

/** A reference that leads nowhere. */
export interface DeadReference {
  /** As the text spells it. */
  readonly reference: string;
  /** The URI of the file that holds it. */
  readonly uri: string;
  /** The id of the origin of that file. */
  readonly origin: string;
}

/** What a look at every reference showed. */
export interface Closure {
  /** How many references there are; one that a file makes twice counts once. */
  readonly references: number;
  /** Those that lead nowhere. */
  readonly dead: readonly DeadReference[];
}

/** Looks at every reference in every served text. Reads all of them, so it is not for the way of a start. */
export const checkReferences = perLibraryPaced(async (library, work): Promise<Closure> => {
  const dead: DeadReference[] = [];
  let references = 0;
  await forEachPaced(listFiles(library), { name: "Checking references", stride: 128 }, work, (file) => {
    for (const reference of referencesOf(file)) {
      references++;
      if (leadsSomewhere(library, reference, file)) continue;
      dead.push({ reference, uri: file.uri, origin: file.holding.origin.id });
    }
  });
  return { references, dead };
});

function leadsSomewhere(library: Library, reference: string, from: ServedFile): boolean {
  if (!reference.startsWith(SKILL)) {
    return findFile(library, reference, from) !== undefined || isGenerated(library, reference, from);
  }
  return resolveName(library.manifest.entries, { name: reference.slice(SKILL.length) }).outcome === "found";
}

const SKILL = "skill:";

/** What a served file refers to, each once. Programs and pages are not read: only texts for a reader are. */
function referencesOf(file: ServedFile): ReadonlySet<string> {
  if (!/\.(md|mdc|ya?ml|xml|csv|toml|txt)$/i.test(file.path)) return new Set();
  const whole = decodeText(file.holding.tree.read(file.path)) ?? "";
  // What a setting could be is said in comments.
  const text = /\.(toml|ya?ml)$/.test(file.path) ? whole.replaceAll(/^[ \t]*#.*$/gm, "") : whole;
  // A link in a template is one of the document that it becomes.
  const isTemplate = /(?:^|\/)templates\/|template[^/]*$/.test(file.path);
  const isV4 = /^bmad:\/\/[^/]+\/agent(?:s|-teams)\//.test(file.uri);
  const references = referencesIn(text).filter((reference) =>
    !isTemplate || !/^\.\/|^[\w.@+-]+$/.test(reference)
  );
  return new Set([...references, ...(isV4 ? dependenciesIn(text) : [])]);
}

/** A path with an ending that a reader can open. */
const PATH =
  /(?<![\p{L}\p{N}_@+/}.:-])(?:file:)?((?:\{[\w-]+\}|\.{1,2}|[\p{L}\p{N}_.-]+)(?:\/[\p{L}\p{N}_.@+-]+)*\/[\p{L}\p{N}_.@+-]+\.(?:md|mdc|ya?ml|csv|xml|toml|json|txt|py|html))\b(?![\w/*{}-])/gu;
const LINK = /\]\(([\w.@+-]{1,100}\.(?:md|ya?ml|csv|xml))(?:#[^)\n]{0,100})?\)/g;
const CONFIG_SOURCE = /\{config_source\}/g;
const SKILL_NAME = /\bskill:([a-z][\w-]*[a-z0-9])|^skill\s*=\s*"([\w-]+)"/gm;

/** The references in a text, as it spells them. */
export function referencesIn(whole: string): readonly string[] {
  const text = withoutCode(whole);
  return [
    ...text.matchAll(PATH).filter(({ index }) => !isExample(text, index)).map(([, path]) => path!).filter(
      isClaim,
    ),
    ...text.matchAll(LINK).map(([, path]) => path!),
    ...text.matchAll(CONFIG_SOURCE).map(([path]) => path),
    ...text.matchAll(SKILL_NAME).map(([, marked, value]) => SKILL + (marked ?? value)),
  ];
}

const CODE = /^ *```(?:ts|typescript|tsx|js|javascript|jsx|python|bash|sh|diff)\b/;
const FENCE = /^ *```\s*$/;

/** A text without its samples of code, which refer to files of the project that the code is for. */
function withoutCode(text: string): string {
  let isCode = false;
  return text.split("\n").filter((line) => {
    if (isCode) isCode = !FENCE.test(line);
    else if (CODE.test(line)) isCode = true;
    else return true;
    return false;
  }).join("\n");
}

function isExample(text: string, at: number): boolean {
  return /\be\.g\.[\s`"',:(]*$/.test(text.slice(Math.max(0, at - 10), at));
}

/** Variables for BMAD's own folders. */
const OWN = /^\{(?:bmad_folder|root|skill-root|installed_path|workflow_path)\}\//;

/** Folders in which things of some generation keep their files. */
const CONTENT_FOLDERS = new Set(
  ("agents agent-teams assets checklists data knowledge prompts references resources review-prompts scripts " +
    "steps steps-c steps-e steps-v tasks templates types utils workflows").split(" "),
);

/** Folders of a root that hold what users and their agents write. */
const USERS_OWN = /^(?:(?:custom|_memory|render)\/|config\.user\.toml$)/;

function isClaim(path: string): boolean {
  if (OWN.test(path) || path.startsWith("./") || path.startsWith("../")) return true;
  const [first, rest] = splitFirst(path.replace(/^\{project-root\}\//, ""));
  if (ROOT_NAMES.includes(first) || /^\.bmad-/.test(first)) return !USERS_OWN.test(rest);
  return !path.startsWith("{") && CONTENT_FOLDERS.has(first);
}

function splitFirst(path: string): readonly [string, string] {
  const at = path.indexOf("/");
  return [path.slice(0, at), path.slice(at + 1)];
}

/** The files that a v4 agent or team names by kind: `dependencies`, then `tasks`, then a list of bare names. */
function dependenciesIn(text: string): readonly string[] {
  const found: string[] = [];
  let kind: string | undefined;
  for (const line of text.split("\n")) {
    const [, key] = /^\s*(tasks|templates|checklists|data|utils|workflows):\s*$/.exec(line) ?? [];
    const [, name] = /^\s*- ([\w.-]+)\s*$/.exec(line) ?? [];
    if (key !== undefined) kind = key;
    else if (name === undefined) kind = undefined;
    else if (kind !== undefined) found.push(`{root}/${kind}/${baseName(name)}`);
  }
  return found;
}
