/** Files that look like items but are not, and why: they are served as files. */
import type { Inventory, Root } from "../../base/model.ts";
import { parseTable } from "../parse.ts";
import {
  baseName,
  cacheListings,
  isUnserved,
  joinPath,
  parentPath,
  type Tree,
  walkFiles,
} from "../tree/mod.ts";
import { CONFIG_FOLDERS, FILES_MANIFEST, findModuleFiles, foldersIn, hasFile } from "./folders.ts";
import { hasRootName, ideFolders, isClaimed, isRecorded, keepsSkills, looseSkillIds } from "./folders.ts";
import { misspelledRoots, modulesIn, SAMPLES, SKILL_FILE, skillFolders } from "./folders.ts";
import { readParsed } from "./layout.ts";
import { layoutOf } from "./roots.ts";

type NearItem = Readonly<Record<"path" | "reason", string>>;

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

const V4_FORMS: Forms = {
  agents: "an agent is agents/NAME.md",
  workflows: "a workflow is workflows/NAME.yaml",
  tasks: "a task is tasks/NAME.md",
  "agent-teams": "a team is agent-teams/NAME.yaml",
  templates: "a template is templates/NAME.yaml",
  checklists: "a checklist is checklists/NAME.md",
};

const REJECTED: Forms = {
  agents: "beside an installation it needs front matter to be an agent, or it says that it is not one",
  workflows: "it has no name of its own",
};

const MARKED: readonly (readonly [name: RegExp, form: string])[] = [
  [/^skill\.md$/i, SKILL],
  [/^workflow\.(?:ya?ml|md)$/i, FORMS["workflows"]!],
  [/\.agent\.ya?ml$/i, FORMS["agents"]!],
];

const TEXT = /(?:^[^.]+|\.(?:md|mdx|markdown|txt|ya?ml|json|toml|xml))$/i;
const BACKUP = /(?:~|\.(?:bak|backup|old|orig|rej|save|tmp|sw[op]))$/i;

interface Walk {
  readonly folder: string;
  skip(path: string): boolean;
  reasonFor(path: string): string | undefined;
}

export function* nearItems(whole: Tree, { roots, items }: Inventory): Generator<NearItem | undefined> {
  const tree = cacheListings(whole);
  const taken = new Set(items.map(({ file }) => file));
  const owned = new Set(items.filter(({ ownsFolder }) => ownsFolder).map(({ folder }) => folder));
  const agents = new Set(items.filter(({ kind }) => kind === "agent").map(({ file }) => withoutEnding(file)));
  const byStem = new Map(items.map(({ file }) => [withoutEnding(file), file]));
  const twinReason = (path: string) => {
    const twin = byStem.get(withoutEnding(path));
    return twin && `${baseName(twin)} beside it has its name`;
  };
  for (const [root, layouts] of Map.groupBy(roots, ({ path }) => path)) {
    for (const { folder, skip, reasonFor } of walksIn(tree, root, layouts, twinReason)) {
      const isLeftOut = (path: string) =>
        // An agent's own files may lie beside it.
        isUnserved(baseName(path)) || owned.has(path) || agents.has(path.replace(/-sidecar$/, "")) ||
        skip(path);
      for (const path of walkFiles(tree, folder, isLeftOut)) {
        const reason = taken.has(path) ? undefined : reasonFor(path);
        yield reason === undefined ? undefined : { path, reason };
      }
    }
  }
}

