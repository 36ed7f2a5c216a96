/**
 * A project's context in words: short as a whole, complete by the section.
 */
import { asText, type Values } from "../../content/parse.ts";
import type { ContextSection, Decision, ProjectContext } from "./context.ts";
import type { Report } from "../../base/report.ts";

/** So many decisions are told when all is asked for. */
const FEW_DECISIONS = 5;
/** So many letters of a text are told when all is asked for. */
const FEW_LETTERS = 400;

/** The context, or one section of it. */
export function reportContext(context: ProjectContext, section: ContextSection): Report {
  const { files, problems } = context;
  const isAll = section === "all";
  const parts: readonly (readonly [ContextSection, readonly string[]])[] = [
    ["all", projectLines(context)],
    ["stack", stackLines(context)],
    ["agents", agentLines(context)],
    ["decisions", decisionLines(context.decisions, isAll)],
    ["architecture", architectureLines(context, isAll)],
    ["all", ruleLines(context)],
  ];
  const lines = parts.filter(([name]) => isAll || name === section).flatMap(([, lines]) => lines);
  const source = files.length === 0
    ? "No file of a project-memory kit was found: project-context.yaml, _bmad/_memory/shared-context.md, " +
      "_bmad/_memory/decisions-log.md or _bmad/_config/agent-manifest.csv."
    : `From ${files.join(", ")}`;
  const nothing = lines.length === 0 && files.length > 0 ? [`Nothing is said there of ${section}.`] : [];
  return {
    text: [source, ...problems.map((problem) => `Problem: ${problem}`), ...nothing, ...lines].join("\n"),
    data: { files, problems, section, ...dataOf(context, section) },
  };
}

function dataOf(context: ProjectContext, section: ContextSection): Readonly<Record<string, unknown>> {
  const { files: _files, problems: _problems, ...all } = context;
  const architecture = {
    architecture: context.architecture,
    decisions: context.decisions.filter(({ isArchitectural }) => isArchitectural),
  };
  return section === "all"
    ? all
    : section === "architecture"
    ? architecture
    : { project: context.project, [section]: context[section] };
}

function chapter(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...lines];
}

function projectLines({ project, user, session }: ProjectContext): readonly string[] {
  return chapter("Project", [
    ...valueLines(project),
    ...valueLines(user).map((line) => line.replace(/^- /, "- user ")),
    ...valueLines(session).map((line) => line.replace(/^- /, "- session ")),
  ]);
}

/** Each value on a line; what is no text as JSON. */
function valueLines(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const text = asText(value) ?? (value === null || value === undefined ? undefined : JSON.stringify(value));
    return text === undefined || text === "[]" || text === "{}" ? [] : [`- ${key}: ${text}`];
  });
}

function stackLines({ stack }: ProjectContext): readonly string[] {
  return chapter("Stack", [
    ...(stack.technologies.length === 0 ? [] : [`- ${stack.technologies.join(", ")}`]),
    ...stack.layers.map(rowLine),
    ...valueLines(stack.settings),
  ]);
}

/** The first cell, and the others by the names of their columns. */
function rowLine(row: Readonly<Record<string, string>>): string {
  const [[, first = ""] = [], ...others] = Object.entries(row);
  const told = others.filter(([, cell]) => !/^[-–—]*$/.test(cell)).map(([name, cell]) => `${name} ${cell}`);
  return `- ${[first, told.join(", ")].filter((part) => part !== "").join(": ")}`;
}

function agentLines({ agents }: ProjectContext): readonly string[] {
  return chapter(
    "Agents",
    agents.map((agent) => {
      const { name, displayName, title, icon, domain, role } = agent;
      const who = [icon, displayName, title].filter(Boolean).join(" ");
      return `- ${[name, who, shorten(domain ?? role ?? "", 160)].filter((part) => part !== "").join(": ")}`;
    }),
  );
}

function decisionLines(decisions: readonly Decision[], isShort: boolean): readonly string[] {
  const shown = isShort ? decisions.slice(0, FEW_DECISIONS) : decisions;
  const more = decisions.length - shown.length;
  return chapter("Decisions", [
    ...shown.map(({ date, title, text }) => {
      const told = isShort ? shorten(text, FEW_LETTERS / 2) : text;
      return `- ${date} ${title}${told === "" ? "" : `\n  ${told.replaceAll("\n", "\n  ")}`}`;
    }),
    ...(more > 0 ? [`- and ${more} earlier: section decisions`] : []),
  ]);
}

function architectureLines({ architecture, decisions }: ProjectContext, isShort: boolean): readonly string[] {
  const texts = Object.entries(architecture).flatMap(([heading, text]) =>
    isShort ? [`- ${heading}: ${shorten(text, FEW_LETTERS)}`] : [`### ${heading}`, text]
  );
  const decided = decisions.filter(({ isArchitectural }) => isArchitectural);
  return [
    ...chapter("Architecture", texts),
    ...(isShort
      ? []
      : decisionLines(decided, false).map((line) =>
        line === "## Decisions" ? "## Architectural decisions" : line
      )),
  ];
}

function ruleLines({ conventions, watchPoints, requests, others }: ProjectContext): readonly string[] {
  const point = (text: string) => `- ${shorten(text, FEW_LETTERS)}`;
  return [
    ...chapter("Conventions", conventions.map(point)),
    ...chapter("Watch out", watchPoints.map(point)),
    ...chapter("Requests between agents", requests.map(point)),
    ...chapter("Also", Object.entries(others).map(([heading, text]) => point(`${heading}: ${text}`))),
  ];
}

/** One line, cut between letters. */
function shorten(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
