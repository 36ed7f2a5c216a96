/**
 * What a project is: its stack, its agents, its decisions and its architecture, from the files where a kit has them.
 *
 * project-context.yaml holds settings, shared-context.md what the team wrote down under headings that are French
 * whatever the language, decisions-log.md the decisions, agent-manifest.csv the agents. Each may be missing, and under
 * more than one name. What a template left to be filled in is left out.
 */
import { fail } from "../../base/errors.ts";
import { CONTEXT_SECTIONS } from "../../base/model.ts";
import { asText, asTexts, asValues, parseTable, parseYaml, type Values } from "../../content/parse.ts";
import { joinPath } from "../../content/tree/mod.ts";
import {
  bodyOf,
  labelsIn,
  plainWords,
  pointsIn,
  type Section,
  sectionsOf,
  tablesIn,
} from "../../base/markdown.ts";
import { findFile, memoryPaths, type Project, type ProjectFile } from "./project.ts";

/** A part of a context that can be asked for. */
export type ContextSection = typeof CONTEXT_SECTIONS[number];

/** A row of a table, or a map of texts. */
type Row = Readonly<Record<string, string>>;

/** A decision that was written down. */
export interface Decision {
  readonly date?: string;
  readonly title: string;
  readonly text: string;
  /** Whether it is about the architecture. */
  readonly isArchitectural: boolean;
}

/** All that the files say. */
export interface ProjectContext {
  /** The files that were read, and what is wrong with them. */
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
  /** By their headings. */
  readonly architecture: Row;
  readonly conventions: readonly string[];
  readonly watchPoints: readonly string[];
  /** What agents ask of each other. */
  readonly requests: readonly string[];
  /** By their headings: what else the team wrote down. */
  readonly others: Row;
}

/** What a caller asks for, as one of the sections. */
export function checkSection(given = "all"): ContextSection {
  return CONTEXT_SECTIONS.find((section) => section === given.toLowerCase()) ??
    fail({
      code: "invalid-input",
      field: "section",
      problem: `${JSON.stringify(given.slice(0, 60).toWellFormed())} is no section`,
      hint: `Use one of ${CONTEXT_SECTIONS.join(", ")}`,
    });
}

/** Reads the context of a project. */
export function readContext(project: Project): ProjectContext {
  const settingsFile = findFile(project, [
    "project-context.yaml",
    ...memoryPaths(project, "project-context.yaml"),
  ]);
  const sharedFile = findFile(project, memoryPaths(project, "shared-context.md"));
  const decisionsFile = findFile(project, memoryPaths(project, "decisions-log.md"));
  const manifestFile = findFile(
    project,
    project.bases.flatMap((base) =>
      ["_config", "_cfg"].map((folder) => joinPath(base, folder, "agent-manifest.csv"))
    ),
  );
  const read = [settingsFile, sharedFile, decisionsFile, manifestFile].filter((file) => file !== undefined);
  const yaml = parseYaml(settingsFile?.text ?? "");
  const settings = project.clean.values(yaml.value);
  const chapters = chaptersOf(project.clean.text(sharedFile?.text ?? ""));
  const { project: facts, user, session } = factsOf(settings, chapters);
  return {
    files: read.map(({ path }) => path),
    problems: read.flatMap((file) => problemsOf(file, file === settingsFile ? yaml.problem : undefined)),
    project: facts,
    user,
    session,
    stack: stackOf(settings, chapters),
    agents: agentsOf(settings, chapters, project.clean.text(manifestFile?.text ?? "")),
    decisions: parseDecisions(project.clean.text(decisionsFile?.text ?? "")),
    architecture: bodiesOf(chapters.get("architecture")),
    conventions: filledPoints(chapters.get("conventions")),
    watchPoints: filledPoints(chapters.get("watchPoints")),
    requests: filledPoints(chapters.get("requests")),
    others: bodiesOf(chapters.get("others")),
  };
}

function problemsOf({ path, problem }: ProjectFile, other: string | undefined): readonly string[] {
  const found = problem ?? other;
  return found === undefined ? [] : [`${path}: ${found}`];
}

/** What the chapters of shared-context.md are about. */
type Topic =
  | "project"
  | "stack"
  | "architecture"
  | "agents"
  | "conventions"
  | "watchPoints"
  | "requests"
  | "others";

/** How headings begin, in French and English, by their topic. */
const TOPICS: readonly (readonly [Topic, RegExp])[] = [
  ["project", /^(?:projet|project)\b/],
  ["stack", /^(?:stack|tech|infrastructure)/],
  ["requests", /^(?:requetes|inter agent)/],
  ["agents", /^(?:equipe|agents|team)\b/],
  ["architecture", /^(?:architecture|api|base de donnees|database)\b/],
  ["conventions", /^conventions?\b/],
  ["watchPoints", /^(?:points? (?:de vigilance|of attention|to watch)|watch points|pitfalls)/],
];

/** A chapter with its own lines and those of the headings below it. */
type Chapter = Section & { readonly inner: readonly Section[] };

