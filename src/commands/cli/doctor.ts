/**
 * `bmad-mcp doctor`: what is wrong first, each with what mends it, then all that was looked at.
 *
 * Ends with 0 when nothing is wrong, 1 when something is worth a look, 2 when something is broken.
 */
import type { Patient, Problem, Report, Section } from "../doctor/mod.ts";
import type { Host } from "../../base/host.ts";
import { printJson } from "./output.ts";
import { oneLine } from "../../base/text.ts";
import { type Meaning, type Painter, painter } from "./style.ts";
import { wrap } from "./wrap.ts";

const EXIT_CODES = { good: 0, look: 1, broken: 2 } as const satisfies Record<Report["verdict"], number>;

const MARKS: Readonly<Record<Section["lines"][number]["mark"], readonly [sign: string, meaning: Meaning]>> = {
  good: ["✓", "good"],
  note: ["·", "aside"],
  look: ["!", "warning"],
  broken: ["✗", "bad"],
};

/** Looks at everything, prints what was found, and returns the exit code. */
export async function doctor(patient: Patient, json: boolean): Promise<number> {
  const { examine } = await import("../doctor/mod.ts");
  const { host } = patient;
  const report = await examine(patient);
  if (json) printJson(host, dataOf(report));
  else host.writeOut(render(report, await writerFor(host)));
  return EXIT_CODES[report.verdict];
}

function dataOf({ verdict, problems, sections }: Report): Readonly<Record<string, unknown>> {
  return { verdict, problems, ...Object.fromEntries(sections.map(({ name, data }) => [name, data])) };
}

/** How text is put on the screen. */
interface Writer {
  readonly paint: Painter;
  /** Lines of a text that begins in some column and goes on in the same. */
  fold(text: string, column: number): readonly string[];
}

/** On a terminal long lines go on below their beginning; in a pipe they stay whole. */
async function writerFor({ columns, colours }: Host): Promise<Writer> {
  const paint = painter(colours.stdout);
  if (columns === undefined) return { paint, fold: (text) => [oneLine(text)] };
  const { widthOf } = await import("./width.ts");
  const fold = (text: string, column: number) => wrap(oneLine(text), Math.max(24, columns - column), widthOf);
  return { paint, fold };
}

function render({ problems, sections }: Report, writer: Writer): string {
  const { paint, fold } = writer;
  const lines = [
    paint("heading", summaryOf(problems)),
    "",
    ...problems.flatMap((problem) => renderProblem(problem, writer)),
    ...(problems.length === 0 ? [] : [""]),
    ...sections.flatMap(({ name, lines }) => [
      paint("heading", name[0]!.toUpperCase() + name.slice(1)),
      ...lines.flatMap(({ mark, label, text }) => {
        const [sign, meaning] = MARKS[mark];
        const head = `  ${paint(meaning, sign)} ${oneLine(label).padEnd(LABEL)} `;
        return fold(text, INDENT).map((line, at) => (at === 0 ? head : " ".repeat(INDENT)) + line);
      }),
      "",
    ]),
  ];
  return lines.join("\n");
}

const LABEL = 12;
/** Where the texts of facts begin. */
const INDENT = LABEL + 5;

function summaryOf(problems: readonly Problem[]): string {
  const count = (of: Problem["level"]) => problems.filter(({ level }) => level === of).length;
  if (problems.length === 0) return "Nothing is wrong.";
  return [["Broken", count("broken")], ["Worth a look", count("look")]].filter(([, number]) => number !== 0)
    .map(([what, number]) => `${what}: ${number}.`).join(" ");
}

function renderProblem(
  { level, section, origin, path, message, fix }: Problem,
  { paint, fold }: Writer,
): readonly string[] {
  const [sign, meaning] = MARKS[level];
  const text = [origin ?? section, path, message].filter(Boolean).join(": ");
  const [first = "", ...more] = fold(text, 2);
  const [cure = "", ...rest] = fold(fix, 9);
  return [
    `${paint(meaning, sign)} ${first}`,
    ...more.map((line) => `  ${line}`),
    `    ${paint("good", "Fix:")} ${cure}`,
    ...rest.map((line) => `         ${line}`),
  ];
}
