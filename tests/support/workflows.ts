/**
 * What must hold for every workflow, beyond what linters check?
 *
 * `checkWorkflow` reads a workflow as data and returns one complaint for each breach: actions are pinned to a commit
 * with the version beside it, jobs have a time limit and only rights that they name themselves, no expression is
 * pasted into a script, checkouts keep no credentials, a job can be run again, and what scripts call is there.
 * `runJob` runs the scripts of a job, with stand-ins for programs that need a hosting service.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { writeProgram } from "./programs.ts";

export interface Surroundings {
  readonly tasks: readonly string[];
  readonly hasFile: (path: string) => boolean;
}

interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Steps that several jobs share. */
interface Action {
  readonly runs: Job;
}

type Permissions = Readonly<Record<string, string>>;

interface Job {
  readonly permissions?: Permissions;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** An action is checked as a job that has the rights and the time of its callers. */
export function checkWorkflow(text: string, { tasks, hasFile }: Surroundings): readonly string[] {
  const { permissions, jobs } = readWorkflow(text);
  const complaints: string[] = [];
  if (permissions === undefined) complaints.push("the workflow says nothing of permissions");
  else if (canWrite(permissions)) {
    complaints.push("every job may write: give permissions to the job that needs them");
  }
  for (const line of text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line))) {
    const [, own] = /uses: \.\/(\.github\/actions\/[\w-]+)$/.exec(line) ?? [];
    if (own !== undefined && !hasFile(`${own}/action.yml`)) complaints.push(`${own} is not there`);
    if (own === undefined && !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)) {
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

function readWorkflow(text: string): Workflow {
  const read = load(text) as Workflow | Action;
  return "jobs" in read ? read : { permissions: {}, jobs: { steps: { "timeout-minutes": 0, ...read.runs } } };
}

function canWrite(permissions: Permissions | string): boolean {
  return typeof permissions === "string"
    ? permissions !== "read-all"
    : Object.values(permissions).includes("write");
}

/** All scripts of a workflow as one, in which each is a function. */
export function joinScripts(text: string): string {
  const { jobs } = readWorkflow(text);
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  return scripts.map((script, at) => `step_${at}() {\n${script}\n}\nstep_${at}\n`).join("");
}

export interface Stage {
  /** The working folder. What the scripts leave there is theirs; `calls.txt` and `output.txt` are ours. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The programs that only note how they are called, with what they print, as a script for the shell. */
  readonly standIns: Readonly<Record<string, string>>;
  /** The steps that run, by name; without it, all that have a script. */
  readonly steps?: readonly string[];
}

export async function runJob(
  workflow: string,
  job: string,
  { cwd, env, standIns, steps }: Stage,
) {
  const [bin, calls, output] = [`${cwd}/bin`, `${cwd}/calls.txt`, `${cwd}/output.txt`];
  await Deno.mkdir(bin, { recursive: true });
  for (const [name, says] of Object.entries(standIns)) {
    writeProgram(
      `${bin}/${name}`,
      `#!/bin/bash\nif [ ! -t 0 ]; then cat > /dev/null; fi\necho "${name} $*" >> '${calls}'\n${says}\n`,
    );
  }
  for (const path of [calls, output]) await Deno.writeTextFile(path, "");
  const all = readWorkflow(workflow).jobs[job]!.steps;
  const missing = steps?.find((name) => !all.some((step) => step.name === name && step.run !== undefined));
  assert.equal(missing, undefined, `${job} has no script of this name`);
  for (const { name, run } of all) {
    if (run === undefined || (steps !== undefined && !steps.includes(name ?? ""))) continue;
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", run],
      cwd,
      env: { ...env, GITHUB_OUTPUT: output, PATH: `${bin}:${Deno.env.get("PATH")}` },
      stdin: "null",
    }).output();
    const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    assert.ok(success, `${job}, ${name}:\n${said}`);
  }
  return {
    calls: (await Deno.readTextFile(calls)).trim().split("\n"),
    output: await Deno.readTextFile(output),
  };
}
