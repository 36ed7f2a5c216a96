/**
 * The completion contract: the project's own cc-verify.sh, and what its run comes to.
 *
 * Only that one script is ever run, only when the user allowed it, and never with a word of the caller's in its command
 * line: the stack goes in as a variable. PASS is said only when the script says so; one that found nothing to check is
 * NONE, and one that did not come to an end of its own is ERROR.
 */
import type { Clock, Work } from "../../base/work.ts";
import type { ScriptVariables } from "../../settings/plan/mod.ts";
import { fail } from "../../base/errors.ts";
import { STACKS } from "../../base/model.ts";
import { insidePath, isInside, joinPath } from "../../content/tree/mod.ts";
import type { Project } from "./project.ts";
import type { Report } from "../../base/report.ts";
import { runScript, type ScriptEnd, type ScriptRequest } from "./script.ts";

/** Other words for them, and one that the script knows beside them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ts: "typescript",
  react: "typescript",
  py: "python",
  tf: "terraform",
  kubernetes: "k8s",
  shell: "shell",
  sh: "shell",
};

/** What is to be verified. */
export interface ContractRequest {
  /** One of the stacks; `auto` looks which there are. */
  readonly stack?: string;
  /** A folder inside the project; the project itself when it is missing. */
  readonly workingDir?: string;
}

/** With what, for how long and for whom a script is run. */
export interface ContractRun extends Clock, Work {
  /** Undefined when the user did not allow it. */
  readonly variables: ScriptVariables | undefined;
  readonly limitMs: number;
}

/** What a run comes to. */
export type Verdict = "PASS" | "FAIL" | "NONE" | "ERROR";

const SCRIPT = "_config/custom/cc-verify.sh";

/** Projects whose script is running now: two at once would get in each other's way. */
const busy = new Set<string>();

/** Runs the contract of a project. */
export async function verifyContract(
  project: Project,
  request: ContractRequest,
  run: ContractRun,
): Promise<Report> {
  const stack = checkStack(request.stack);
  const { path, folder } = placesOf(project, request.workingDir);
  const { variables } = run;
  if (variables === undefined) {
    return fail({
      code: "not-allowed",
      what: `run ${path}`,
      hint: "the user has to allow it: start the server with --allow-exec or BMAD_ALLOW_EXEC=1 " +
        "(no settings file can)",
    });
  }
  if (busy.has(project.root)) {
    return fail({
      code: "not-allowed",
      what: `run ${path}`,
      hint: "it is running already; wait until it is done",
    });
  }
  busy.add(project.root);
  const since = run.now();
  const stopTelling = tellProgress(run, since);
  try {
    const end = await start({
      script: `${project.root}/${path}`,
      folder: joinPath(project.root, folder),
      variables: variablesFor(variables, stack),
      limitMs: run.limitMs,
      signal: run.signal,
      after: run.after,
    });
    const duration = run.now() - since;
    const output = project.clean.text(plainOutput(end.output));
    return reportOf(judge(end, output, run.limitMs), { duration, end, stack, path, folder, output });
  } finally {
    stopTelling();
    busy.delete(project.root);
  }
}

function checkStack(given = "auto"): string {
  const word = given.toLowerCase();
  const stack = STACKS.find((one) => one === word) ??
    (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
  return stack ?? fail({
    code: "invalid-input",
    field: "stack",
    problem: `${JSON.stringify(given.slice(0, 60).toWellFormed())} is no stack`,
    hint: `Use ${STACKS.join(", ")}`,
  });
}

/** The script and the folder to run it in, inside the project, links followed. */
function placesOf(
  project: Project,
  workingDir: string | undefined,
): { readonly path: string; readonly folder: string } {
  const paths = project.bases.map((base) => joinPath(base, SCRIPT));
  const path = paths.find((one) => project.tree.stat(one) !== undefined);
  if (path === undefined) {
    const isLink = paths.some((one) => project.tree.refused().includes(one));
    return isLink ? fail({ code: "outside-root", path: paths[0]! }) : fail({
      code: "not-found",
      what: "completion contract",
      name: paths[0]!,
      hint: "The project-memory kit puts it there",
    });
  }
  const folder = insidePath("working_dir", workingDir ?? "", project.root);
  const real = folderAt(joinPath(project.root, folder));
  if (real === undefined) fail({ code: "not-found", what: "folder", name: folder });
  if (!isInside(real, project.root)) fail({ code: "outside-root", path: folder });
  return { path, folder };
}

function folderAt(path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    return Deno.statSync(real).isDirectory ? real : undefined;
  } catch {
    return undefined;
  }
}

