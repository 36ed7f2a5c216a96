/**
 * What must hold for every workflow, beyond what linters check?
 *
 * `checkWorkflow` reads a workflow as data and returns one complaint for each breach: actions are pinned to a commit
 * with the version beside it, jobs have a time limit and only rights that they name themselves, no expression is
 * pasted into a script, checkouts keep no credentials, a job can be run again, and what scripts call is there.
 */
import { load } from "js-yaml";

/** What a workflow may refer to. */
export interface Surroundings {
  /** The tasks of deno.json. */
  readonly tasks: readonly string[];
  /** Whether a file of the repository exists. */
  readonly hasFile: (path: string) => boolean;
}

/** The parts of a workflow that are looked at. */
interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

type Permissions = Readonly<Record<string, string>>;

interface Job {
  readonly permissions?: Permissions;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** Everything that is wrong with a workflow. */
export function checkWorkflow(text: string, { tasks, hasFile }: Surroundings): readonly string[] {
  const { permissions, jobs } = load(text) as Workflow;
  const complaints: string[] = [];
  if (permissions === undefined) complaints.push("the workflow says nothing of permissions");
  else if (canWrite(permissions)) {
    complaints.push("every job may write: give permissions to the job that needs them");
  }
  for (const line of text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line))) {
    if (!/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)) {
      complaints.push(
        `${line.replace(/^\s*(- )?/, "")} is not pinned to a commit with its version behind it`,
      );
    }
  }
  for (const [name, job] of Object.entries(jobs)) {
    if (typeof job["timeout-minutes"] !== "number") complaints.push(`${name} has no time limit`);
    for (const { uses, run, with: given } of job.steps) {
      if (uses?.startsWith("actions/checkout@") && given?.["persist-credentials"] !== false) {
        complaints.push(`${name} leaves credentials in the checkout`);
      }
      if (uses?.startsWith("actions/upload-artifact@") && given?.["overwrite"] !== true) {
        complaints.push(`${name} cannot be run again: its upload does not overwrite the first attempt's`);
      }
      if (run === undefined) continue;
      if (run.includes("${{")) complaints.push(`${name} pastes an expression into a script: pass it in env`);
      for (const [, task] of run.matchAll(/\bdeno(?:@\$DENO_VERSION")? task (\S+)/g)) {
        if (!tasks.includes(task!)) complaints.push(`${name} runs the task ${task}, which is not there`);
      }
      for (const [path] of run.matchAll(/(?<![\w/.])(?:\.github|tests|docs|bench|src)\/[\w/.-]*\w/g)) {
        if (!hasFile(path)) complaints.push(`${name} names ${path}, which is not there`);
      }
    }
  }
  return complaints;
}

function canWrite(permissions: Permissions | string): boolean {
  return typeof permissions === "string"
    ? permissions !== "read-all"
    : Object.values(permissions).includes("write");
}

/** All scripts of a workflow as one, in which each is a function. */
export function joinScripts(text: string): string {
  const { jobs } = load(text) as Workflow;
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  return scripts.map((script, at) => `step_${at}() {\n${script}\n}\nstep_${at}\n`).join("");
}
