import type { CONTEXT_SECTIONS } from "../../../base/model.ts";
import { pickFields } from "../../../base/values.ts";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  parseTable,
  parseYaml,
  type Values,
} from "../../../content/parse.ts";
import { labelsIn, type Line, plainWords } from "../../../base/markdown.ts";
import {
  type Chapter,
  chaptersOf,
  type Decision,
  LABELLED,
  pointsOf,
  readDecisions,
  type Row,
  rowsOf,
  textsOf,
  type Topic,
} from "./documents.ts";
import { dayOf, newestFirst, type Remembered, type RememberedPart, titleOf } from "./records.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";

export type ContextSection = typeof CONTEXT_SECTIONS[number];

export type ProjectContext = ReturnType<typeof readContext>;

export function readContext(
  project: ProjectFolder,
  served: readonly Row[] = [],
  remembered: readonly RememberedPart[] = [],
) {
  const { bases, clean } = project;
  const [settingsFile, sharedFile, decisionsFile, manifestFile] = [
    ["project-context.yaml", ...memoryPaths(project, "project-context.yaml")],
    memoryPaths(project, "shared-context.md"),
    memoryPaths(project, "decisions-log.md"),
    bases.flatMap((base) => ["_config", "_cfg"].map((folder) => `${base}/${folder}/agent-manifest.csv`)),
  ].map((paths) => findFile(project, paths));
  const files = [settingsFile, sharedFile, decisionsFile, manifestFile].filter((file) => file !== undefined);
  const yaml = parseYaml(settingsFile?.text ?? "");
  const settings = clean.values(yaml.value);
  const chapters = chaptersOf(clean.text(sharedFile?.text ?? ""));
  const about = (topic: Topic) => chapters.filter((chapter) => chapter.topic === topic);
  const facts = factsOf(settings, about("project"));
  const { decisions, notes } = readDecisions(clean.text(decisionsFile?.text ?? ""), wordsIn(facts.project));
  const agents = agentsOf(settings, about("agents"), clean.text(manifestFile?.text ?? ""));
  const memories = remembered.flatMap((part) => part.memories);
  const decided = memories.filter(({ type }) => type === "decisions").map(asDecision);
  const problems = [
    ...files.map((file) => {
      const problem = file.problem ?? (file === settingsFile ? yaml.problem : undefined);
      return problem && `${file.path}: ${problem}`;
    }),
    ...remembered.map(({ problem }) => problem),
  ];
  return {
    files: files.map(({ path }) => path),
    problems: [...new Set(problems)].filter((problem) => problem !== undefined),
    ...facts,
    stack: stackOf(settings, about("stack")),
    agents: withServed(agents, served),
    decisions: [...decisions, ...decided].sort(newestFirst),
    decisionNotes: notes,
    architecture: textsOf(about("architecture")),
    conventions: pointsOf(about("conventions")),
    watchPoints: pointsOf(about("watchPoints")),
    requests: pointsOf(about("requests")),
    others: textsOf(about("others")),
    settings: restOf(settings),
    remembered: memories.filter(({ type }) => type === "shared-context"),
    chapters,
  };
}

export function wordsIn({ name }: Values): readonly string[] {
  return plainWords(asText(name) ?? "").split(" ");
}

export function readAgents(project: ProjectFolder) {
  return readContext(project).agents.map(({ name = "", displayName }) => ({
    name: plainName(name),
    ...(displayName !== undefined && { displayName: plainName(displayName) }),
  })).filter(({ name }) => name !== "");
}

function plainName(cell: string): string {
  return /[\p{L}\p{N}].*[\p{L}\p{N}]|[\p{L}\p{N}]/u.exec(cell.slice(0, 100))?.[0] ?? "";
}

function withServed(agents: readonly Row[], served: readonly Row[]): readonly Row[] {
  const keyOf = ({ name = "" }: Row) => plainName(name).toLowerCase();
  const byName = new Map(served.map((agent) => [keyOf(agent), agent]));
  const known = agents.map((agent) => ({ ...byName.get(keyOf(agent)), ...agent }));
  const listed = new Set(known.map(keyOf));
  return [...known, ...served.filter((agent) => !listed.has(keyOf(agent)))];
}

const LABELS: ReadonlyMap<string, string> = new Map([
  ["nom", "name"],
  ["depot", "repository"],
  ["domaine", "domain"],
  ...["name", "description", "type", "repository", "domain"].map((name) => [name, name] as const),
]);

