import { checkSetup, type LocatedProblem, type Report, type Section } from "../doctor/mod.ts";
import type { Host } from "../../process/host.ts";
import { LIMITS } from "../limits.ts";
import type { Answer, Session } from "./session.ts";
import { counted, oneLine, withPlace } from "../../base/text.ts";
import { type Meaning, painter } from "./style.ts";
import { wrap } from "./wrap.ts";

const EXIT_CODES = { ok: 0, warning: 1, error: 2 } as const satisfies Record<Report["verdict"], number>;

const JSON_LEVELS = { ok: "good", warning: "look", error: "broken" } as const;

type Sign = readonly [sign: string, meaning: Meaning];

const SIGNS: Readonly<Record<Section["lines"][number]["status"], Sign>> = {
  ok: ["✓", "good"],
  info: ["·", "aside"],
  warning: ["!", "warning"],
  error: ["✗", "bad"],
};

export async function doctor({ host, config, rights, clients, open, log, json }: Session): Promise<Answer> {
  const report = await checkSetup({ host, config, rights, clients, app: await open(), bug: log.bug });
  if (!json) host.writeOut(render(report, await openWriter(host)));
  return { data: dataOf(report), code: EXIT_CODES[report.verdict] };
}

function dataOf({ verdict, problems, sections }: Report): Readonly<Record<string, unknown>> {
  return {
    verdict: JSON_LEVELS[verdict],
    problems: problems.map((problem) => ({ ...problem, level: JSON_LEVELS[problem.level] })),
    ...Object.fromEntries(sections.map(({ name, data }) => [name, data])),
  };
}

type Writer = Awaited<ReturnType<typeof openWriter>>;

async function openWriter({ columns, colours }: Host) {
  const paint = painter(colours.stdout);
  if (columns === undefined) return { paint, fold: (text: string) => [oneLine(text)] };
  const { widthOf } = await import("./screen.ts");
  const fold = (text: string, column: number) => wrap(oneLine(text), Math.max(20, columns - column), widthOf);
  return { paint, fold };
}

function render({ problems, sections }: Report, writer: Writer): string {
  const { paint, fold } = writer;
  const lines = [
    paint("heading", summaryOf(problems)),
    "",
    ...renderProblems(problems, writer),
    ...(problems.length === 0 ? [] : [""]),
    ...sections.flatMap(({ name, lines }) => [
      paint("heading", name[0]!.toUpperCase() + name.slice(1)),
      ...shortened(lines, ({ label, status }) => `${status} ${label}`).flatMap(([line, more]) => {
        const [sign, meaning] = SIGNS[line.status];
        const head = `  ${paint(meaning, sign)} ${oneLine(line.label).padEnd(LABEL)} `;
        const text = more === 0 ? line.text : `${more} more: ${ALL}`;
        return fold(text, INDENT).map((line, at) => (at === 0 ? head : " ".repeat(INDENT)) + line);
      }),
      "",
    ]),
  ];
  return lines.join("\n");
}

/** The first of those that are alike; the last of many stands for `more` of them. */
function shortened<T>(all: readonly T[], kindOf: (one: T) => string) {
  return Map.groupBy(all, kindOf).values().toArray().flatMap((alike) => {
    const more = alike.length - LIMITS.doctor.alike;
    const shown = more <= 1 ? alike : alike.slice(0, LIMITS.doctor.alike + 1);
    return shown.map((one, at) => [one, at < LIMITS.doctor.alike || more <= 1 ? 0 : more] as const);
  });
}

const ALL = "bmad-mcp doctor --json";

function renderProblems(problems: readonly LocatedProblem[], writer: Writer): readonly string[] {
  const kindOf = ({ level, section, code }: LocatedProblem) => `${level} ${section} ${code}`;
  return shortened(problems, kindOf).flatMap(([problem, more]) => {
    if (more === 0) return renderProblem(problem, writer);
    const [sign, meaning] = SIGNS[problem.level];
    return [`${writer.paint(meaning, sign)} ${more} more like this: ${ALL}`];
  });
}

const [LABEL, INDENT] = [12, 17];

function summaryOf(problems: readonly LocatedProblem[]): string {
  const counts = (["error", "warning"] as const)
    .map((level) => [problems.filter((problem) => problem.level === level).length, level] as const)
    .filter(([count]) => count > 0).map(([count, level]) => counted(count, level));
  return counts.join(", ") || "No problems found";
}

function renderProblem(
  { level, section, origin, path, message, fix }: LocatedProblem,
  { paint, fold }: Writer,
): readonly string[] {
  const [sign, meaning] = SIGNS[level];
  const text = withPlace({ origin: origin ?? section, path, message });
  const [first = "", ...more] = fold(text, 2);
  return [
    `${paint(meaning, sign)} ${first}`,
    ...more.map((line) => `  ${line}`),
    // On one line here: if it is a command, it may only go on below as one.
    `    ${paint("good", "Fix:")} ${oneLine(fix)}`,
  ];
}
