/**
 * The completion contract: runs the project's own cc-verify.sh and judges the result.
 *
 * Only that one script is ever run, only if the user allowed it, and never with text of the caller's in its command
 * line: the stack is passed as a variable. The exit status decides: 0 is PASS and anything else is FAIL, and so is a
 * script that says CC FAIL. One that found nothing to check is NONE, one that did not end in time is ERROR.
 */
import { splitLines } from "../../../base/text.ts";
import type { Clock, Work } from "../../../base/work.ts";
import type { ScriptVariables } from "../../../settings/plan/mod.ts";
import { fail } from "../../../base/errors.ts";
import { STACKS } from "../../../base/model.ts";
import { SupervisorError } from "../../../process/supervisor.ts";
import { insidePath, isInside, joinPath } from "../../../content/tree/mod.ts";
import { chooseFrom } from "./closed_set.ts";
import { plainOutput } from "./plain_output.ts";
import type { ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../../base/report.ts";
import { runScript, type ScriptRequest, type ScriptResult } from "./script.ts";

/** Other words for the stacks, and `shell`, which the script also knows. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["ts", "typescript"],
  ["react", "typescript"],
  ["py", "python"],
  ["tf", "terraform"],
  ["kubernetes", "k8s"],
  ["shell", "shell"],
  ["sh", "shell"],
]);

/** What to verify. */
export interface ContractRequest {
  /** One of the stacks; `auto` detects them. */
  readonly stack?: string;
  /** Inside the project; the project itself if missing. */
  readonly folder?: string;
}

/** What a run needs from outside. */
export interface ContractTools extends Clock, Work {
  /** The environment of the script; undefined unless the user allows scripts. */
  readonly script: ScriptVariables | undefined;
  readonly limitMs: number;
}

const SCRIPT = "_config/custom/cc-verify.sh";
const PROGRESS_MS = 5_000;

/** Projects whose script is running: two runs at once would disturb each other. */
const running = new Set<string>();

export async function verifyContract(
  project: ProjectFolder,
  request: ContractRequest,
  tools: ContractTools,
): Promise<Report> {
  const { stack: given = "auto" } = request;
  const stack = SYNONYMS.get(given.toLowerCase()) ?? chooseFrom(STACKS, "stack", given);
  const path = findScript(project);
  const folder = resolveFolder(project, request.folder ?? "");
  const { script, limitMs, signal, now, after } = tools;
  const refuse = (hint: string, setting?: "allowExec") =>
    fail({ code: "not-allowed", what: `run ${path}`, hint, setting });
  if (script === undefined) return refuse("the user has to allow it", "allowExec");
  if (running.has(project.root)) return refuse("it is already running, try again when it is done");
  running.add(project.root);
  const since = now();
  const stopProgress = reportProgress(tools, since);
  try {
    const result = await start({
      script: `${project.root}/${path}`,
      folder: joinPath(project.root, folder),
      variables: environmentOf(script, stack),
      limitMs,
      signal,
      after,
    });
    const output = project.clean.text(plainOutput(result.output));
    return reportVerdict({ ...result, output, limitMs, ms: now() - since, stack, path, folder });
  } finally {
    stopProgress();
    running.delete(project.root);
  }
}

function findScript({ bases, tree }: ProjectFolder): string {
  const paths = bases.map((base) => joinPath(base, SCRIPT));
  const path = paths.find((one) => tree.stat(one) !== undefined);
  if (path !== undefined) return path;
  const [expected] = paths as [string];
  // A link that leads out of the project is refused by the tree.
  if (paths.some((one) => tree.refused().includes(one))) fail({ code: "outside-root", path: expected });
  const hint = "The project-memory kit installs it";
  return fail({ code: "not-found", what: "completion contract", name: expected, hint });
}

/** The folder to run the script in, relative to the project; links may not lead out of it. */
function resolveFolder({ root }: ProjectFolder, given: string): string {
  const folder = insidePath("folder", given, root);
  let real: string | undefined;
  try {
    const path = Deno.realPathSync(joinPath(root, folder));
    if (Deno.statSync(path).isDirectory) real = path;
  } catch {
    // Refused below.
  }
  if (real === undefined) fail({ code: "not-found", what: "folder", name: folder });
  return isInside(real, root) ? folder : fail({ code: "outside-root", path: folder });
}

/** The script's whole environment: where programs and their caches are, the stack, and no colours. */
function environmentOf({ path, home }: ScriptVariables, stack: string): Readonly<Record<string, string>> {
  return {
    PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
    ...(home === undefined ? {} : { HOME: home }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    ...(stack === "auto" ? {} : { CC_STACK: stack }),
  };
}

async function start(request: ScriptRequest): Promise<ScriptResult> {
  const refuse = (hint: string) => fail({ code: "not-allowed", what: "run bash", hint });
  try {
    return await runScript(request);
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return error.reason === "not-allowed"
      ? refuse("the program was started without permission")
      : refuse("it was not found in PATH, install it");
  }
}

/** Reports the elapsed time again and again, so that clients keep waiting. Returns how to stop it. */
function reportProgress({ progress, now, after, limitMs }: ContractTools, since: number): () => void {
  let cancel = () => {};
  const report = () => {
    progress?.(now() - since, limitMs, "Running cc-verify.sh");
    cancel = after(PROGRESS_MS, report);
  };
  if (progress !== undefined) report();
  return () => cancel();
}

/** A script that has ended, and what it was run with. */
interface EndedRun extends ScriptResult, Pick<ScriptRequest, "limitMs" | "folder"> {
  readonly ms: number;
  readonly stack: string;
  readonly path: string;
}

/** The words in which the kit's script ends, with or without the stacks that it checked. */
const VERDICT = /\bCC:? (PASS|FAIL)\b(?: — \[([^[\]\n]*)\])?/g;
const NO_STACK = /\b(?:Aucun stack|No stack)\b/i;

/** What a script says of itself. Patterns without a second way to match: an output of blank lines takes no longer. */
export function readResult(output: string) {
  const words = [...output.matchAll(VERDICT)];
  const [, word, names = ""] = words.at(-1) ?? [];
  const stacks = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return {
    word,
    stacks,
    isMixed: words.some(([, other]) => other !== word),
    hasNoStack: word === undefined && NO_STACK.test(output),
    hasChecks: splitLines(output).some((line) => line.trimStart().startsWith("→ ")),
  };
}

/** The verdict on a run, and a note where status and output do not say the same. */
function judge(
  { code, isLate, limitMs }: EndedRun,
  { word, stacks, isMixed, hasNoStack, hasChecks }: ReturnType<typeof readResult>,
): readonly [string, note?: string] {
  if (isLate) return ["ERROR", `killed at the time limit of ${limitMs / 1_000} s`];
  if (code !== 0) {
    const ends: readonly (readonly [boolean, string])[] = [
      [word === "PASS", `the output says CC PASS, but the exit code is ${code}`],
      [code > 128, `the script was ended by signal ${code - 128}`],
      [code === 126 || code === 127, "a program was not found or cannot be run"],
    ];
    return ["FAIL", ends.find(([isSo]) => isSo)?.[1]];
  }
  if (word === "FAIL") return ["FAIL", "the output says CC FAIL, but the exit code is 0"];
  if (hasNoStack) return ["NONE", "the script found no stack to check"];
  if (word === undefined) return ["PASS", "the output does not say CC PASS: only the exit code does"];
  if (isMixed) return ["PASS", "the output also says CC FAIL, before its last CC PASS"];
  return stacks.length === 0 || hasChecks
    ? ["PASS"]
    : ["PASS", "no check ran: the tools for these stacks may be missing"];
}

function reportVerdict(run: EndedRun): Report {
  const { code, isLate, ms, stack, path, folder, output } = run;
  const result = readResult(output);
  const { stacks } = result;
  const [status, note] = judge(run, result);
  const checked = stacks.length === 0 ? "" : `: ${stacks.join(", ")}`;
  const lines = [
    `${status}${checked} (${(ms / 1_000).toFixed(1)} s, exit code ${code})`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    `Ran ${path} in ${folder || "the project"}, stack ${stack}. Its output:`,
    "",
    output,
  ];
  return {
    text: lines.join("\n").trimEnd(),
    data: {
      status,
      duration_ms: ms,
      exit_code: code,
      timed_out: isLate,
      stacks,
      stack,
      note,
      script: path,
      working_dir: folder || ".",
      output,
    },
  };
}
