/** A project's context in words: short as a whole, complete for one section. */
import { shorten } from "../../base/text.ts";
import { asText, type Values } from "../../content/parse.ts";
import type { ContextSection, Decision, ProjectContext } from "./context.ts";
import type { Report } from "../../base/report.ts";

const MAX_DECISIONS = 5;
const MAX_CHARACTERS = 400;

/** The whole context in short, or one section in full. */
export function reportContext(context: ProjectContext, section: ContextSection): Report {
  const { files, problems, project, user, session, stack, agents, others } = context;
  const isAll = section === "all";
  const point = (text: string) => `- ${shorten(text, MAX_CHARACTERS)}`;
  const facts = [...valueLines(project), ...valueLines(user, "user "), ...valueLines(session, "session ")];
  const technologies = stack.technologies.length === 0 ? [] : [`- ${stack.technologies.join(", ")}`];
  const parts: readonly (readonly [ContextSection, readonly string[]])[] = [
    ["all", chapter("Project", facts)],
    [
      "stack",
      chapter("Stack", [...technologies, ...stack.layers.map(rowLine), ...valueLines(stack.settings)]),
    ],
    ["agents", chapter("Agents", agents.map(agentLine))],
    ["decisions", decisionLines("Decisions", context.decisions, isAll)],
    ["architecture", architectureLines(context, isAll)],
    ["all", chapter("Conventions", context.conventions.map(point))],
    ["all", chapter("Watch out", context.watchPoints.map(point))],
    ["all", chapter("Requests between agents", context.requests.map(point))],
    ["all", chapter("Also", Object.entries(others).map(([heading, text]) => point(`${heading}: ${text}`)))],
  ];
  const lines = parts.filter(([name]) => isAll || name === section).flatMap(([, lines]) => lines);
  const source = files.length === 0
    ? "No project-memory files found. Looked for project-context.yaml, _bmad/_memory/shared-context.md, " +
      "_bmad/_memory/decisions-log.md and _bmad/_config/agent-manifest.csv"
    : `From ${files.join(", ")}`;
  const nothing = lines.length === 0 && files.length > 0 ? [`Nothing about ${section} in these files`] : [];
  return {
    text: [source, ...problems.map((problem) => `Problem: ${problem}`), ...nothing, ...lines].join("\n"),
    data: { files, problems, section, ...dataOf(context, section) },
  };
}

function dataOf(context: ProjectContext, section: ContextSection): Readonly<Record<string, unknown>> {
  const { files: _files, problems: _problems, ...all } = context;
  const { project, architecture, decisions } = context;
  if (section === "all") return all;
  return section === "architecture"
    ? { architecture, decisions: decisions.filter(({ isArchitectural }) => isArchitectural) }
    : { project, [section]: context[section] };
}

function chapter(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...lines];
}

/** Each value on a line, as JSON when it is not text. */
function valueLines(values: Values, prefix = ""): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const text = asText(value) ?? (value === null || value === undefined ? undefined : JSON.stringify(value));
    return text === undefined || text === "[]" || text === "{}" ? [] : [`- ${prefix}${key}: ${text}`];
  });
}

/** The first cell, and the others after the names of their columns. */
function rowLine(row: Readonly<Record<string, string>>): string {
  const [[, first = ""] = [], ...others] = Object.entries(row);
  const cells = others.filter(([, cell]) => !/^[-–—]*$/.test(cell)).map(([name, cell]) => `${name} ${cell}`);
  return `- ${[first, cells.join(", ")].filter((part) => part !== "").join(": ")}`;
}

function agentLine(
  { name = "", displayName, title, icon, domain, role }: ProjectContext["agents"][number],
): string {
  const person = [icon, displayName, title].filter(Boolean).join(" ");
  const parts = [name, person, shorten(domain ?? role ?? "", 160)];
  return `- ${parts.filter((part) => part !== "").join(": ")}`;
}

function decisionLines(title: string, decisions: readonly Decision[], isShort: boolean): readonly string[] {
  const shown = isShort ? decisions.slice(0, MAX_DECISIONS) : decisions;
  const earlier = decisions.length - shown.length;
  return chapter(title, [
    ...shown.map(({ date, title, text }) => {
      const body = isShort ? shorten(text, MAX_CHARACTERS / 2) : text;
      return `- ${date} ${title}${body === "" ? "" : `\n  ${body.replaceAll("\n", "\n  ")}`}`;
    }),
    ...(earlier > 0 ? [`- and ${earlier} earlier, in the section decisions`] : []),
  ]);
}

function architectureLines({ architecture, decisions }: ProjectContext, isShort: boolean): readonly string[] {
  const texts = Object.entries(architecture).flatMap(([heading, text]) =>
    isShort ? [`- ${heading}: ${shorten(text, MAX_CHARACTERS)}`] : [`### ${heading}`, text]
  );
  const architectural = isShort ? [] : decisions.filter(({ isArchitectural }) => isArchitectural);
  const chosen = decisionLines("Architectural decisions", architectural, false);
  return [...chapter("Architecture", texts), ...chosen];
}
