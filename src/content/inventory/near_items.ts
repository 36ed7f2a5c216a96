/**
 * Files that look like items and are none: in a folder for agents, but too deep, under another ending, or without what an
 * agent needs; in a folder whose name is nearly that; or with the name of a skill's file anywhere else.
 *
 * They are served as files. Only the names that readers look for are known here; what they make of a text is seen from
 * their items.
 */
import type { Inventory, Root } from "../../base/model.ts";
import { parseTable } from "../parse.ts";
import { baseName, isUnserved, joinPath, parentPath, type Tree, walkFiles } from "../tree/mod.ts";
import { CONFIG_FOLDERS, FILES_MANIFEST, SKILL_FILE } from "./file_names.ts";
import {
  foldersIn,
  hasFile,
  hasRootName,
  ideFolders,
  isClaimed,
  isRecorded,
  keepsSkills,
  looseSkillIds,
  misspelledRoots,
  modulesIn,
  skillFolders,
} from "./folders.ts";
import { readParsed } from "./layout.ts";
import { findModuleFiles, SAMPLES } from "./module_files.ts";
import { layoutOf } from "./roots.ts";

/** A file that is no item. */
export interface NearItem {
  readonly path: string;
  /** A clause: `a team is teams/NAME.yaml`. */
  readonly reason: string;
}

/** What the items of each folder of a module look like. */
type Forms = Readonly<Record<string, string>>;

const SKILL = "a skill is skills/NAME/SKILL.md";
const FORMS: Forms = {
  agents: "an agent is agents/NAME.md, agents/NAME/NAME.md or agents/NAME.agent.yaml",
  workflows:
    "a workflow is workflows/NAME.yaml or, in a folder, workflow.yaml or NAME-workflow.yaml (or .md)",
  tasks: "a task is tasks/NAME.md or tasks/NAME.xml",
  tools: "a tool is tools/NAME.md or tools/NAME.xml",
  teams: "a team is teams/NAME.yaml",
  skills: SKILL,
};

/** The same in v4, where every item is one file. */
const V4_FORMS: Forms = {
  agents: "an agent is agents/NAME.md",
  workflows: "a workflow is workflows/NAME.yaml",
  tasks: "a task is tasks/NAME.md",
  "agent-teams": "a team is agent-teams/NAME.yaml",
  templates: "a template is templates/NAME.yaml",
  checklists: "a checklist is checklists/NAME.md",
};

/** Why a file with the right name is no item. */
const REJECTED: Forms = {
  agents: "beside an installation it needs front matter to be an agent, or it says that it is not one",
  workflows: "it has no name of its own",
};

/** Files that are items wherever a module has them, and the form of each. */
const MARKED: readonly (readonly [name: RegExp, form: string])[] = [
  [/^skill\.md$/i, SKILL],
  [/^workflow\.(?:ya?ml|md)$/i, FORMS["workflows"]!],
  [/\.agent\.ya?ml$/i, FORMS["agents"]!],
];

/** Endings of texts; other files are the data of something. */
const TEXT = /(?:^[^.]+|\.(?:md|mdx|markdown|txt|ya?ml|json|toml|xml))$/i;
const BACKUP = /(?:~|\.(?:bak|backup|old|orig|rej|save|tmp|sw[op]))$/i;

/** Every such file in the roots whose modules have a folder for each kind of item; undefined for each other file. */
export function* nearItems(tree: Tree, inventory: Inventory): Generator<NearItem | undefined> {
  const { roots, items } = inventory;
  const owned = new Set(items.filter(({ ownsFolder }) => ownsFolder).map(({ folder }) => folder));
  // Those of an agent may also lie beside it.
  const agents = new Set(
    items.filter(({ kind }) => kind === "agent").map(({ file }) => withoutEnding(file)),
  );
  const byStem = new Map(items.map(({ file }) => [withoutEnding(file), file]));
  const scan: Scan = {
    tree,
    taken: new Set(items.map(({ file }) => file)),
    isPart: (path) => owned.has(path) || agents.has(path.replace(/-sidecar$/, "")),
    twinReason: (path) => {
      const twin = byStem.get(withoutEnding(path));
      return twin && `${baseName(twin)} beside it has its name`;
    },
  };
  const byPath = Map.groupBy(roots, ({ path }) => path);
  for (const [path, layouts] of byPath) yield* nearItemsIn(scan, path, layouts);
}

interface Scan {
  readonly tree: Tree;
  /** The files of items. */
  readonly taken: ReadonlySet<string>;
  /** Whether a folder belongs to an item. */
  isPart(path: string): boolean;
  twinReason(path: string): string | undefined;
}

function* nearItemsIn(
  scan: Scan,
  root: string,
  layouts: readonly Root[],
): Generator<NearItem | undefined> {
  const { tree } = scan;
  if (layouts.some(({ generation }) => generation === "v4")) {
    for (const { folder, form, otherCase } of partsIn(tree, root, V4_FORMS)) {
      yield* nearIn(scan, folder, () => otherCase ?? form);
    }
    return;
  }
  if (!layouts.map(layoutOf).some(({ hasKinds, leavesModules }) => hasKinds || leavesModules)) return;
  const listed = listedFiles(tree, root);
  // Without a list of its files, whatever an installer wrote may lie in the folders of its modules.
  const isKnown = listed.size > 0 || layouts.every((root) => layoutOf(root).manifests !== "kinds");
  // In a folder with another name, the user's own files may lie beside what is BMAD's.
  const isWhole = hasRootName(tree, root) || (root !== "" && layouts.some((one) => layoutOf(one).hasKinds));
  const modules = [
    root,
    ...(isWhole
      ? foldersIn(tree, root).filter((folder) => !/^[._]/.test(baseName(folder)))
      : modulesIn(tree, root)),
  ];
  const parts = new Set<string>();
  for (const module of new Set(modules)) {
    const named = new Set(Object.values(findModuleFiles(tree, module)).flat());
    for (const { folder, part, form, otherCase } of partsIn(tree, module, FORMS)) {
      parts.add(folder);
      yield* nearIn(scan, folder, (path) => {
        if (listed.has(path)) return undefined;
        if (named.has(path)) return scan.twinReason(path) ?? REJECTED[part] ?? form;
        return otherCase ?? (isKnown ? scan.twinReason(path) ?? form : undefined);
      });
    }
  }
  if (isKnown && isWhole) yield* strayIn(scan, root, (path) => parts.has(path), listed);
}

