/**
 * The completion contract: runs the project's own cc-verify.sh and judges the result. Only that script is run, only if
 * the user allowed it, one at a time, within a time limit, with an environment of its own and never with text of the
 * caller's in its command line. Nothing of it is left when it is over. The exit status decides; a script that says
 * CC FAIL has failed, too.
 */
import { splitLines } from "../../../base/text.ts";
import { chooseFrom, fail } from "../../../base/errors.ts";
import { replaceHidden } from "../../../base/hidden.ts";
import { STACKS } from "../../../base/model.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import type { Clock, Work } from "../../../base/work.ts";
import { baseName, insidePath, isInside, joinPath, realPath } from "../../../content/tree/mod.ts";
import { joinBytes } from "../../../process/lines.ts";
import { supervise, SupervisorError } from "../../../process/supervisor.ts";
import type { ScriptVariables } from "../../../settings/plan/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["ts", "typescript"],
  ["react", "typescript"],
  ["py", "python"],
  ["tf", "terraform"],
  ["kubernetes", "k8s"],
  ["shell", "shell"],
  ["sh", "shell"],
]);

export interface ContractRequest {
  readonly stack?: string;
  readonly folder?: string;
}

const SCRIPT = "_config/custom/cc-verify.sh";

export interface RunTools extends Clock, Work {
  /** The environment of the script; undefined unless the user allows it. */
  readonly script: ScriptVariables | undefined;
  readonly limitMs: number;
}

