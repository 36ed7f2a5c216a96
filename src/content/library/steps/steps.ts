/** A project's steps in order: those that help names, else workflows by phase and the commands of v4's agents. */
import { servedFor } from "../../catalog/mod.ts";
import { type HelpStep, readSteps as parseSteps } from "../../inventory/mod.ts";
import { phaseCategory } from "../../../base/generations.ts";
import { CATEGORIES, type Entry, hasKind, isHidden } from "../../../base/model.ts";
import { servedFile } from "../files/files.ts";
import { fileIn, textAt } from "../files/references.ts";
import { moduleCatalogues } from "../delivery/resources.ts";
import { isFlat, type Library, perKey, perLibraryPaced } from "../library.ts";
import { standInOf } from "../standby.ts";
import { listConfigs, resolveModuleConfig } from "../values/config.ts";
import { asText, asValues, type Values } from "../../../base/values.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { findText } from "../../tree/mod.ts";
import { LIMITS } from "../../limits.ts";

interface UnplacedStep {
  readonly entry: Entry;
  readonly help: HelpStep;
  readonly module: string;
}

export interface Step extends UnplacedStep {
  readonly isInPhase: boolean;
  readonly config: Values;
}

export const listSteps = perLibraryPaced(async (library): Promise<readonly Step[]> => {
  const entries = library.visible;
  const standIn = standInOf(library.whole.sources);
  const steps: UnplacedStep[] = [];
  for (const source of library.sources) {
    const found: UnplacedStep[] = [];
    // The steps are those of the release whose skills are served.
    const isLost = standIn?.origins.has(source.origin.id) ?? false;
    const catalogues = moduleCatalogues(source).filter(({ module }) =>
      !(isLost && standIn?.versions.has(module))
    );
    const shared = catalogues.length > 0 || isLost ? undefined : textAt(source, "_config/bmad-help.csv");
    for (const { module, text } of shared === undefined ? catalogues : [{ module: "", text: shared }]) {
      // Embedded content must not speak for a module that is installed in another release.
      if (source.origin.kind === "package" && steps.some((step) => step.module === module)) continue;
      for (const help of await parseSteps(text)) {
        const entry = entryFor(library, help);
        if (entry !== undefined) found.push({ entry, help, module: module || entry.module });
      }
    }
    const isKnown = (one: UnplacedStep) =>
      steps.some(({ module, help }) => module === one.module && help.skill === one.help.skill);
    steps.push(...found.filter((step) => !isKnown(step)));
  }
  const modules = new Set(steps.map(({ module }) => module));
  const all = [
    ...steps,
    ...phaseSteps(entries.filter(({ module }) => !modules.has(module))),
    ...v4Steps(library, entries),
    ...flatSteps(library, entries),
  ];
  return inOrder(await withConfigs(library, all.slice(0, LIMITS.steps.steps)));
});

async function withConfigs(library: Library, steps: readonly UnplacedStep[]): Promise<readonly Step[]> {
  const modules = [...new Set(steps.map(({ module }) => module))];
  const configs = await listConfigs(library, modules);
  // The core's items also write to folders that only a module configures.
  const all: Values = Object.assign({}, ...configs);
  const known = new Map(modules.map((module, at) => [module, { ...all, ...configs[at] }]));
  return steps.map((step) => {
    const isInPhase = !["", "anytime"].includes(step.help.phase);
    return { ...step, isInPhase, config: known.get(step.module)! };
  });
}

function entryFor({ manifest, visible }: Library, { skill, file }: HelpStep): Entry | undefined {
  const path = file.slice(file.indexOf("/") + 1);
  const isMeant = (entry: Entry) => path !== "" && `/${entry.file}`.endsWith(`/${path}`);
  const found = visible.find(({ id }) => id === skill) ?? visible.find(isMeant);
  if (found !== undefined || skill === "") return found;
  const named = manifest.entries.find(({ id }) => id === skill);
  const served = named && servedFor(manifest, named);
  return served === named || served === undefined || isHidden(served) ? undefined : served;
}

