/**
 * `bmad-mcp doctor`: prints the problems, each with its fix, then every fact that was checked.
 *
 * Exit status 0 means healthy, 1 warnings, 2 errors.
 */
import type { LocatedProblem, Report, Section, Setup } from "../doctor/mod.ts";
import type { Host } from "../../process/host.ts";
import { printJson } from "./output.ts";
import { counted, oneLine, withPlace } from "../../base/text.ts";
import { type Meaning, type Painter, painter } from "./style.ts";
import { wrap } from "./wrap.ts";

const EXIT_CODES = { ok: 0, warning: 1, error: 2 } as const satisfies Record<Report["verdict"], number>;

/** The levels as `--json` has always named them. */
const JSON_LEVELS = { ok: "good", warning: "look", error: "broken" } as const;

const SIGNS: Readonly<Record<Section["lines"][number]["status"], readonly [sign: string, meaning: Meaning]>> =
  {
    ok: ["✓", "good"],
    info: ["·", "aside"],
    warning: ["!", "warning"],
    error: ["✗", "bad"],
  };

export async function doctor(setup: Setup, json: boolean): Promise<number> {
  const { checkSetup } = await import("../doctor/mod.ts");
  const { host } = setup;
  const report = await checkSetup(setup);
  if (json) printJson(host, dataOf(report));
  else host.writeOut(render(report, await openWriter(host)));
  return EXIT_CODES[report.verdict];
}

function dataOf({ verdict, problems, sections }: Report): Readonly<Record<string, unknown>> {
  return {
    verdict: JSON_LEVELS[verdict],
    problems: problems.map((problem) => ({ ...problem, level: JSON_LEVELS[problem.level] })),
    ...Object.fromEntries(sections.map(({ name, data }) => [name, data])),
  };
}

interface Writer {
  readonly paint: Painter;
  fold(text: string, column: number): readonly string[];
}

/** Long lines are wrapped on a terminal and stay whole in a pipe. */
async function openWriter({ columns, colours }: Host): Promise<Writer> {
  const paint = painter(colours.stdout);
  if (columns === undefined) return { paint, fold: (text) => [oneLine(text)] };
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
      ...shortened(lines).flatMap(({ status, label, text }) => {
        const [sign, meaning] = SIGNS[status];
        const head = `  ${paint(meaning, sign)} ${oneLine(label).padEnd(LABEL)} `;
        return fold(text, INDENT).map((line, at) => (at === 0 ? head : " ".repeat(INDENT)) + line);
      }),
      "",
    ]),
  ];
  return lines.join("\n");
}

const MAX_ALIKE = 5;

function shortened(lines: Section["lines"]): Section["lines"] {
  const groups = Map.groupBy(lines, ({ label, status }) => `${status} ${label}`);
  return [...groups.values()].flatMap((alike) => {
    const more = alike.length - MAX_ALIKE;
    if (more <= 1) return alike;
    return [...alike.slice(0, MAX_ALIKE), { ...alike[0]!, text: `${more} more: ${ALL}` }];
  });
}

const ALL = "bmad-mcp doctor --json";

function renderProblems(problems: readonly LocatedProblem[], writer: Writer): readonly string[] {
  const groups = Map.groupBy(problems, ({ level, section, code }) => `${level} ${section} ${code}`);
  return [...groups.values()].flatMap((alike) => {
    const more = alike.length - MAX_ALIKE;
    if (more <= 1) return alike.flatMap((problem) => renderProblem(problem, writer));
    const [sign, meaning] = SIGNS[alike[0]!.level];
    return [
      ...alike.slice(0, MAX_ALIKE).flatMap((problem) => renderProblem(problem, writer)),
      `${writer.paint(meaning, sign)} ${more} more like this: ${ALL}`,
    ];
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
