import { CONTEXT_SECTIONS } from "../../../base/model.ts";
import { describe, failInput } from "../../../base/errors.ts";
import { plainWords } from "../../../base/markdown.ts";
import { suggest } from "../../../base/suggestions.ts";
import { oneLine, shorten } from "../../../base/text.ts";
import { asText, asValues, isValues, type Values } from "../../../content/parse.ts";
import {
  type Chapter,
  type Decision,
  isUnfilled,
  partsOf,
  saysSomething,
  type Topic,
  withoutFacts,
} from "./documents.ts";
import { type ContextSection, isAgentRow, type ProjectContext } from "./context.ts";
import type { Remembered } from "./records.ts";
import { firstLines, joinLines, type Report, section as titled, textLines } from "../../../base/report.ts";

const MAX_DECISIONS = 5;
const MAX_CHAPTER = 1_000;
const MAX_DECISION = 200;
const MAX_NAME = 60;
const MAX_NAMES = 600;
const REMEMBERED = "remembered";
const SHORTEST = 4;

export function reportContext(context: ProjectContext, wanted: string): Report {
  const section = findSection(context, wanted);
  const { files, problems } = context;
  const lines = typeof section === "string" ? linesOf(context, section) : [
    ...section.chapters.flatMap((one) => chapterLines(one, false)),
    ...settingLines(section.settings, false),
    ...rememberedLines(section.remembered, false),
  ];
  const source = files.length > 0
    ? `From ${files.join(", ")}`
    : "No project-memory files found. Looked for project-context.yaml, _bmad/_memory/shared-context.md, " +
      "_bmad/_memory/decisions-log.md and _bmad/_config/agent-manifest.csv";
  const isKept = files.length > 0 || context.remembered.length > 0 || context.decisions.length > 0;
  const nothing = lines.length === 0 && isKept && nothingAbout(wanted, context);
  return {
    text: joinLines(source, problems.map((problem) => `Problem: ${problem}`), nothing, lines),
    data: {
      files,
      problems,
      section: typeof section === "string" ? section : wanted,
      ...(typeof section === "string"
        ? dataOf(context, section)
        : { ...section, chapters: section.chapters.map(textOf) }),
    },
  };
}

function findSection(context: ProjectContext, wanted: string) {
  const topic = CONTEXT_SECTIONS.find((section) => section === wanted.toLowerCase());
  if (topic !== undefined) return topic;
  const words = plainWords(wanted.slice(0, MAX_NAME));
  if (words === REMEMBERED) return { chapters: [], settings: {}, remembered: context.remembered };
  const settings = settingsOf(context);
  const fits = [
    (name: string) => words !== "" && name === words,
    (name: string) => words.length >= SHORTEST && name.startsWith(words),
  ];
  for (const fit of fits) {
    const isNamed = (heading: string) => fit(plainWords(heading));
    const whole = context.chapters.filter(({ heading }) => isNamed(heading));
    const chapters = whole.length > 0 ? whole : context.chapters.flatMap((one) => partsOf(one, isNamed));
    const keys = Object.keys(settings).filter((key) => fit(plainWords(key)));
    if (chapters.length > 0 || keys.length > 0) {
      const found = keys.map((key) => [key, settings[key]] as const);
      return { chapters, settings: Object.fromEntries(found), remembered: [] };
    }
  }
  const known = [...CONTEXT_SECTIONS, ...partNames(context)];
  const name = oneLine(wanted.slice(0, MAX_NAME).toWellFormed());
  const suggestions = suggest(name.toLowerCase(), known);
  const problem = describe({ code: "not-found", what: "section", name, known, suggestions });
  const all = suggestions.length === 0 ? "" : ` Use one of ${known.join(", ")}`;
  return failInput(`${problem}${all}`);
}

function settingsOf({ project, user, session, settings, stack }: ProjectContext): Values {
  const { branch, runsDirectory } = session as Values;
  const shown = { project, user, session_branch: branch, runs_directory: runsDirectory };
  const isFilled = ([, value]: readonly [string, unknown]) =>
    value !== undefined && (typeof value !== "object" || Object.keys(value as object).length > 0);
  return { ...Object.fromEntries(Object.entries(shown).filter(isFilled)), ...settings, ...stack.settings };
}

function partNames(context: ProjectContext): readonly string[] {
  const { chapters, remembered } = context;
  const memories = remembered.length === 0 ? [] : [REMEMBERED];
  const names = [...memories, ...chapters.map(({ heading }) => heading), ...Object.keys(settingsOf(context))];
  let left = MAX_NAMES;
  return [...new Set(names.map((name) => shorten(name, MAX_NAME)))]
    .filter((name) => name !== "" && (left -= name.length) >= 0);
}

function nothingAbout(wanted: string, context: ProjectContext): string {
  const topics = CONTEXT_SECTIONS.filter((one) => one !== "all" && linesOf(context, one).length > 0);
  const names = [...topics, ...partNames(context)].join(", ");
  return `Nothing about ${wanted.toLowerCase()} in these files${names === "" ? "" : `. They have: ${names}`}`;
}