function phaseOrder(phase: string): number {
  const category = phaseCategory(phase);
  if (category !== "other") return CATEGORIES.indexOf(category) + 1;
  return /^\d+/.test(phase) ? Number.parseInt(phase) : CATEGORIES.length;
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  const left = steps.filter(({ isInPhase }) => isInPhase)
    .toSorted((a, b) => phaseOrder(a.help.phase) - phaseOrder(b.help.phase));
  const waitsFor = predecessors(left);
  const ordered: Step[] = [];
  while (left.length > 0) {
    // Of steps that wait for each other, the first goes ahead.
    const at = Math.max(0, left.findIndex((step) => waitsFor.get(step)!.size === 0));
    const [next] = left.splice(at, 1);
    ordered.push(next!);
    for (const others of waitsFor.values()) others.delete(next!);
  }
  return [...ordered, ...steps.filter(({ isInPhase }) => !isInPhase)];
}

function predecessors(steps: readonly Step[]): ReadonlyMap<Step, Set<Step>> {
  const bySkill = Map.groupBy(steps, ({ help }) => help.skill);
  const named = (references: string) =>
    [...new Set(references.split(/[,;|]/).map((reference) => reference.trim()))].flatMap((reference) => {
      const [id, of] = reference.split(":");
      return (bySkill.get(id!) ?? []).filter(({ help }) => of === undefined || of === help.action);
    });
  const found = new Map(steps.map((step) => [step, new Set(named(step.help.after))]));
  for (const step of steps) for (const other of named(step.help.before)) found.get(other)!.add(step);
  for (const [step, others] of found) others.delete(step);
  return found;
}

function buildStep(entry: Entry, help: Partial<HelpStep>): UnplacedStep {
  const { module, id: skill } = entry;
  return { entry, module, help: { ...EMPTY, module, skill, ...help } };
}

const EMPTY: Omit<HelpStep, "module" | "skill"> = {
  title: "",
  code: "",
  description: "",
  phase: "",
  after: "",
  before: "",
  required: false,
  outputs: "",
  action: "",
  location: "",
  file: "",
};

/** In the order in which a project runs them, with what they leave. */
const WORKFLOWS: readonly (readonly [names: RegExp, outputs: string, required?: true])[] = [
  [/^(?:create-)?product-brief$/, "product brief"],
  [/^(?:create-)?prd$/, "prd", true],
  [/^(?:create-)?tech-spec$/, "tech spec"],
  [/^create-ux-design$/, "ux design"],
  [/^(?:create-)?architecture$/, "architecture", true],
  [/^create-epics-and-stories$/, "epics", true],
  [/^(?:solutioning-gate-check|check-implementation-readiness)$/, "implementation readiness report"],
  [/^sprint-planning$/, "sprint status", true],
  [/^create-story$/, "", true],
  [/^dev-story$/, "", true],
  [/^code-review$/, ""],
  [/^retrospective$/, "retrospective"],
];

/** As configurations have named them; the output folder holds what has no other. */
const PLANNING_FOLDERS = "planning_artifacts|output_folder";
const BUILDING_FOLDERS = "implementation_artifacts|sprint_artifacts|output_folder";

function phaseSteps(entries: readonly Entry[]): readonly UnplacedStep[] {
  const steps = entries.filter((entry) =>
    entry.generation !== "flat" && hasKind(entry, "workflow") && phaseCategory(entry.phase) !== "other"
  ).map((entry) => {
    const place = WORKFLOWS.findIndex(([names]) => names.test(entry.name));
    return { entry, place: place < 0 ? WORKFLOWS.length : place };
  }).toSorted((a, b) => a.place - b.place).map(({ entry, place }) => {
    const [, outputs = "", required = false] = WORKFLOWS[place] ?? [];
    const { title = entry.name, description, phase = "" } = entry;
    const location = phaseCategory(phase) === "implementation" ? BUILDING_FOLDERS : PLANNING_FOLDERS;
    return buildStep(entry, { title, description, phase, required, location, outputs });
  });
  const modules = new Set(steps.filter(({ help }) => help.required).map(({ module }) => module));
  return steps.filter(({ module }) => modules.has(module));
}

const V4 = "bmad-core";
const ANALYSIS = "1-analysis";
const PLANNING = "2-planning";
const SOLUTIONING = "3-solutioning";
const BUILDING = "4-implementation";

type Place = readonly [section: string, key: string, usual: string];

const PRD: Place = ["prd", "prdFile", "docs/prd.md"];
const ARCHITECTURE: Place = ["architecture", "architectureFile", "docs/architecture.md"];
const PRD_PARTS: Place = ["prd", "prdShardedLocation", "docs/prd"];
const ARCHITECTURE_PARTS: Place = ["architecture", "architectureShardedLocation", "docs/architecture"];
const PARTS = "index|coding standards|tech stack|source tree";

