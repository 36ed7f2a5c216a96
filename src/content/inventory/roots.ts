/** Which BMAD roots a tree holds, by structure alone. Others never compare a layout's name: they ask for its row. */
import { type Generation, type Root, ROOT_NAMES, type TreeUse } from "../../base/model.ts";
import { baseName, joinPath, type Tree } from "../tree/mod.ts";
import { AGENT_CHANGES, CONFIG_FOLDERS, configFolders, contentsOf, CUSTOM_FILES } from "./folders.ts";
import { flatFolders, folderName, foldersIn, hasFile, hasRootName, holdsAgentSource } from "./folders.ts";
import { holdsModule, ideFolders, installedModules, keepsSkills, looseSkillIds } from "./folders.ts";
import { MODULE_FILE, modulesIn, OLD_MODULE_FILE, PLUGIN_FILE, SKILL_MANIFEST } from "./folders.ts";
import { skillFolders, V3_FILE } from "./folders.ts";

type Roots = readonly Pick<Root, "path" | "layout">[];

type Find = (tree: Tree, use: TreeUse, earlier: Roots) => readonly string[];

export type AuthorFile =
  | "bmod.toml"
  | "config.yaml"
  | "manifest.yaml"
  | "marketplace.json"
  | "module.yaml"
  | "package.json";

export interface LayoutFacts {
  readonly generation: Generation;
  /** Embedded content steps back beside an installation or source; hand-written content overrides its source. */
  readonly is: "installation" | "source" | "hand-written" | "loose skills";
  readonly manifests: "skills" | "kinds" | "none";
  /** Files that may name a module's author; the first that does counts. */
  readonly authorIn: readonly AuthorFile[];
  /** What becomes of its skills when a newer installation is put over an older one. */
  readonly inUpgrade: "replaces" | "is replaced" | "stays";
  /** Whether `config.user.toml` counts; `unsaid`: unless the library has flat skills. */
  readonly userConfig: "read" | "ignored" | "unsaid";
  /** Whether the user may name the folder: of several such roots the newest counts. */
  readonly isFreelyNamed: boolean;
  readonly hasKinds: boolean;
  /** Whether the root may also hold hand-written modules. */
  readonly leavesModules: boolean;
  /** Whether loose skills may lie beside it; other layouts account for the tools' folders. */
  readonly leavesSkills: boolean;
}

const SOURCE = {
  generation: "skills",
  is: "source",
  manifests: "none",
  authorIn: ["module.yaml", "package.json"],
  inUpgrade: "stays",
  userConfig: "unsaid",
  isFreelyNamed: false,
  hasKinds: false,
  leavesModules: false,
  leavesSkills: false,
} as const;
const INSTALLATION = { ...SOURCE, is: "installation", authorIn: ["manifest.yaml", "module.yaml"] } as const;

