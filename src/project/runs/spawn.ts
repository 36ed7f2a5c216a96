/**
 * Queues a task for a sub-agent: chooses the run, writes the task once, and reports what was done.
 */
import { asText } from "../../content/parse.ts";
import { checkName } from "../../content/tree/mod.ts";
import { readContext } from "./context.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { spawnTask, type TaskRequest } from "./queue.ts";
import type { Report } from "../../base/report.ts";
import { runForTask } from "./sessions.ts";

/** Puts a task into the queue of a run. */
export async function spawn(project: ProjectFolder, request: TaskRequest, now: number): Promise<Report> {
  const branch = asText(readContext(project).session["branch"]);
  const run = runForTask(project, request.runId, {
    branch: branch === undefined ? "main" : checkName("session_branch in project-context.yaml", branch),
    day: new Date(now).toISOString().slice(0, 10).replaceAll("-", ""),
  });
  const { isNew, missing, ...task } = await spawnTask(project, run, request, now);
  const lines = [
    isNew
      ? `Queued ${task.id} for ${task.agent} in run ${run.runId} on ${run.branch}: ${task.path}`
      : `The same task already exists: ${task.id} for ${task.agent}, ${task.status}: ${task.path}`,
    ...(run.isKnown ? [] : ["The run did not exist: this queue starts it."]),
    ...(missing.length === 0 ? [] : [`Context files not found: ${missing.join(", ")}`]),
    isNew
      ? "An orchestrator does the task; nothing runs here. The status of the run shows its state."
      : "Nothing was written. Use another output key or run to queue it again.",
  ];
  return {
    text: lines.join("\n"),
    data: { ...task, created: isNew, missing, run_id: run.runId, branch: run.branch },
  };
}
