/**
 * One file or folder that a command writes where the user says, settled while the whole disk can still be seen.
 */
import { fail } from "../../base/errors.ts";
import type { WantedRights } from "../../base/model.ts";
import { type Place, resolvePath } from "../../base/paths.ts";
import { type LookAt, resolveRight, type WantedPath } from "../mod.ts";

/** Where it is written. */
export interface OutputPlan {
  /** Absolute; the folder it lies in is real. */
  readonly path: string;
  /** Beside it, under which it is written first. */
  readonly draft: string;
  /** Whether what is there may be replaced. */
  readonly isForced: boolean;
}

/** What the plan asks of the disk. */
export interface OutputDisk {
  findFolder(path: string): string | undefined;
  readonly look: LookAt;
  /** The project has put there what is found in it. */
  within(path: string): Pick<WantedPath, "within">;
}

/** Plans a path that the user named. */
export function planOutput(
  named: string,
  isForced: boolean,
  { cwd, home, os }: Place,
  { findFolder, look, within }: OutputDisk,
): OutputPlan {
  const given = resolvePath(named, { base: cwd, home, os }).replace(/(?<!\/)\/+$/, "") || "/";
  const parent = given.slice(0, given.lastIndexOf("/")) || "/";
  const folder = findFolder(parent) ?? fail({ code: "not-found", what: "folder", name: parent });
  const name = given.slice(given.lastIndexOf("/") + 1);
  const path = `${folder.replaceAll("\\", "/").replace(/\/$/, "")}/${name}`;
  const plan = { path, draft: `${path}.unfinished`, isForced };
  for (const file of [plan.path, plan.draft]) {
    const { reason } = resolveRight({ path: file, isPlain: true, ...within(given) }, look);
    if (reason !== undefined) fail({ code: "not-allowed", what: `write ${file}`, hint: `it ${reason}` });
  }
  return plan;
}

/** The rights for it. */
export function outputRights(plan: OutputPlan | undefined): WantedRights {
  const own = plan === undefined ? [] : [plan.path, plan.draft];
  return { read: own, write: own, run: [], net: false };
}