/** The names are shown in lists and stored in the index of embedded content. */
const LAYOUTS = {
  "installed skills": {
    ...INSTALLATION,
    manifests: "skills",
    inUpgrade: "is replaced",
    userConfig: "read",
    leavesModules: true,
    find: (tree, use) =>
      topFolders(tree).filter((folder) =>
        hasFile(tree, folder, SKILL_MANIFEST) || (use !== "shared" && lostPart(tree, folder).skills)
      ),
  },
  "flat skills": {
    ...INSTALLATION,
    generation: "flat",
    authorIn: ["bmod.toml"],
    inUpgrade: "replaces",
    userConfig: "ignored",
    leavesSkills: true,
    find: flatFolders,
  },
  "compiled": {
    ...INSTALLATION,
    generation: "v6",
    manifests: "kinds",
    isFreelyNamed: true,
    hasKinds: true,
    find: (tree, use) =>
      topFolders(tree).filter((folder) =>
        isCompiled(tree, folder) || (use !== "shared" && lostPart(tree, folder).compiled)
      ),
  },
  "source tree": {
    ...SOURCE,
    find: (tree) =>
      sourceFolders(tree).filter((folder) => isModuleSource(tree, folder))
        .filter((folder) => skillFolders(tree, folder).next().done === false),
  },
  "source modules": {
    ...SOURCE,
    generation: "v6",
    find: (tree) =>
      sourceFolders(tree).filter((folder) =>
        (isModuleSource(tree, folder) && holdsModule(tree, folder)) || holdsAgentSource(tree, folder)
      ),
  },
  "v4": {
    ...INSTALLATION,
    generation: "v4",
    authorIn: ["config.yaml", "package.json"],
    leavesSkills: true,
    find: findV4,
  },
  "v3": {
    ...INSTALLATION,
    generation: "v3",
    authorIn: [],
    leavesSkills: true,
    find: (tree) => ["", "bmad-agent"].filter((folder) => hasFile(tree, folder, V3_FILE)),
  },
  "hand-written": {
    ...SOURCE,
    generation: "v6",
    is: "hand-written",
    authorIn: ["module.yaml"],
    hasKinds: true,
    leavesSkills: true,
    find: findHandWritten,
  },
  "plugin": {
    ...SOURCE,
    authorIn: ["marketplace.json"],
    find: (tree, _, earlier) => earlier.length === 0 && hasFile(tree, "", PLUGIN_FILE) ? [""] : [],
  },
  "loose skills": {
    ...SOURCE,
    is: "loose skills",
    authorIn: [],
    inUpgrade: "is replaced",
    find: findLooseSkills,
  },
} satisfies Readonly<Record<string, LayoutFacts & { readonly find: Find }>>;

export type LayoutName = keyof typeof LAYOUTS;

export const LAYOUT_NAMES = Object.keys(LAYOUTS) as readonly LayoutName[];

export function layoutOf({ layout }: Pick<Root, "layout">): LayoutFacts {
  return LAYOUTS[layout as LayoutName];
}

export interface FoundRoot {
  readonly path: string;
  readonly layout: LayoutName;
}

export function* findRoots(tree: Tree, use: TreeUse): Generator<FoundRoot> {
  const found: FoundRoot[] = [];
  for (const layout of LAYOUT_NAMES) {
    const roots = LAYOUTS[layout].find(tree, use, found).map((path) => ({ path, layout }));
    found.push(...roots);
    yield* roots;
  }
}

function topFolders(tree: Tree): readonly string[] {
  return ["", ...foldersIn(tree, "")];
}

function isCompiled(tree: Tree, folder: string): boolean {
  return CONFIG_FOLDERS.map((config) => joinPath(folder, config)).some((config) =>
    hasFile(tree, config, "agent-manifest.csv") || hasFile(tree, config, "workflow-manifest.csv") ||
    (hasFile(tree, config, "manifest.yaml") && !hasFile(tree, folder, SKILL_MANIFEST) &&
      !lostPart(tree, folder).skills)
  );
}

function lostPart(tree: Tree, root: string): { readonly skills?: boolean; readonly compiled?: boolean } {
  if (!ROOT_NAMES.includes(root) || hasFile(tree, root, SKILL_MANIFEST)) return {};
  const modules = installedModules(tree, root);
  if (modules.length === 0) return {};
  const hasManifest = (name: string) =>
    CONFIG_FOLDERS.some((config) => hasFile(tree, joinPath(root, config), name));
  const isMixed = keepsSkills(tree, root);
  const isOfSkills = !hasManifest("workflow-manifest.csv") &&
    ideFolders(tree).some((folder) => looseSkillIds(tree, folder, "project").length > 0);
  return {
    skills: isMixed || isOfSkills,
    compiled: (isMixed || !isOfSkills) && !hasManifest("manifest.yaml") &&
      modules.some((folder) => holdsModule(tree, folder)),
  };
}

function isModuleSource(tree: Tree, folder: string): boolean {
  return hasFile(tree, folder, MODULE_FILE) || hasFile(tree, folder, OLD_MODULE_FILE);
}