function linesOf(context: ProjectContext, section: ContextSection): readonly string[] {
  const { project, user, session, stack, agents, settings, decisionNotes: notes } = context;
  const isAll = section === "all";
  const { agents: agentSettings, ...others } = settings;
  const { custom_agents: custom, ...restOfAgents } = asValues(agentSettings);
  // In short, agents that are listed by name are not told twice.
  const ofAgents = isAll && Array.isArray(custom) ? restOfAgents : agentSettings;
  const about = (...topics: readonly Topic[]) =>
    context.chapters.filter(({ topic }) => topics.includes(topic))
      .flatMap((one) => chapterLines(isAll ? withoutFacts(one, isAgentRow) : one, isAll));
  const architectural = context.decisions.filter((one) => one.isArchitectural);
  const facts = [...valueLines(project), ...valueLines(user, "user "), ...valueLines(session, "session ")];
  const technologies = textLines(
    stack.technologies.length > 0 && `- ${stack.technologies.join(", ")}`,
    valueLines(stack.settings),
  );
  const parts: readonly (readonly [ContextSection, ...lines: readonly (readonly string[])[]])[] = [
    ["all", titled("Project", facts), about("project")],
    ["stack", titled("Stack", technologies), about("stack")],
    [
      "agents",
      titled("Agents", [
        ...agents.map(isAll ? agentLine : rowLine),
        ...valueLines(isValues(ofAgents) ? ofAgents : { agents: ofAgents }),
      ]),
      about("agents"),
    ],
    [
      "decisions",
      decisionLines("Decisions", context.decisions, isAll),
      notes === "" ? [] : ["", ...shortened(notes, isAll, "section decisions")],
      about("decisions"),
    ],
    [
      "architecture",
      about("architecture"),
      isAll ? [] : decisionLines("Architectural decisions", architectural, false),
    ],
    [
      "all",
      about("conventions", "watchPoints", "requests", "others"),
      settingLines(others, true),
      rememberedLines(context.remembered, true),
    ],
  ];
  return parts.flatMap(([name, ...lines]) => isAll || name === section ? lines.flat() : []);
}

function dataOf(context: ProjectContext, section: ContextSection): Readonly<Record<string, unknown>> {
  const { files: _files, problems: _problems, chapters, ...all } = context;
  const { project, architecture, decisions } = context;
  if (section === "all") return { ...all, chapters: chapters.map(textOf) };
  if (section !== "architecture") return { project, [section]: context[section] };
  return { architecture, decisions: decisions.filter(({ isArchitectural }) => isArchitectural) };
}

function textOf({ heading, text }: Chapter) {
  return { heading, text };
}

function rememberedLines(remembered: readonly Remembered[], isShort: boolean): readonly string[] {
  const lines = remembered.map(({ agent, text, tags, createdAt }) => {
    const said = isShort ? shorten(text, MAX_CHAPTER) : text.replaceAll("\n", "\n  ");
    const labels = tags.length === 0 ? "" : ` (${tags.join(", ")})`;
    return `- [${createdAt.slice(0, 10)}] @${agent}: ${said}${labels}`;
  });
  return titled("Remembered", isShort ? latest(lines, REMEMBERED) : lines);
}

function latest(lines: readonly string[], section: string): readonly string[] {
  return firstLines(lines, MAX_DECISIONS, (count) => `- and ${count} earlier, in the section ${section}`);
}

function chapterLines({ heading, text }: Chapter, isShort: boolean): readonly string[] {
  const title = heading === "" ? "Notes" : oneLine(heading);
  if (text === "") return saysSomething(heading) ? ["", `## ${title}`] : [];
  const more = heading === "" ? "JSON" : `section ${JSON.stringify(shorten(title, MAX_NAME))}`;
  return titled(title, shortened(text, isShort, more));
}

function shortened(text: string, isShort: boolean, more: string): readonly string[] {
  if (!isShort || text.length <= MAX_CHAPTER) return [text];
  const cut = text.slice(0, MAX_CHAPTER);
  const shown = cut.slice(0, Math.max(cut.lastIndexOf("\n"), MAX_CHAPTER / 2)).toWellFormed();
  return [shown, `… (${text.length - shown.length} more characters, complete as ${more})`];
}

function settingLines(settings: Values, isShort: boolean): readonly string[] {
  const lines = valueLines(settings);
  return titled("Settings", isShort ? lines.map((line) => shorten(line, MAX_CHAPTER)) : lines);
}

function valueLines(values: Values, prefix = ""): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const text = asText(value) ?? JSON.stringify(value);
    return isUnfilled(text) ? [] : [`- ${prefix}${key}: ${text}`];
  });
}

function rowLine({ name = "", ...row }: Readonly<Record<string, string>>): string {
  const cells = Object.entries(row).filter(([, cell]) => !/^[-–—]*$/.test(cell))
    .map(([column, cell]) => `${column} ${cell}`);
  return `- ${[name, cells.join(", ")].filter((part) => part !== "").join(": ")}`;
}

function agentLine({ name = "", displayName, title, icon, domain, role }: ProjectContext["agents"][number]) {
  const person = [icon, displayName, title].filter(Boolean).join(" ");
  const parts = [name, person, shorten(domain ?? role ?? "", 160)];
  return `- ${parts.filter((part) => part !== "").join(": ")}`;
}

function decisionLines(title: string, decisions: readonly Decision[], isShort: boolean): readonly string[] {
  const lines = decisions.map(({ date, title, text, source }) => {
    const day = date === undefined ? "" : `${date} `;
    const from = source === undefined ? "" : ` [${source}]`;
    const body = isShort ? shorten(text, MAX_DECISION) : text;
    return `- ${day}${title}${from}${body && `\n  ${body.replaceAll("\n", "\n  ")}`}`;
  });
  return titled(title, isShort ? latest(lines, "decisions") : lines);
}