export async function verifyContract(
  project: ProjectFolder,
  request: ContractRequest,
  tools: RunTools,
): Promise<Report> {
  const { stack: given = "auto" } = request;
  const stack = SYNONYMS.get(given.toLowerCase()) ?? chooseFrom(STACKS, "stack", given);
  const path = findScript(project);
  const folder = resolveFolder(project, request.folder ?? "");
  return reportVerdict({ ...await runScript(project, { stack, path, folder }, tools), stack, path, folder });
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

function resolveFolder({ root }: ProjectFolder, given: string): string {
  const folder = insidePath("folder", given, root);
  const path = realPath(joinPath(root, folder));
  if (path === undefined || !Deno.statSync(path).isDirectory) {
    return fail({ code: "not-found", what: "folder", name: folder });
  }
  return isInside(path, root) ? folder : fail({ code: "outside-root", path: folder });
}

interface Place {
  readonly folder: string;
  readonly stack: string;
  readonly path: string;
}

const PROGRESS_MS = 5_000;

/** What is running in which project: two runs at once would disturb each other. */
const running = new Map<string, string>();

async function runScript(project: ProjectFolder, { stack, path, folder }: Place, tools: RunTools) {
  const { script, limitMs, signal, now, after, changing } = tools;
  const refuse = (what: string, hint: string, setting?: "allowExec") =>
    fail({ code: "not-allowed", what: `run ${what}`, hint, setting });
  if (script === undefined) return refuse(path, "the user has to allow it", "allowExec");
  const other = running.get(project.root);
  if (other !== undefined) {
    return refuse(path, `${other === path ? "it" : other} is already running, try again when it is done`);
  }
  changing?.();
  running.set(project.root, path);
  const since = now(), late = new AbortController(), output = collectEnds();
  const cancelLimit = after(limitMs, () => late.abort());
  const stopProgress = reportProgress(baseName(path), tools, since);
  try {
    const code = await supervise({
      command: ["bash", "--", `${project.root}/${path}`],
      shell: "bash",
      folder: joinPath(project.root, folder),
      variables: { ...environmentOf(script), ...(stack !== "auto" && { CC_STACK: stack }) },
      signal: AbortSignal.any([late.signal, ...signal === undefined ? [] : [signal]]),
      stdout: output.push,
    });
    signal?.throwIfAborted();
    const text = project.clean.text(plainOutput(output.text()));
    return { code, isLate: late.signal.aborted, output: text, limitMs, ms: now() - since };
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return error.reason === "not-allowed"
      ? refuse("bash", "the program was started without permission")
      : refuse("bash", "it was not found in PATH, install it");
  } finally {
    cancelLimit();
    stopProgress();
    running.delete(project.root);
  }
}

type VerifyRun = Place & Awaited<ReturnType<typeof runScript>>;

function environmentOf({ path, home }: ScriptVariables): Readonly<Record<string, string>> {
  return {
    PATH: path ?? "/usr/local/bin:/usr/bin:/bin",
    ...(home === undefined ? {} : { HOME: home }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
  };
}

function reportProgress(title: string, { progress, now, after, limitMs }: RunTools, since: number) {
  let cancel = () => {};
  const report = () => {
    progress?.(now() - since, limitMs, `Running ${title}`);
    cancel = after(PROGRESS_MS, report);
  };
  if (progress !== undefined) report();
  return () => cancel();
}

const VERDICT = /\bCC:? (PASS|FAIL)\b(?: — \[([^[\]\n]*)\])?/g;
const NO_STACK = /\b(?:Aucun stack|No stack)\b/i;

/** Patterns without a second way to match: an output of blank lines takes no longer. */
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

function judge(
  { code, isLate, limitMs }: VerifyRun,
  { word, stacks, isMixed, hasNoStack, hasChecks }: ReturnType<typeof readResult>,
): readonly [string, note?: string] {
  if (isLate) return ["ERROR", `killed at the time limit of ${limitMs / 1_000} s`];
  if (code !== 0) {
    const ends: readonly (readonly [boolean, string])[] = [
      [word === "PASS", `the output says CC PASS, but the exit code is ${code}`],
      // As shells report it.
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

function reportVerdict(run: VerifyRun): Report {
  const { code, isLate, ms, stack, path, folder, output } = run;
  const result = readResult(output);
  const { stacks } = result;
  const [status, note] = judge(run, result);
  const checked = stacks.length === 0 ? "" : `: ${stacks.join(", ")}`;
  const text = joinLines(
    `${status}${checked} (${(ms / 1_000).toFixed(1)} s, exit code ${code})`,
    note !== undefined && `Note: ${note}`,
    `Ran ${path} in ${folder || "the project"}, stack ${stack}. Its output:`,
    "",
    output,
  );
  return {
    text: text.trimEnd(),
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

const HEAD_BYTES = 64 << 10;
const TAIL_BYTES = 192 << 10;

/** Two buffers that never grow: even an empty view would keep its whole chunk in memory. */
function collectEnds() {
  const head = new Uint8Array(HEAD_BYTES);
  // A ring: each byte overwrites the one that came `TAIL_BYTES` before it.
  const tail = new Uint8Array(TAIL_BYTES);
  let size = 0;
  const push = (chunk: Uint8Array) => {
    const first = chunk.subarray(0, Math.max(0, HEAD_BYTES - size));
    if (first.length > 0) head.set(first, size);
    const last = chunk.subarray(Math.max(first.length, chunk.length - TAIL_BYTES));
    size += chunk.length;
    if (last.length === 0) return;
    const at = (size - last.length - HEAD_BYTES) % TAIL_BYTES;
    const fits = last.subarray(0, TAIL_BYTES - at);
    tail.set(fits, at);
    tail.set(last.subarray(fits.length), 0);
  };
  const decode = (...chunks: Uint8Array[]) => new TextDecoder().decode(joinBytes(chunks));
  const text = () => {
    const inTail = Math.max(0, size - HEAD_BYTES);
    if (inTail <= TAIL_BYTES) return decode(head.subarray(0, size), tail.subarray(0, inTail));
    const oldest = inTail % TAIL_BYTES;
    const omitted = inTail - TAIL_BYTES;
    return `${decode(head)}\n[${omitted} bytes omitted]\n${
      decode(tail.subarray(oldest), tail.subarray(0, oldest))
    }`;
  };
  return { push, text };
}

/** Escape sequences. `stripVTControlCharacters` of node:util would leave half of a window title. */
const SEQUENCES: readonly RegExp[] = [
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g,
  // deno-lint-ignore no-control-regex
  /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g,
  // deno-lint-ignore no-control-regex
  /\x1b[ -/]*[0-~]/g,
];

export function plainOutput(output: string): string {
  const text = SEQUENCES.reduce((text, sequence) => text.replaceAll(sequence, ""), output);
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const plain = lines.map((line) =>
    replaceHidden(line.slice(line.lastIndexOf("\r") + 1), () => "").trimEnd()
  );
  return plain.join("\n").replace(/^\n+/, "").trimEnd();
}