/** Sources of modules lie at the top, in `src`, `skills` or `src/modules`, never in a BMAD folder. */
function sourceFolders(tree: Tree): readonly string[] {
  const isBmad = (folder: string) => hasRootName(tree, folder) && isCertain(folderName(tree, folder));
  if (isBmad("")) return [];
  const inner = ["", "src", "src/modules"].flatMap((folder) => foldersIn(tree, folder));
  // The modules of an installation look like sources.
  return [...new Set(["", "src", "skills", ...inner])].filter((folder) =>
    folder === "" || !(isCompiled(tree, folder) || isBmad(folder))
  );
}

const V4_MARKS = ["install-manifest.yaml", "core-config.yaml", "core-config.yml"];
const V4_FOLDERS: Readonly<Record<string, RegExp>> = {
  "agent-teams": /\.ya?ml$/,
  templates: /-tmpl\.(?:ya?ml|md)$/,
  checklists: /-checklist\.md$/,
};

function findV4(tree: Tree, use: TreeUse): readonly string[] {
  const packs = foldersIn(tree, "expansion-packs");
  const roots = ["", ...foldersIn(tree, ""), ...packs]
    .filter((folder) => folder === "" || /^\.?bmad-[a-z0-9-]+$/.test(baseName(folder)))
    .filter((folder) => isV4(tree, folder, use));
  // In the source, `common` holds what core and packs share.
  return roots.includes("bmad-core") && tree.list("common/tasks").length > 0 ? [...roots, "common"] : roots;
}

function isV4(tree: Tree, root: string, use: TreeUse): boolean {
  const holds = (folder: string) => tree.list(joinPath(root, folder)).length > 0;
  if (!tree.list(joinPath(root, "agents")).some((item) => item.name.endsWith(".md"))) return false;
  if (V4_MARKS.some((mark) => hasFile(tree, root, mark))) return true;
  if (root !== "") {
    return hasFile(tree, root, "config.yaml") || holds("tasks") || Object.keys(V4_FOLDERS).some(holds);
  }
  // Other projects and hand-written content have these folders too.
  return use === "named"
    ? Object.entries(V4_FOLDERS).some(([folder, pattern]) =>
      tree.list(folder).some(({ name }) => pattern.test(name))
    )
    : hasFile(tree, root, "config.yaml") && holds("agent-teams");
}

function findHandWritten(tree: Tree, use: TreeUse, earlier: Roots): readonly string[] {
  const isRoot = (path: string) => {
    const known = earlier.filter((root) => root.path === path);
    if (known.some((root) => !layoutOf(root).leavesModules)) return false;
    return modulesIn(tree, path).length > 0 ||
      (known.length === 0 &&
        (holdsValues(tree, path) || (isCertain(path) && contentsOf(tree, path).length > 0)));
  };
  const named = use === "shared"
    ? []
    : foldersIn(tree, "").filter((folder) => hasRootName(tree, folder)).filter(isRoot);
  // A named folder is itself a root only if it holds no other.
  const isWhole = use === "named" && earlier.length === 0 && named.length === 0;
  if (!isWhole) return named;
  return modulesIn(tree, "").length > 0 ||
      (hasRootName(tree, "") && (holdsValues(tree, "") || contentsOf(tree, "").length > 0))
    ? [""]
    : [];
}

/** A project's own code may lie in `bmad`. */
function isCertain(root: string): boolean {
  return root !== "bmad";
}

function holdsValues(tree: Tree, root: string): boolean {
  return tree.list(root).some(({ name }) => CUSTOM_FILES.includes(name)) ||
    configFolders(tree, root).length > 0 ||
    CONFIG_FOLDERS.some((folder) =>
      tree.list(joinPath(root, folder, "agents")).some(({ name }) => name.endsWith(AGENT_CHANGES))
    );
}

function findLooseSkills(tree: Tree, use: TreeUse, earlier: Roots): readonly string[] {
  if (earlier.some((root) => !layoutOf(root).leavesSkills)) return [];
  const folders = earlier.length === 0 ? ["", ...ideFolders(tree)] : ideFolders(tree);
  return folders.filter((folder) => looseSkillIds(tree, folder, use).length > 0);
}
