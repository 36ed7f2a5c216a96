/** How a command ended before and after the change. The caller ran it; nothing is run here. */
import { joinLines, type Report, textLines } from "../../../base/report.ts";
import { failField, failInput } from "../../../base/errors.ts";
import { oneLine, shorten } from "../../../base/text.ts";
import { replaceHidden } from "../../../base/hidden.ts";
import { localDate } from "../../../base/time.ts";
import { findStory, identityOf } from "../board/mod.ts";
import {
  type Boxes,
  type CommandRun,
  EditedText,
  type Form,
  FORMS,
  type Heading,
  outcomeOf,
  readRun,
  readStoryText,
  runRow,
  type SectionPlace,
} from "../formats/mod.ts";
import { reviewedFile, textAt } from "./finding.ts";
import { BULLET, endOfItem, endOfSection, factsOf, refuseForm } from "./text_lines.ts";
import { changedFiles, refuse, refuseUnwritten, type WriteContext } from "./write_context.ts";

export interface EvidenceRequest {
  readonly story: string;
  readonly command: string;
  readonly before?: string;
  readonly after?: string;
}

const MAX_COMMAND = 300;
const MAX_RESULT = 100;

export async function recordEvidence(
  { files, board, signal, now }: WriteContext,
  request: EvidenceRequest,
): Promise<Report> {
  const { epic, story } = findStory(board, request.story);
  const command = plainText("command", request.command, MAX_COMMAND);
  if (request.before === undefined && request.after === undefined) {
    return failInput(
      "Missing result",
      'Run the command, and say how it ended before or after the change: "failed (exit 1)", "passed"',
    );
  }
  const [before, after] = [resultIn("before", request.before), resultIn("after", request.after)];
  const name = identityOf(epic, story);
  const path = reviewedFile(story) ?? refuseUnwritten(`note a result for ${name}`, story);
  if (!files.isWritable) refuse(`note a result for ${name}`, "this start is read-only");
  files.checkTarget(path);
  const run = await files.exclusively(() => {
    const text = textAt(files, path);
    const known = readStoryText(path, text).runs.find((one) => one.command === command);
    const date = localDate(now());
    const run = { command, before: before ?? known?.before, after: after ?? known?.after, date };
    files.replace(path, withRun(path, text, FORMS[story.form].runs, run), text);
    return run;
  }, signal);
  const results = textLines(run.before && `before: ${run.before}`, run.after && `after: ${run.after}`);
  const left = leftToDo(run);
  return {
    text: joinLines(`${name}: \`${command}\` — ${results.join("; ")}`, changedFiles([path]), left),
    data: { story: name, ...run, file: path, left },
  };
}

function leftToDo({ after }: CommandRun): string | undefined {
  if (after === undefined) return "Make the change, then note the command again.";
  const outcome = outcomeOf(after);
  if (outcome === "passed") return undefined;
  if (outcome === "failed") return "Fix what failed, then note the command again.";
  return `"${shorten(after, 60)}" does not say whether it passed or failed; note it again in these words.`;
}

function resultIn(field: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = plainText(field, given, MAX_RESULT);
  const isOutcome = outcomeOf(text) !== undefined;
  return isOutcome ? text : failField(field, 'Say whether it passed or failed: "passed, 12 tests"');
}

function plainText(field: string, given: string, max: number): string {
  const text = given.trim();
  if (text === "") return failField(field, "it is empty");
  if (text.length > max) return failField(field, `it has more than ${max} characters`);
  if (text !== oneLine(text) || text !== replaceHidden(text, () => "")) {
    return failField(field, "it is not one line of plain text");
  }
  return text.includes("`") ? failField(field, "it has a backtick") : text;
}

export function withRun(path: string, text: string, places: Form["runs"], run: CommandRun): string {
  const { runs, outline, boxes } = readStoryText(path, text);
  const edited = new EditedText(text);
  const own = runs.find(({ command }) => command === run.command);
  if (own !== undefined) {
    const row = edited.lines[own.line - 1];
    if (row === undefined || readRun(row.text)?.command !== run.command) return refuseText(path, own.line);
    row.text = `${BULLET.exec(row.text)![0]}${runRow(run)}`;
  } else addRow(edited, outline, places, `- ${runRow(run)}`, runs.at(-1)?.line);
  const changed = edited.toString();
  const meant = own === undefined ? [...runs, run] : runs.map((one) => one === own ? run : one);
  const after = readStoryText(path, changed);
  const isMeant = partsOf(after.runs, after.boxes) === partsOf(meant, boxes) &&
    factsOf(path, changed) === factsOf(path, text);
  return isMeant ? changed : refuseText(path, own?.line);
}

function partsOf(runs: readonly CommandRun[], { ticked, total }: Boxes): string {
  const rows = runs.map(({ command, before, after, date }) => [command, before, after, date]);
  return JSON.stringify([rows, ticked, total]);
}

function addRow(
  edited: EditedText,
  outline: readonly Heading[],
  places: Form["runs"],
  row: string,
  last: number | undefined,
): void {
  const { lines } = edited;
  const section = places.map((place) => headingOf(outline, place, place.length - 1))
    .find((heading) => heading !== undefined);
  const known = last === undefined
    ? section && endOfSection(edited, outline, section)
    : endOfItem(lines, last);
  const { at, headings } = known === undefined
    ? newSection(edited, outline, places[0])
    : { at: known, headings: [] };
  const above = lines[at - 1]?.text ?? "";
  const next = lines[at]?.text ?? "";
  edited.insert(at, [
    ...(above === "" || headings.length === 0 && BULLET.test(above) ? [] : [""]),
    ...headings.flatMap((heading) => [heading, ""]),
    row,
    ...(next === "" || BULLET.test(next) ? [] : [""]),
  ]);
}

function headingOf(outline: readonly Heading[], place: SectionPlace, depth: number): Heading | undefined {
  return outline.find((one) => one.level === depth + 2 && isCalled(one, place[depth]!.title));
}

function isCalled({ text }: Heading, title: string): boolean {
  return text.toLowerCase().startsWith(title.toLowerCase());
}

function newSection(edited: EditedText, outline: readonly Heading[], place: SectionPlace) {
  const depth = place.findIndex((_, at) => headingOf(outline, place, at) === undefined);
  const parent = depth === 0 ? undefined : headingOf(outline, place, depth - 1);
  const end = parent === undefined ? edited.lastFilled() : endOfSection(edited, outline, parent);
  const following = outline.find((one) =>
    one.level === depth + 2 && one.line > (parent?.line ?? 0) && one.line <= end &&
    place[depth]!.before?.some((title) => isCalled(one, title))
  );
  return {
    at: following === undefined ? end : edited.lastFilled(following.line - 1),
    headings: place.slice(depth).map(({ title }, at) => `${"#".repeat(depth + at + 2)} ${title}`),
  };
}

function refuseText(path: string, line?: number): never {
  return refuseForm(path, "it is written in a way that the result of a command cannot be added to", line);
}
