/**
 * What a project is: its stack, agents, decisions and architecture, as the kit's files describe them.
 *
 * project-context.yaml has settings, shared-context.md the team's notes under French or English headings,
 * decisions-log.md the decisions and agent-manifest.csv the agents. Any of them may be missing or have another name.
 * Placeholders that a template left open are skipped. context_report.ts puts the result into words.
 */
import type { CONTEXT_SECTIONS } from "../../base/model.ts";
import { asText, asTexts, asValues, parseTable, parseYaml, type Values } from "../../content/parse.ts";
import { newestFirst } from "./dates.ts";
import {
  bodyOf,
  labelsIn,
  plainWords,
  pointsIn,
  type Section,
  sectionsOf,
  tablesIn,
} from "../../base/markdown.ts";
import { findFile, memoryPaths, type ProjectFolder } from "./project_folder.ts";

export type ContextSection = typeof CONTEXT_SECTIONS[number];

type Row = Readonly<Record<string, string>>;

export interface Decision {
  readonly date: string;
  readonly title: string;
  readonly text: string;
  readonly isArchitectural: boolean;
}

export interface ProjectContext {
  readonly files: readonly string[];
  readonly problems: readonly string[];
  readonly project: Values;
  readonly user: Values;
  readonly session: Values;
  readonly stack: {
    readonly technologies: readonly string[];
    readonly layers: readonly Row[];
    /** Blocks of settings such as infrastructure or monitoring. */
    readonly settings: Values;
  };
  readonly agents: readonly Row[];
  /** The latest first. */
  readonly decisions: readonly Decision[];
  readonly architecture: Row;
  readonly conventions: readonly string[];
  readonly watchPoints: readonly string[];
  /** What agents ask of each other. */
  readonly requests: readonly string[];
  /** All other chapters, by heading. */
  readonly others: Row;
}

export function readContext(project: ProjectFolder): ProjectContext {
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
  return {
    files: files.map(({ path }) => path),
    problems: files.flatMap((file) => {
      const problem = file.problem ?? (file === settingsFile ? yaml.problem : undefined);
      return problem === undefined ? [] : [`${file.path}: ${problem}`];
    }),
    ...factsOf(settings, chapters),
    stack: stackOf(settings, chapters),
    agents: agentsOf(settings, chapters, clean.text(manifestFile?.text ?? "")),
    decisions: parseDecisions(clean.text(decisionsFile?.text ?? "")),
    architecture: bodiesOf(chapters.get("architecture")),
    conventions: filledPoints(chapters.get("conventions")),
    watchPoints: filledPoints(chapters.get("watchPoints")),
    requests: filledPoints(chapters.get("requests")),
    others: bodiesOf(chapters.get("others")),
  };
}

/** How headings of shared-context.md begin, in French and English, by topic. */
const TOPICS = {
  project: /^(?:projet|project)\b/,
  stack: /^(?:stack|tech|infrastructure)/,
  requests: /^(?:requetes|inter agent)/,
  agents: /^(?:equipe|agents|team)\b/,
  architecture: /^(?:architecture|api|base de donnees|database)\b/,
  conventions: /^conventions?\b/,
  watchPoints: /^(?:points? (?:de vigilance|of attention|to watch)|watch points|pitfalls)/,
  others: /^/,
};
type Topic = keyof typeof TOPICS;

type Chapter = Section & { readonly inner: Section[] };
type Chapters = ReadonlyMap<Topic, readonly Chapter[]>;

function chaptersOf(text: string): Chapters {
  const chapters: Chapter[] = [];
  let open: Chapter | undefined;
  for (const section of sectionsOf(text)) {
    if (section.level > 2) {
      open?.inner.push(section);
      continue;
    }
    open = section.level === 2 ? { ...section, inner: [] } : undefined;
    if (open !== undefined) chapters.push(open);
  }
  const topics = Object.keys(TOPICS) as Topic[];
  return Map.groupBy(chapters, ({ heading }) => {
    const words = plainWords(heading);
    return topics.find((topic) => TOPICS[topic].test(words))!;
  });
}

function linesIn(chapters: readonly Chapter[] = []) {
  return chapters.flatMap(({ lines, inner }) => [...lines, ...inner.flatMap((section) => section.lines)]);
}

const UNFILLED = /\{\{\w+\}\}/;

function filledPoints(chapters: readonly Chapter[] | undefined): readonly string[] {
  return pointsIn(linesIn(chapters)).filter((point) => !UNFILLED.test(point));
}

