/**
 * The run of a command in the file of a story: a row of its own, added or changed.
 *
 * Every other byte stays. The new text is read again: unless it says what was to be written, and of the story what it said
 * before, nothing is returned.
 */
import { fail } from "../../../base/errors.ts";
import {
  type CommandRun,
  type Form,
  type Heading,
  type Line,
  readRun,
  readStoryText,
  runRow,
  type SectionPlace,
} from "../formats/mod.ts";
import {
  BULLET,
  endOf,
  endOfItem,
  endOfSection,
  factsOf,
  insert,
  joined,
  lastFilled,
  linesIn,
} from "./text_lines.ts";

/** The text with a run, in place of the one of the same command. */
export function withRun(path: string, text: string, places: Form["runs"], run: CommandRun): string {
  const { runs, outline } = readStoryText(path, text);
  const lines = linesIn(text);
  const own = runs.find(({ command }) => command === run.command);
  if (own !== undefined) {
    const row = lines[own.line - 1];
    if (row === undefined || readRun(row.text)?.command !== run.command) return refuse(path, own.line);
    row.text = `${BULLET.exec(row.text)![0]}${runRow(run)}`;
  } else addRow(lines, outline, places, { row: `- ${runRow(run)}`, last: runs.at(-1)?.line });
  const changed = joined(text, lines);
  const meant = own === undefined ? [...runs, run] : runs.map((one) => one === own ? run : one);
  const isMeant = partsOf(readStoryText(path, changed).runs) === partsOf(meant) &&
    JSON.stringify(factsOf(path, changed)) === JSON.stringify(factsOf(path, text));
  return isMeant ? changed : refuse(path, own?.line);
}

function partsOf(runs: readonly CommandRun[]): string {
  return JSON.stringify(runs.map(({ command, before, after, date }) => [command, before, after, date]));
}

/** Adds a row below the last one, or at the end of its section, which is made if missing. */
function addRow(
  lines: Line[],
  outline: readonly Heading[],
  places: Form["runs"],
  { row, last }: { readonly row: string; readonly last: number | undefined },
): void {
  const section = places.map((place) => headingOf(outline, place, place.length - 1))
    .find((heading) => heading !== undefined);
  const { at, made } = last !== undefined
    ? { at: endOfItem(lines, last), made: [] }
    : section !== undefined
    ? { at: endOfSection(lines, outline, section), made: [] }
    : newSection(lines, outline, places[0]);
  const above = lines[at - 1]?.text ?? "";
  const next = lines[at]?.text ?? "";
  insert(lines, at, [
    ...(above === "" || made.length === 0 && BULLET.test(above) ? [] : [""]),
    ...made.flatMap((heading) => [heading, ""]),
    row,
    ...(next === "" || BULLET.test(next) ? [] : [""]),
  ], endOf(lines));
}

function headingOf(outline: readonly Heading[], place: SectionPlace, depth: number): Heading | undefined {
  return outline.find((one) => one.level === depth + 2 && isCalled(one, place[depth]!.title));
}

function isCalled({ text }: Heading, title: string): boolean {
  return text.toLowerCase().startsWith(title.toLowerCase());
}

/** Where the headings of a place go that are missing, and these. */
function newSection(lines: readonly Line[], outline: readonly Heading[], place: SectionPlace) {
  const depth = place.findIndex((_, at) => headingOf(outline, place, at) === undefined);
  const parent = depth === 0 ? undefined : headingOf(outline, place, depth - 1);
  const end = parent === undefined ? lastFilled(lines, lines.length) : endOfSection(lines, outline, parent);
  const following = outline.find((one) =>
    one.level === depth + 2 && one.line > (parent?.line ?? 0) && one.line <= end &&
    place[depth]!.before?.some((title) => isCalled(one, title))
  );
  return {
    at: following === undefined ? end : lastFilled(lines, following.line - 1),
    made: place.slice(depth).map(({ title }, at) => `${"#".repeat(depth + at + 2)} ${title}`),
  };
}

function refuse(path: string, line?: number): never {
  const problem = "it is written in a way that the result of a command cannot be added to";
  return fail({ code: "invalid-file", path, problem, ...(line !== undefined && { line }) });
}