/** The chapters of shared-context.md by their topic. */
function chaptersOf(text: string): ReadonlyMap<Topic, readonly Chapter[]> {
  const chapters = new Map<Topic, (Chapter & { inner: Section[] })[]>();
  let open: { inner: Section[] } | undefined;
  for (const section of sectionsOf(text)) {
    if (section.level > 2) open?.inner.push(section);
    else if (section.level === 2) {
      const words = plainWords(section.heading);
      const topic = TOPICS.find(([, sign]) => sign.test(words))?.[0] ?? "others";
      const chapter = { ...section, inner: [] };
      chapters.set(topic, [...chapters.get(topic) ?? [], chapter]);
      open = chapter;
    } else open = undefined;
  }
  return chapters;
}

function linesIn(chapters: readonly Chapter[] = []) {
  return chapters.flatMap(({ lines, inner }) => [...lines, ...inner.flatMap((section) => section.lines)]);
}

/** The places that a template leaves to be filled in. */
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

/** The labels of the chapter about the project, in French and English, and what they are in project-context.yaml. */
const LABELS: Readonly<Record<string, string>> = {
  nom: "name",
  name: "name",
  description: "description",
  type: "type",
  depot: "repository",
  repository: "repository",
  domaine: "domain",
  domain: "domain",
};

function factsOf(settings: Values, chapters: ReadonlyMap<Topic, readonly Chapter[]>) {
  const written = labelsIn(linesIn(chapters.get("project"))).filter(([, value]) =>
    value !== "" && !UNFILLED.test(value)
  )
    .map(([label, value]) => [LABELS[plainWords(label)] ?? label, value]);
  const { stack: _, ...project } = asValues(settings["project"]);
  const session = { branch: settings["session_branch"], runsDirectory: settings["runs_directory"] };
  return {
    project: { ...Object.fromEntries(written), ...project },
    user: asValues(settings["user"]),
    session: Object.fromEntries(Object.entries(session).filter(([, value]) => asText(value) !== undefined)),
  };
}

/** The blocks of project-context.yaml that tell what the project runs on. */
const STACK_BLOCKS = ["infrastructure", "kubernetes", "monitoring", "cicd", "security"];

function stackOf(
  settings: Values,
  chapters: ReadonlyMap<Topic, readonly Chapter[]>,
): ProjectContext["stack"] {
  const blocks = STACK_BLOCKS.filter((key) => settings[key] !== undefined && settings[key] !== null);
  return {
    technologies: asTexts(asValues(settings["project"])["stack"]),
    layers: filledRows(chapters.get("stack")),
    settings: Object.fromEntries(blocks.map((key) => [key, settings[key]])),
  };
}

/** What the columns of the table of agents mean, in French and English. */
const COLUMNS: Readonly<Record<string, string>> = {
  agent: "name",
  nom: "displayName",
  name: "displayName",
  icone: "icon",
  icon: "icon",
  domaine: "domain",
  domain: "domain",
};

/** The agents by name: those of the manifest, then what the team and the settings say of them and of others. */
function agentsOf(
  settings: Values,
  chapters: ReadonlyMap<Topic, readonly Chapter[]>,
  manifest: string,
): readonly Row[] {
  const custom = asValues(settings["agents"])["custom_agents"];
  const sources: readonly (readonly Row[])[] = [
    parseTable(manifest).value,
    filledRows(chapters.get("agents")).map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, cell]) => [COLUMNS[plainWords(key)] ?? key, cell]))
    ),
    (Array.isArray(custom) ? custom : []).map((agent) => textsOf(asValues(agent))),
  ];
  const agents = new Map<string, Row>();
  for (const row of sources.flat()) {
    const name = row["name"]?.trim();
    if (!name) continue;
    const known = Object.entries(row).filter(([, value]) => value.trim() !== "");
    agents.set(name, { ...Object.fromEntries(known), ...agents.get(name), name });
  }
  return [...agents.values()];
}

function textsOf(values: Values): Row {
  const texts = Object.entries(values).map(([key, value]) => [key, asTexts(value).join(", ")] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** The decisions in a log, the latest first; of those of one day, the one that stands later. */
export function parseDecisions(text: string): readonly Decision[] {
  const found: { date?: string; title: string; parts: string[] }[] = [];
  for (const { level, heading, lines } of sectionsOf(text)) {
    const body = bodyOf(lines);
    const [, date, title] = /^\[?(\d{4}-\d{2}-\d{2})\]?[\s:—–-]*(.*)$/.exec(heading) ?? [];
    if (level >= 2 && date !== undefined) found.push({ date, title: title!, parts: [body] });
    else if (level > 2) found.at(-1)?.parts.push(`${heading}\n${body}`);
  }
  return found.map(({ date, title, parts }): Decision => {
    const whole = parts.filter((part) => part.trim() !== "").join("\n\n");
    return { date, title, text: whole, isArchitectural: /\[ARCH\]/i.test(title) || /\[ARCH\]/i.test(whole) };
  }).reverse().sort((a, b) => (a.date! < b.date! ? 1 : a.date === b.date ? 0 : -1));
}