/** By phase; a star marks those that every project needs. */
const COMMANDS: readonly (readonly [
  phase: string,
  agent: string,
  command: string,
  title: string,
  outputs?: string,
  place?: Place,
])[] = [
  [ANALYSIS, "analyst", "create-project-brief", "Project brief", "project brief", PRD],
  [PLANNING, "pm", "create-prd*", "PRD", "prd", PRD],
  [PLANNING, "ux-expert", "create-front-end-spec", "Front-end spec", "front-end spec", PRD],
  [SOLUTIONING, "architect", "create-full-stack-architecture*", "Architecture", "architecture", ARCHITECTURE],
  [SOLUTIONING, "po", "shard-prd*", "Shard the PRD", "index|epic", PRD_PARTS],
  [SOLUTIONING, "po", "shard-prd architecture", "Shard the architecture", PARTS, ARCHITECTURE_PARTS],
  [BUILDING, "sm", "draft*", "Draft the next story"],
  [BUILDING, "po", "validate-story-draft", "Validate a story"],
  [BUILDING, "dev", "develop-story*", "Develop a story"],
  [BUILDING, "qa", "review", "Review a story"],
];

/** None where a newer generation has taken over some of its agents. */
function v4Steps(library: Library, entries: readonly Entry[]): readonly UnplacedStep[] {
  const agents = entries.filter((entry) =>
    entry.generation === "v4" && entry.module === V4 && hasKind(entry, "agent")
  );
  if (agents.length === 0) return [];
  const config = resolveModuleConfig(library, V4);
  const isSharded = asValues(config["prd"])["prdSharded"] !== false;
  const steps = COMMANDS.map(([phase, agent, command, title, outputs = "", place]) => {
    const entry = agents.find(({ id }) => id === agent);
    const code = command.replace("*", "");
    const required = code !== command && (code !== "shard-prd" || isSharded);
    const description = `${title}, command *${code}`;
    const location = place === undefined ? "" : folderIn(config, place);
    return entry &&
      buildStep(entry, { title, code, description, action: code, phase, required, location, outputs });
  });
  return steps.every((step) => step !== undefined) ? steps : [];
}

function folderIn(config: Values, [section, key, usual]: Place): string {
  const path = asText(asValues(config[section])[key]) ?? usual;
  return key.endsWith("File") ? path.slice(0, path.lastIndexOf("/") + 1) : `${path}/`;
}

const helpFiles = perKey((library) => {
  if (!isFlat(library)) return [];
  return library.sources.flatMap((source) => {
    const { modules, mounts } = source.inventory;
    return modules.flatMap(({ code }) => {
      const folder = `${code}/help/`;
      const main = fileIn(source, `${folder}help.md`);
      const others = mounts.filter(({ at }) => at.startsWith(folder)).map(({ path }) => path);
      const paths = new Set(main === undefined ? others : [main.path, ...others]);
      return [...paths].slice(0, LIMITS.helpFiles.count).flatMap((path) => servedFile(source, path) ?? [])
        .filter(({ facts }) => facts.size <= LIMITS.helpFiles.bytes);
    });
  });
});

export function listHelp(library: Library): readonly string[] {
  return [...new Set(helpFiles(library).map(({ uri }) => uri))];
}

function flatSteps(library: Library, entries: readonly Entry[]): readonly UnplacedStep[] {
  const skills = entries.filter((entry) => entry.generation === "flat" && hasKind(entry, "workflow"));
  if (skills.length === 0) return [];
  const ids = new Set(skills.map(({ id }) => id));
  const said = new Map<string, string>();
  for (const { source, path } of helpFiles(library)) {
    for (const line of splitLines(findText(source.tree, path) ?? "").slice(0, LIMITS.steps.helpLines)) {
      for (const [word] of line.slice(0, 2_000).matchAll(/[a-z0-9][\w-]*/gi)) {
        if (ids.has(word)) {
          said.getOrInsert(word, shorten(line.replace(/^[\s#>*-]+/, ""), LIMITS.steps.description));
        }
      }
    }
  }
  const order = [...said.keys()];
  const at = ({ id }: Entry) => said.has(id) ? order.indexOf(id) : order.length;
  return skills.toSorted((a, b) => at(a) - at(b))
    .map((entry) => buildStep(entry, { description: said.get(entry.id) ?? "" }));
}
