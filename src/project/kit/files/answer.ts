/**
 * Claims and answers tasks of a queue, as an orchestrator would: by the claim folder that docs/memory.md describes, and one
 * change at a time. A claim expires after an hour; then the task can be claimed again.
 */
import { fail } from "../../../base/errors.ts";
import { PRODUCT } from "../../../base/model.ts";
import { TASK_ACTIONS } from "../../../settings/plan/mod.ts";
import { asText, isValues, parseJson, type Values } from "../../../base/values.ts";
import { checkName, decodeText, joinPath } from "../../../content/tree/mod.ts";
import { changeIn, makeOnce } from "../../files/mod.ts";
import { chooseFrom } from "./closed_set.ts";
import { timeOf } from "./dates.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { MAX_CHARACTERS, readTask, taskIds } from "./queue.ts";
import type { Report } from "../../../base/report.ts";
import { readSessions } from "./sessions.ts";
import type { ChangeTools } from "./update.ts";

/** What to do with a task. */
export interface TaskAnswer {
  readonly taskId: string;
  readonly action: string;
  /** The result, or the reason of the failure. */
  readonly text?: string;
}

const LEASE_MS = 3_600_000;

export async function answerTask(
  project: ProjectFolder,
  { taskId, action: given, text }: TaskAnswer,
  { now, signal, person, changing }: ChangeTools,
): Promise<Report> {
  const action = chooseFrom(TASK_ACTIONS, "action", given);
  const id = checkName("task", taskId);
  const said = text?.trim() ?? "";
  if (action !== "claim" && said === "") {
    fail({
      code: "invalid-input",
      field: "text",
      problem: "it is missing",
      hint: "Give the result, or the reason",
    });
  }
  if (said.length > MAX_CHARACTERS) {
    fail({ code: "invalid-input", field: "text", problem: `expected at most ${MAX_CHARACTERS} characters` });
  }
  const place = { root: project.root, folder: project.runs[0], now, changing };
  return await changeIn(place, (replace) => {
    const { folder, runId, branch } = findTask(project, id);
    const path = joinPath(folder, `${id}.json`);
    const before = decodeText(project.tree.read(path)) ?? "";
    const task = parseJson(before);
    if (!isValues(task)) return fail({ code: "invalid-file", path, problem: "it is not a JSON object" });
    const change = { task, folder, id, action, said, now, person, changing };
    const changed = { ...task, ...changeOf(project, change) };
    replace(path, `${JSON.stringify(changed, null, 2)}\n`, before);
    const shown = readTask(project, folder, id);
    const about = shown.task === undefined || action !== "claim" ? [] : ["", shown.task];
    const files = action === "claim" && shown.contextFiles.length > 0
      ? [`Context files: ${shown.contextFiles.join(", ")}`]
      : [];
    return {
      text: [`${id} for ${shown.agent} in run ${runId} on ${branch}: ${shown.status}`, ...files, ...about]
        .join("\n"),
      data: { ...shown, path, run_id: runId, branch },
    };
  }, signal);
}

function findTask(project: ProjectFolder, id: string) {
  const places = readSessions(project).flatMap(({ runs }) => runs).map(({ path, runId, branch }) => ({
    folder: joinPath(path, "queue"),
    runId,
    branch,
  }));
  const found = places.find(({ folder }) => taskIds(project, folder).includes(id));
  if (found !== undefined) return found;
  const known = places.flatMap(({ folder }) => taskIds(project, folder)).slice(0, 10);
  const hint = known.length === 0 ? "No tasks are queued" : `Queued are ${known.join(", ")}`;
  return fail({ code: "not-found", what: "task", name: id, hint });
}

interface TaskChange extends Pick<ChangeTools, "now" | "person" | "changing"> {
  readonly task: Values;
  readonly folder: string;
  readonly id: string;
  readonly action: typeof TASK_ACTIONS[number];
  readonly said: string;
}

function changeOf(project: ProjectFolder, change: TaskChange): Values {
  const { task, folder, id, action, said, person, now } = change;
  const status = asText(task["status"]) ?? "pending";
  const refuse = (hint: string) => fail({ code: "not-allowed", what: `${action} ${id}`, hint });
  if (status !== "pending" && status !== "claimed") refuse(`it is ${status} already`);
  const time = new Date(now).toISOString();
  const isHeld = status === "claimed" && now < (timeOf(task["expires_at"]) ?? Infinity);
  if (person?.name !== undefined && isHeld && task["claimed_by"] !== person.name) {
    refuse(`${asText(task["claimed_by"]) ?? "somebody"} has claimed it`);
  }
  const finished = { finished_at: time, ...(person?.name !== undefined && { finished_by: person.name }) };
  if (action === "answer") return { status: "done", result: said, ...finished };
  if (action === "fail") return { status: "failed", error: said, ...finished };
  const claim = joinPath(folder, `${id}.claim`);
  const since = timeOf(task["claimed_at"]) ?? project.tree.stat(claim)?.modified;
  change.changing?.();
  const isFree = makeOnce(project.root, claim) || (since !== undefined && now - since > LEASE_MS);
  if (!isFree) refuse("it is claimed by another worker; the claim expires after an hour");
  return {
    status: "claimed",
    claimed_by: person?.name ?? PRODUCT.name,
    claimed_at: time,
    expires_at: new Date(now + LEASE_MS).toISOString(),
  };
}
