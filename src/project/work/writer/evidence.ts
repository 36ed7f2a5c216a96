/**
 * Evidence: a command and how it ended before and after the change, noted in the file of its story.
 *
 * The results are told, or found by running the command, if the user allows that.
 */
import { fail } from "../../../base/errors.ts";
import type { Report } from "../../../base/report.ts";
import { oneLine, replaceHidden, shorten, splitLines } from "../../../base/text.ts";
import { localDate } from "../../../base/work.ts";
import { findStory, type Found, identityOf } from "../board/mod.ts";
import { type CommandRun, FORMS, outcomeOf, readStoryText } from "../formats/mod.ts";
import { reviewedFile, textAt } from "./finding.ts";
import { withRun } from "./run_edit.ts";
import { bashArguments, commandsIn } from "./runners.ts";
import { refuse, type WriterWorld } from "./world.ts";

/** A command, and how it ended, if the caller says so. */
export interface EvidenceRequest {
  readonly story: string;
  readonly command: string;
  /** How it ended before the change. */
  readonly before?: string;
  readonly after?: string;
}

/** How a command ended; `output` is safe to show. */
export interface CommandEnd {
  readonly code: number;
  readonly isLate: boolean;
  readonly limitMs: number;
  readonly output: string;
}

/** What bash is to run, and how people call it. */
export interface BashCall {
  readonly name: string;
  readonly args: readonly string[];
}

/** A project that is opened for a change, and how commands are run in it. */
export interface EvidenceWorld extends WriterWorld {
  /** Undefined if the user has not allowed it. */
  readonly run?: (call: BashCall) => Promise<CommandEnd>;
}

const MAX_COMMAND = 300;
const MAX_RESULT = 100;

/** Notes a command with its results. */
export async function noteEvidence(world: EvidenceWorld, request: EvidenceRequest): Promise<Report> {
  const { files, board, signal, now } = world;
  const found = findStory(board, request.story);
  const command = plainText("command", request.command, MAX_COMMAND);
  const told = {
    ...(request.before !== undefined && { before: resultIn("before", request.before) }),
    ...(request.after !== undefined && { after: resultIn("after", request.after) }),
  };
  const name = identityOf(found.epic, found.story);
  const path = reviewedFile(found.story) ?? refuse(`note a result for ${name}`, "it has no file yet");
  if (!files.isWritable) refuse(`note a result for ${name}`, "this start is read-only");
  files.checkTarget(path);
  const end = Object.keys(told).length > 0 ? undefined : await runCommand(world, found, command);
  const run = await files.exclusively(() => {
    const text = textAt(files, path);
    const { line: _, ...own } = readStoryText(path, text).runs.find((one) => one.command === command) ??
      { line: 0, command };
    const run = { ...own, ...told, ...(end && seenIn(end, own)), date: localDate(now()) };
    files.replace(path, withRun(path, text, FORMS[found.story.form].runs, run), text);
    return run;
  }, signal);
  return reportRun(name, run, path, end);
}

/** A result that says how a command ended. */
function resultIn(field: string, given: string): string {
  const text = plainText(field, given, MAX_RESULT);
  if (outcomeOf(text) !== undefined) return text;
  return fail({
    code: "invalid-input",
    field,
    problem: 'Say whether it passed or failed: "passed, 12 tests"',
  });
}

/** A text of the caller's that becomes a part of a row. */
function plainText(field: string, given: string, max: number): string {
  const text = given.trim();
  const refuseIt = (problem: string) => fail({ code: "invalid-input", field, problem });
  if (text === "") return refuseIt("it is empty");
  if (text.length > max) return refuseIt(`it has more than ${max} characters`);
  if (text !== oneLine(text) || text !== replaceHidden(text, () => "")) {
    return refuseIt("it is not one line of plain text");
  }
  return text.includes("`") ? refuseIt("it has a backtick") : text;
}

async function runCommand({ files, run }: EvidenceWorld, { story }: Found, command: string) {
  const name = `\`${command}\``;
  if (run === undefined) {
    const hint =
      "the user has not allowed it. Say how it ended before or after the change, or have it allowed";
    return fail({ code: "not-allowed", what: `run ${name}`, hint, setting: "allowExec" });
  }
  const { stampsEntries } = await import("../../scripts/mod.ts");
  const hasStamps = stampsEntries(files);
  const known = [story.file, story.plan].flatMap((path) =>
    path === undefined ? [] : [...commandsIn(path, textAt(files, path), hasStamps)]
  );
  const args = await bashArguments(command, new Set(known), files);
  if (args === undefined) {
    return refuse(
      `run ${name}`,
      "neither the story's documents spell it, nor is it a plain call of a test runner. " +
        "Write it into a code block of the story's Verification section first, " +
        "or say how it ended before or after the change",
    );
  }
  const end = await run({ name, args });
  const problem = end.isLate ? undefined : NOT_RUN[end.code];
  if (problem === undefined) return end;
  const printed = oneLine(lastLines(end.output)).slice(-MAX_PRINTED);
  return refuse(`run ${name}`, `${problem}${printed === "" ? "" : `. It printed: ${printed}`}`);
}

/** The exit codes of a shell that say nothing about the change. */
const NOT_RUN: Readonly<Record<number, string>> = {
  126: "the command cannot be executed",
  127: "the command was not found",
};
const MAX_PRINTED = 300;

/** What a run says: a failure before anything was noted is how it was before the change. */
function seenIn({ code, isLate, limitMs }: CommandEnd, { before, after }: CommandRun): Partial<CommandRun> {
  const result = isLate
    ? `did not end within ${limitMs / 1_000} s`
    : code === 0
    ? "passed"
    : `failed (exit ${code})`;
  const isFirst = before === undefined && after === undefined;
  return isFirst && outcomeOf(result) === "failed" ? { before: result } : { after: result };
}

const MAX_LINES = 40;
const MAX_SHOWN = 4_000;

function reportRun(name: string, run: CommandRun, path: string, end: CommandEnd | undefined): Report {
  const { command, before, after } = run;
  const left = leftToDo(run);
  const output = end && lastLines(end.output);
  const results = [
    ...(before === undefined ? [] : [`before: ${before}`]),
    ...(after === undefined ? [] : [`after: ${after}`]),
  ];
  return {
    text: [
      `${name}: \`${command}\` — ${results.join("; ")}`,
      `Changed: ${oneLine(path)}`,
      ...(left === undefined ? [] : [left]),
      ...(output === undefined || output === "" ? [] : ["The end of its output:", "", output]),
    ].join("\n"),
    data: { story: name, ...run, file: path, ran: end !== undefined, left, output },
  };
}

function leftToDo({ after }: CommandRun): string | undefined {
  if (after === undefined) return "Make the change, then note the command again.";
  const outcome = outcomeOf(after);
  if (outcome === "passed") return undefined;
  return outcome === "failed"
    ? "Fix what failed, then note the command again."
    : `"${shorten(after, 60)}" does not say whether it passed or failed; note it again in these words.`;
}

function lastLines(output: string): string {
  return splitLines(output).slice(-MAX_LINES).join("\n").slice(-MAX_SHOWN);
}
