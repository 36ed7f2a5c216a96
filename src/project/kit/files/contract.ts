/**
 * The completion contract: runs the project's own cc-verify.sh and judges the result.
 *
 * Only that one script is ever run, only if the user allowed it, and never with text of the caller's in its command
 * line: the stack is passed as a variable. The exit status decides: 0 is PASS and anything else is FAIL, and so is a
 * script that says CC FAIL. One that found nothing to check is NONE, one that did not end in time is ERROR.
 */
import { splitLines } from "../../../base/text.ts";
import { fail } from "../../../base/errors.ts";
import { STACKS } from "../../../base/model.ts";
import { baseName, insidePath, isInside, joinPath } from "../../../content/tree/mod.ts";
import { chooseFrom } from "./closed_set.ts";
import type { ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../../base/report.ts";
import { type EndedRun, runLimited, type RunTools } from "./limited_run.ts";

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

const SCRIPT = "_config/custom/cc-verify.sh";

export async function verifyContract(
  project: ProjectFolder,
  request: ContractRequest,
  tools: RunTools,
): Promise<Report> {
  const { stack: given = "auto" } = request;
  const stack = SYNONYMS.get(given.toLowerCase()) ?? chooseFrom(STACKS, "stack", given);
  const path = findScript(project);
  const folder = resolveFolder(project, request.folder ?? "");
  const run = await runLimited(project, {
    name: path,
    title: baseName(path),
    args: ["--", `${project.root}/${path}`],
    folder,
    ...(stack !== "auto" && { variables: { CC_STACK: stack } }),
  }, tools);
  return reportVerdict({ ...run, stack, path, folder });
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

/** A script that has ended, and what it was run with. */
interface VerifyRun extends EndedRun {
  readonly folder: string;
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
  { code, isLate, limitMs }: VerifyRun,
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

function reportVerdict(run: VerifyRun): Report {
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