function* walksIn(
  tree: Tree,
  root: string,
  layouts: readonly Root[],
  twinReason: Walk["reasonFor"],
): Generator<Walk> {
  if (layouts.some(({ generation }) => generation === "v4")) {
    for (const { folder, form, otherCase } of partsIn(tree, root, V4_FORMS)) {
      yield partWalk(folder, () => otherCase ?? form);
    }
    return;
  }
  if (!layouts.map(layoutOf).some(({ hasKinds, leavesModules }) => hasKinds || leavesModules)) return;
  const listed = listedFiles(tree, root);
  // Without a list of files, anything in the module folders may be the installer's.
  const isKnown = listed.size > 0 || layouts.every((root) => layoutOf(root).manifests !== "kinds");
  // In a folder with another name, the user's own files may lie beside BMAD's.
  const isWhole = hasRootName(tree, root) || (root !== "" && layouts.some((one) => layoutOf(one).hasKinds));
  const modules = isWhole
    ? foldersIn(tree, root).filter((folder) => !/^[._]/.test(baseName(folder)))
    : modulesIn(tree, root);
  const parts = new Set<string>();
  for (const module of new Set([root, ...modules])) {
    const named = new Set(Object.values(findModuleFiles(tree, module)).flat());
    for (const { folder, part, form, otherCase } of partsIn(tree, module, FORMS)) {
      parts.add(folder);
      yield partWalk(folder, (path) => {
        if (listed.has(path)) return undefined;
        if (named.has(path)) return twinReason(path) ?? REJECTED[part] ?? form;
        return otherCase ?? (isKnown ? twinReason(path) ?? form : undefined);
      });
    }
  }
  if (isKnown && isWhole) yield strayWalk(root, parts, listed);
}

function partsIn(tree: Tree, module: string, forms: Forms) {
  return foldersIn(tree, module).flatMap((folder) => {
    const name = baseName(folder);
    const part = name.toLowerCase();
    const form = Object.hasOwn(forms, part) ? forms[part]! : undefined;
    const otherCase = name === part ? undefined : `its folder must be called ${part}`;
    return form === undefined ? [] : [{ folder, part, form, otherCase }];
  });
}

function partWalk(folder: string, reasonFor: Walk["reasonFor"]): Walk {
  const part = baseName(folder).toLowerCase();
  return {
    folder,
    skip: (path) => part === "workflows" && SAMPLES.has(baseName(path)),
    reasonFor: (path) => {
      if (BACKUP.test(path)) return "it looks like a backup copy";
      // A folder of skills has nothing else in it.
      const isMeant = (part === "skills" && parentPath(path) !== folder) || isText(path);
      return isMeant ? reasonFor(path) : undefined;
    },
  };
}

function isText(path: string): boolean {
  return TEXT.test(baseName(path)) && !/^readme/i.test(baseName(path));
}

const TOO_DEEP = "the folder of its module must lie directly in the BMAD folder";

function strayWalk(root: string, parts: ReadonlySet<string>, listed: ReadonlySet<string>): Walk {
  const isInPart = (path: string) =>
    path.slice(root.length).split("/").slice(0, -1).some((name) => Object.hasOwn(FORMS, name.toLowerCase()));
  return {
    folder: root,
    skip: (path) =>
      parts.has(path) || SAMPLES.has(baseName(path)) ||
      (parentPath(path) === root && /^[._]/.test(baseName(path))),
    reasonFor: (path) => {
      if (listed.has(path)) return undefined;
      const form = MARKED.find(([pattern]) => pattern.test(baseName(path)))?.[1];
      return form ?? (isInPart(path) && (isText(path) || BACKUP.test(path)) ? TOO_DEEP : undefined);
    },
  };
}

function withoutEnding(file: string): string {
  return file.replace(/\.\w+$/, "");
}

function listedFiles(tree: Tree, root: string): ReadonlySet<string> {
  const name = baseName(FILES_MANIFEST);
  const paths = CONFIG_FOLDERS.map((config) => joinPath(root, config, name))
    .flatMap((path) => readParsed(tree, path, parseTable, []) ?? [])
    .map((row) => row["path"] ?? "");
  return new Set(paths.map((path) => joinPath(root, path)));
}

export function leftFolders(whole: Tree, inventory: Inventory): readonly NearItem[] {
  const tree = cacheListings(whole);
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