function filledRows(chapters: readonly Chapter[] | undefined): readonly Row[] {
  return tablesIn(linesIn(chapters)).filter((row) => !Object.values(row).some((cell) => UNFILLED.test(cell)));
}

function bodiesOf(chapters: readonly Chapter[] = []): Row {
  const bodies = chapters.map(({ heading, lines, inner }) => {
    const below = inner.map((section) => `${section.heading}\n${bodyOf(section.lines)}`.trim());
    return [heading, [bodyOf(lines), ...below].filter((text) => text !== "").join("\n\n")] as const;
  });
  return Object.fromEntries(bodies.filter(([, body]) => body !== "" && !UNFILLED.test(body)));
}

/** The labels of the chapter about the project, in French and English, as project-context.yaml calls them. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["nom", "name"],
  ["name", "name"],
  ["description", "description"],
  ["type", "type"],
  ["depot", "repository"],
  ["repository", "repository"],
  ["domaine", "domain"],
  ["domain", "domain"],
]);

function factsOf(settings: Values, chapters: Chapters): Pick<ProjectContext, "project" | "user" | "session"> {
  const written = labelsIn(linesIn(chapters.get("project")))
    .filter(([, value]) => value !== "" && !UNFILLED.test(value))
    .map(([label, value]) => [LABELS.get(plainWords(label)) ?? label, value]);
  const { stack: _, ...project } = asValues(settings["project"]);
  const session = { branch: settings["session_branch"], runsDirectory: settings["runs_directory"] };
  return {
    project: { ...Object.fromEntries(written), ...project },
    user: asValues(settings["user"]),
    session: Object.fromEntries(Object.entries(session).filter(([, value]) => asText(value) !== undefined)),
  };
}

/** The blocks of project-context.yaml about the platform that the project runs on. */
const STACK_BLOCKS = ["infrastructure", "kubernetes", "monitoring", "cicd", "security"];

function stackOf(settings: Values, chapters: Chapters): ProjectContext["stack"] {
  const blocks = STACK_BLOCKS.filter((key) => settings[key] !== undefined && settings[key] !== null);
  return {
    technologies: asTexts(asValues(settings["project"])["stack"]),
    layers: filledRows(chapters.get("stack")),
    settings: Object.fromEntries(blocks.map((key) => [key, settings[key]])),
  };
}

/** The columns of the table of agents, in French and English, as the manifest calls them. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ["agent", "name"],
  ["nom", "displayName"],
  ["name", "displayName"],
  ["icone", "icon"],
  ["icon", "icon"],
  ["domaine", "domain"],
  ["domain", "domain"],
]);

/** The agents by name. The manifest counts before the team's notes, and those before the settings. */
function agentsOf(settings: Values, chapters: Chapters, manifest: string): readonly Row[] {
  const custom = asValues(settings["agents"])["custom_agents"];
  const columnOf = (key: string) => COLUMNS.get(plainWords(key)) ?? key;
  const textOf = (value: unknown) => asTexts(value).join(", ");
  const rows: readonly Row[] = [
    ...parseTable(manifest).value,
    ...filledRows(chapters.get("agents")).map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, cell]) => [columnOf(key), cell]))
    ),
    ...(Array.isArray(custom) ? custom : []).map((agent) =>
      Object.fromEntries(Object.entries(asValues(agent)).map(([key, value]) => [key, textOf(value)]))
    ),
  ];
  const agents = new Map<string, Row>();
  for (const row of rows) {
    const name = row["name"]?.trim();
    if (!name) continue;
    const known = Object.entries(row).filter(([, value]) => value.trim() !== "");
    agents.set(name, { ...Object.fromEntries(known), ...agents.get(name), name });
  }
  return [...agents.values()];
}

/** The decisions in a log, the latest first; of the same day, the later one in the file. */
export function parseDecisions(text: string): readonly Decision[] {
  const decisions: { date: string; title: string; parts: string[] }[] = [];
  for (const { level, heading, lines } of sectionsOf(text)) {
    const body = bodyOf(lines);
    const [, date, title] = /^\[?(\d{4}-\d{2}-\d{2})\]?[\s:—–-]*(.*)$/.exec(heading) ?? [];
    if (level >= 2 && date !== undefined) decisions.push({ date, title: title!, parts: [body] });
    else if (level > 2) decisions.at(-1)?.parts.push(`${heading}\n${body}`);
  }
  return decisions.map(({ date, title, parts }): Decision => {
    const text = parts.filter((part) => part.trim() !== "").join("\n\n");
    return { date, title, text, isArchitectural: /\[ARCH\]/i.test(title) || /\[ARCH\]/i.test(text) };
  }).reverse().sort(newestFirst);
}
