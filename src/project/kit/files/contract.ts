/**
 * Runs only the project's own cc-verify.sh, only if the user allowed it, one at a time, within a time limit, with an
 * environment of its own and none of the caller's text in its command line. The exit status decides; a script that
 * says CC FAIL has failed, too.
 */
import { chooseFrom, fail, failMissing, failOutside } from "../../../base/errors.ts";
import { replaceHidden } from "../../../base/hidden.ts";
import { STACKS } from "../../../base/model.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { splitLines } from "../../../base/text.ts";
import type { Clock, Work } from "../../../base/work.ts";
import { baseName, insidePath, isInside, joinPath, realPath } from "../../../content/tree/mod.ts";
import { joinBytes } from "../../../process/lines.ts";
import { supervise, SupervisorError } from "../../../process/supervisor.ts";
import type { ScriptVariables } from "../../../settings/plan/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { ProjectFolder } from "./project_folder.ts";

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["ts", "typescript"],
  ["react", "typescript"],
  ["py", "python"],
  ["tf", "terraform"],
  ["kubernetes", "k8s"],
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
  { stack: given = "auto", folder: wanted = "" }: ContractRequest,
  tools: RunTools,
): Promise<Report> {
  const stack = SYNONYMS.get(given.toLowerCase()) ?? chooseFrom(STACKS, "stack", given);
  const path = findScript(project);
  const folder = resolveFolder(project, wanted);
  const { code, isLate, output, ms } = await runScript(project, { stack, path, folder }, tools);
  const result = readResult(output);
  const [, status, note] = judge({ code, isLate, limitMs: tools.limitMs }, result);
  const checked = result.stacks.length === 0 ? "" : `: ${result.stacks.join(", ")}`;
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
      stacks: result.stacks,
      stack,
      note,
      script: path,
      working_dir: folder || ".",
      output,
    },
  };
}

function findScript({ bases, tree }: ProjectFolder): string {
  const paths = bases.map((base) => joinPath(base, SCRIPT));
  const path = paths.find((one) => tree.stat(one) !== undefined);
  if (path !== undefined) return path;
  const [expected] = paths as [string];
  // A link that leads out of the project is refused by the tree.
  if (paths.some((one) => tree.refused().includes(one))) failOutside(expected);
  const hint = "The project-memory kit installs it";
  return failMissing("completion contract", expected, { hint });
}

function resolveFolder({ root }: ProjectFolder, given: string): string {
  const folder = insidePath("folder", given, root);
  const path = realPath(joinPath(root, folder));
  if (path === undefined || !Deno.statSync(path).isDirectory) {
    return failMissing("folder", folder);
  }
  return isInside(path, root) ? folder : failOutside(folder);
}

const PROGRESS_MS = 5_000;

/** What is running in which project: two runs at once would disturb each other. */
const running = new Map<string, string>();

async function runScript(
  project: ProjectFolder,
  { stack, path, folder }: Readonly<Record<"stack" | "path" | "folder", string>>,
  { script, limitMs, signal, now, after, changing, progress }: RunTools,
) {
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
  let cancelReport = () => {};
  const report = () => {
    progress?.(now() - since, limitMs, `Running ${baseName(path)}`);
    cancelReport = after(PROGRESS_MS, report);
  };
  if (progress !== undefined) report();
  try {
    const code = await supervise({
      command: ["bash", "--", `${project.root}/${path}`],
      shell: "bash",
      folder: joinPath(project.root, folder),
      variables: {
        PATH: script.path ?? "/usr/local/bin:/usr/bin:/bin",
        ...(script.home !== undefined && { HOME: script.home }),
        LANG: "C.UTF-8",
        TERM: "dumb",
        NO_COLOR: "1",
        ...(stack !== "auto" && { CC_STACK: stack }),
      },
      signal: AbortSignal.any([late.signal, ...signal === undefined ? [] : [signal]]),
      stdout: output.push,
    });
    signal?.throwIfAborted();
    const text = project.clean.text(plainOutput(output.text()));
    return { code, isLate: late.signal.aborted, output: text, ms: now() - since };
  } catch (error) {
    if (!(error instanceof SupervisorError)) throw error;
    return error.reason === "not-allowed"
      ? refuse("bash", "the program was started without permission")
      : refuse("bash", "it was not found in PATH, install it");
  } finally {
    cancelLimit();
    cancelReport();
    running.delete(project.root);
  }
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

type Verdict = readonly [applies: boolean, status: string, note?: string];

function judge(
  { code, isLate, limitMs }: { readonly code: number; readonly isLate: boolean; readonly limitMs: number },
  { word, stacks, isMixed, hasNoStack, hasChecks }: ReturnType<typeof readResult>,
): Verdict {
  const verdicts: readonly Verdict[] = [
    [isLate, "ERROR", `killed at the time limit of ${limitMs / 1_000} s`],
    [code !== 0 && word === "PASS", "FAIL", `the output says CC PASS, but the exit code is ${code}`],
    // As shells report it.
    [code > 128, "FAIL", `the script was ended by signal ${code - 128}`],
    [code === 126 || code === 127, "FAIL", "a program was not found or cannot be run"],
    [code !== 0, "FAIL"],
    [word === "FAIL", "FAIL", "the output says CC FAIL, but the exit code is 0"],
    [hasNoStack, "NONE", "the script found no stack to check"],
    [word === undefined, "PASS", "the output does not say CC PASS: only the exit code does"],
    [isMixed, "PASS", "the output also says CC FAIL, before its last CC PASS"],
    [stacks.length > 0 && !hasChecks, "PASS", "no check ran: the tools for these stacks may be missing"],
  ];
  return verdicts.find(([applies]) => applies) ?? [true, "PASS"];
}

/** Two buffers that never grow: even an empty view would keep its whole chunk in memory. */
function collectEnds() {
  const head = new Uint8Array(LIMITS.contract.headBytes), tail = new Uint8Array(LIMITS.contract.tailBytes);
  let size = 0;
  const push = (chunk: Uint8Array) => {
    const first = chunk.subarray(0, Math.max(0, head.length - size));
    head.set(first, Math.min(size, head.length));
    const last = chunk.subarray(Math.max(first.length, chunk.length - tail.length));
    tail.copyWithin(0, last.length);
    tail.set(last, tail.length - last.length);
    size += chunk.length;
  };
  const text = () => {
    const inHead = Math.min(size, head.length), inTail = Math.min(size - inHead, tail.length);
    const omitted = size - inHead - inTail;
    const gap = new TextEncoder().encode(omitted === 0 ? "" : `\n[${omitted} bytes omitted]\n`);
    const end = tail.subarray(tail.length - inTail);
    return new TextDecoder().decode(joinBytes([head.subarray(0, inHead), gap, end]));
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