/** The folders of items in a module, also under names in another case, which no reader looks for. */
function partsIn(tree: Tree, module: string, forms: Forms) {
  return foldersIn(tree, module).flatMap((folder) => {
    const name = baseName(folder);
    const part = name.toLowerCase();
    const form = Object.hasOwn(forms, part) ? forms[part]! : undefined;
    const otherCase = name === part ? undefined : `its folder must be called ${part}`;
    return form === undefined ? [] : [{ folder, part, form, otherCase }];
  });
}

/** The files of one folder of items. */
function* nearIn(
  { tree, taken, isPart }: Scan,
  folder: string,
  reasonFor: (path: string) => string | undefined,
): Generator<NearItem | undefined> {
  const part = baseName(folder).toLowerCase();
  const skip = (path: string) =>
    isUnserved(baseName(path)) || isPart(path) || (part === "workflows" && SAMPLES.has(baseName(path)));
  for (const path of walkFiles(tree, folder, skip)) {
    const name = baseName(path);
    const isBackup = BACKUP.test(name);
    // A folder of skills has nothing else in it.
    const isText = (part === "skills" && parentPath(path) !== folder) ||
      (TEXT.test(name) && !/^readme/i.test(name));
    const reason = taken.has(path) || !(isText || isBackup)
      ? undefined
      : isBackup
      ? "it looks like a backup copy"
      : reasonFor(path);
    yield reason === undefined ? undefined : { path, reason };
  }
}

const TOO_DEEP = "the folder of its module must lie directly in the BMAD folder";

/** Files in the folders of items of modules that lie too deep, and files whose very name makes them items elsewhere. */
function* strayIn(
  { tree, taken, isPart }: Scan,
  root: string,
  isSeen: (path: string) => boolean,
  listed: ReadonlySet<string>,
): Generator<NearItem | undefined> {
  const skip = (path: string) =>
    isUnserved(baseName(path)) || isPart(path) || isSeen(path) || SAMPLES.has(baseName(path)) ||
    (parentPath(path) === root && /^[._]/.test(baseName(path)));
  const partOf = (path: string) =>
    path.slice(root.length).split("/").slice(0, -1).some((name) => Object.hasOwn(FORMS, name.toLowerCase()));
  for (const path of walkFiles(tree, root, skip)) {
    const name = baseName(path);
    const form = MARKED.find(([pattern]) => pattern.test(name))?.[1];
    const isTooDeep = partOf(path) && ((TEXT.test(name) && !/^readme/i.test(name)) || BACKUP.test(name));
    const reason = taken.has(path) || listed.has(path)
      ? undefined
      : form ?? (isTooDeep ? TOO_DEEP : undefined);
    yield reason === undefined ? undefined : { path, reason };
  }
}

function withoutEnding(file: string): string {
  return file.replace(/\.\w+$/, "");
}

/** The files that an installer wrote into a root; empty if it did not say so. */
function listedFiles(tree: Tree, root: string): ReadonlySet<string> {
  const name = baseName(FILES_MANIFEST);
  const paths = CONFIG_FOLDERS.map((config) => joinPath(root, config, name))
    .flatMap((path) => readParsed(tree, path, parseTable, []) ?? [])
    .map((row) => row["path"] ?? "");
  return new Set(paths.map((path) => joinPath(root, path)));
}

/**
 * Folders that nothing serves, although their names say that they are BMAD's: roots in another case and, among the skills
 * of the coding tools, those without a SKILL.md, and those that an installation beside them does not list, because
 * somebody wrote them or an upgrade left them.
 */
export function leftFolders(tree: Tree, inventory: Inventory): readonly NearItem[] {
  const empty = ideFolders(tree).flatMap((folder) => foldersIn(tree, folder))
    .filter((folder) => isClaimed(baseName(folder)) && skillFolders(tree, folder).next().done)
    .filter((folder) => !hasFile(tree, folder, SKILL_FILE) && !isRecorded(tree, folder));
  return [
    ...misspelledRoots(tree).map((path) => ({ path, reason: `it must be called ${path.toLowerCase()}` })),
    ...empty.map((path) => ({ path, reason: "it has no SKILL.md" })),
    ...unlisted(tree, inventory).map((path) => ({ path, reason: UNLISTED })),
  ];
}

const UNLISTED =
  "the installation does not list it: to serve it, move it into the folder skills of a module; an upgrade may have left it";

function unlisted(tree: Tree, { roots, items, diagnostics }: Inventory): readonly string[] {
  const beside = roots.filter((root) => !layoutOf(root).leavesSkills && layoutOf(root).is === "installation");
  // Some installers put copies and launchers of what is in the root there.
  if (beside.length === 0 || beside.some(({ path }) => keepsSkills(tree, path))) return [];
  const known = new Set([
    ...items.map(({ id }) => id),
    ...diagnostics.map(({ path }) => baseName(path ?? "")),
  ]);
  return ideFolders(tree).flatMap((folder) =>
    looseSkillIds(tree, folder, "project").filter((id) => !known.has(id)).map((id) => joinPath(folder, id))
  );
}