/** All that a script is told: where programs and their caches are, the stack, and that nobody watches in colour. */
function variablesFor({ path, home }: ScriptVariables, stack: string): Readonly<Record<string, string>> {
  return {
    PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
    ...(home === undefined ? {} : { HOME: home }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    ...(stack === "auto" ? {} : { CC_STACK: stack }),
  };
}

async function start(request: ScriptRequest): Promise<ScriptEnd> {
  try {
    return await runScript(request);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      return fail({
        code: "not-allowed",
        what: "run bash",
        hint: "the program was started without the right to",
      });
    }
    if (error instanceof Deno.errors.NotFound) {
      return fail({ code: "not-allowed", what: "run bash", hint: "no bash was found in PATH: install it" });
    }
    throw error;
  }
}

const TELL_MS = 5_000;

/** Tells how long it has been going, so that clients do not give up. */
function tellProgress({ progress, now, after, limitMs }: ContractRun, since: number): () => void {
  let forget = () => {};
  const tell = () => {
    progress?.(now() - since, limitMs, "Running cc-verify.sh");
    forget = after(TELL_MS, tell);
  };
  if (progress !== undefined) tell();
  return () => forget();
}

/** What a run comes to, and why where that is no verdict of the script's own. */
function judge(
  { code, isLate }: ScriptEnd,
  output: string,
  limitMs: number,
): { readonly status: Verdict; readonly stacks: readonly string[]; readonly note?: string } {
  const [, word, names = ""] = [...output.matchAll(/CC (PASS|FAIL) — \[([^\]\n]*)\]/g)].at(-1) ?? [];
  const stacks = names.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (isLate) return { status: "ERROR", stacks, note: `ended after the time limit of ${limitMs / 1_000} s` };
  if (code === 1 || (code === 0 && word === "FAIL")) return { status: "FAIL", stacks };
  if (code !== 0) return { status: "ERROR", stacks, note: `the script broke off with exit code ${code}` };
  if (word === undefined) return { status: "NONE", stacks, note: "the script found no stack to check" };
  const hasChecks = /^\s*→ /m.test(output);
  const note = hasChecks ? undefined : "no check ran: the tools for these stacks may be missing";
  return { status: "PASS", stacks, ...(note === undefined ? {} : { note }) };
}

function reportOf(
  { status, stacks, note }: ReturnType<typeof judge>,
  { duration, end, stack, path, folder, output }: {
    readonly duration: number;
    readonly end: ScriptEnd;
    readonly stack: string;
    readonly path: string;
    readonly folder: string;
    readonly output: string;
  },
): Report {
  const checked = stacks.length === 0 ? "" : `: ${stacks.join(", ")}`;
  const lines = [
    `${status}${checked} (${(duration / 1_000).toFixed(1)} s, exit code ${end.code})`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    `Ran ${path} in ${folder || "the project"}, stack ${stack}. Its output:`,
    "",
    output,
  ];
  return {
    text: lines.join("\n").trimEnd(),
    data: {
      status,
      duration_ms: duration,
      exit_code: end.code,
      timed_out: end.isLate,
      stacks,
      stack,
      note,
      script: path,
      working_dir: folder || ".",
      output,
    },
  };
}

/** Colours and movements; titles and links; all other signs for a terminal. */
const SEQUENCES: readonly RegExp[] = [
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g,
  // deno-lint-ignore no-control-regex
  /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g,
  // deno-lint-ignore no-control-regex
  /\x1b[ -/]*[0-~]/g,
];
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Output as text alone: without colours, movements of the cursor and lines that were written over. */
export function plainOutput(output: string): string {
  const text = SEQUENCES.reduce((text, sequence) => text.replaceAll(sequence, ""), output);
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const plain = lines.map((line) =>
    line.slice(line.lastIndexOf("\r") + 1).replaceAll(CONTROLS, "").trimEnd()
  );
  return plain.join("\n").replace(/^\n+/, "").trimEnd();
}