function factsOf(settings: Values, chapters: readonly Chapter[]) {
  const written = chapters.flatMap(({ lines }) => labelsIn(lines.filter(isFact())))
    .filter(([, value]) => value !== "")
    .map(([label, value]) => [LABELS.get(plainWords(label)) ?? label, value]);
  const { stack: _, ...project } = mapOf(settings["project"]);
  const session = { branch: settings["session_branch"], runsDirectory: settings["runs_directory"] };
  // Where both files name a fact and disagree, both are shown.
  const facts = Map.groupBy(written, ([label]) => label!).entries().map(([label, own]) => {
    const value = [...new Set(own.map(([, value]) => value!))].join("; ");
    return [
      label in project && asText(project[label]) !== value ? `${label} (shared-context.md)` : label,
      value,
    ];
  });
  return {
    project: { ...Object.fromEntries(facts), ...project },
    user: mapOf(settings["user"]),
    session: pickFields(session, (_, value) => asText(value) !== undefined),
  };
}

/** Whether lines, one after the other, belong to a labelled one: up to the next blank line. */
function isFact(): (line: Line) => boolean {
  let isOpen = false;
  return ({ text, isCode }) => isOpen = text.trim() !== "" && (isOpen || (!isCode && LABELLED.test(text)));
}

function mapOf(value: unknown): Values {
  const name = asText(value);
  return name === undefined ? asValues(value) : { name };
}

const STACK_BLOCKS = ["stack", "infrastructure", "kubernetes", "monitoring", "cicd", "security"];

function stackOf(settings: Values, chapters: readonly Chapter[]) {
  const stack = asValues(settings["project"])["stack"];
  const technologies = asTexts(stack);
  const isPlain = technologies.length === (Array.isArray(stack) ? stack.length : 1);
  const blocks: Values = { ...settings, technologies: isPlain ? undefined : stack };
  const keys = ["technologies", ...STACK_BLOCKS].filter((key) => blocks[key] !== undefined);
  return {
    technologies: isPlain ? technologies : [],
    layers: rowsOf(chapters),
    settings: Object.fromEntries(keys.map((key) => [key, blocks[key]])) as Values,
  };
}

function restOf(settings: Values): Values {
  const isShown = (key: string, value: unknown) =>
    STACK_BLOCKS.includes(key) ||
    (asText(value) !== undefined && ["project", "user", "session_branch", "runs_directory"].includes(key)) ||
    (isValues(value) && ["project", "user"].includes(key));
  return pickFields(settings, (key, value) => !isShown(key, value));
}

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ["agent", "name"],
  ["nom", "displayName"],
  ["name", "displayName"],
  ["icone", "icon"],
  ["icon", "icon"],
  ["domaine", "domain"],
  ["domain", "domain"],
]);

export function isAgentRow(row: Row): boolean {
  return Object.entries(row).some(([key, cell]) =>
    COLUMNS.get(plainWords(key)) === "name" && cell.trim() !== ""
  );
}

function agentsOf(settings: Values, chapters: readonly Chapter[], manifest: string): readonly Row[] {
  const custom = asValues(settings["agents"])["custom_agents"];
  const columnOf = (key: string) => COLUMNS.get(plainWords(key)) ?? key;
  const textOf = (value: unknown) => asTexts(value).join(", ");
  const agents: Row[] = parseTable(manifest).value.map(filledRow).map((row) => ({
    ...row,
    name: row["name"] ?? Object.values(row)[0] ?? "",
  }));
  const rows: readonly Row[] = [
    ...rowsOf(chapters).map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, cell]) => [columnOf(key), cell]))
    ),
    ...(Array.isArray(custom) ? custom : []).map((agent) =>
      Object.fromEntries(Object.entries(asValues(agent)).map(([key, value]) => [key, textOf(value)]))
    ),
  ];
  const places = new Map(agents.map(({ name = "" }, at) => [name, at] as const).reverse());
  for (const row of rows.map(filledRow)) {
    const name = row["name"]?.trim();
    if (!name) continue;
    const at = places.get(name);
    if (at === undefined) places.set(name, agents.push({ ...row, name }) - 1);
    else agents[at] = { ...agents[at], ...row, ...agents[at] };
  }
  return agents.filter(({ name }) => name !== "");
}

function filledRow(row: Row): Row {
  return pickFields(row, (_, value) => value.trim() !== "");
}

function asDecision({ text, tags, createdAt }: Remembered): Decision {
  const { title, rest } = titleOf(text);
  const isArchitectural = /\[ARCH\]/i.test(text) || tags.some((tag) => /^arch(?:itecture)?$/i.test(tag));
  return { ...dayOf(createdAt), title, text: rest, isArchitectural, source: "memory" };
}
