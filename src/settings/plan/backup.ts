/**
 * What `memory backup` writes, and what `memory restore` changes besides memories, settled while the whole disk can still
 * be seen.
 */
import { fail } from "../../base/errors.ts";
import type { WantedRights } from "../../base/model.ts";
import { type Place, resolvePath } from "../../base/paths.ts";
import { type Invocation, type RefusedPath, resolveRight, type Settings } from "../mod.ts";
import type { ProjectKit } from "./kit.ts";
import { type OutputDisk, type OutputPlan, outputRights, planOutput } from "./output.ts";

/** Where the memory of a project is copied from or to. */
export interface BackupPlan {
  /** The folder of memory files, relative to the project's: `_bmad/_memory`. */
  readonly folder: string;
  /** Its real name, if files may be written there. */
  readonly writable?: string;
  /** The file that a backup is written to; undefined for stdout. */
  readonly output?: OutputPlan;
  /** Whether a restore may replace what differs. */
  readonly isForced: boolean;
  readonly grants: readonly string[];
  readonly refused: readonly RefusedPath[];
}

/** The word that stands for stdin and stdout. */
const STREAM = "-";

/** Plans it; undefined for any other command. */
export function planBackup(
  { name, operands: [action, file = STREAM], options }: Invocation,
  { root, base }: ProjectKit,
  place: Place,
  disk: OutputDisk,
  { readOnly }: Pick<Settings, "readOnly">,
): BackupPlan | undefined {
  if (name !== "memory" || (action !== "backup" && action !== "restore")) return undefined;
  const isForced = options.force !== undefined;
  const folder = `${base}/_memory`;
  const plan = { folder, isForced, grants: [], refused: [] };
  if (action === "backup" && file === STREAM) return plan;
  if (readOnly) fail({ code: "not-allowed", what: `memory ${action}`, hint: "--read-only is set" });
  if (action === "backup") return { ...plan, output: planOutput(file, isForced, place, disk) };
  const { os } = place;
  const real = resolvePath(root, { base: "/", home: undefined, os });
  const within = { root: real, holds: "content" } as const;
  const { real: writable, grant, reason } = resolveRight(
    { path: `${real}/${folder}`, kind: "folder", within },
    disk.look,
  );
  return writable === undefined
    ? { ...plan, refused: [{ folder, reason }] }
    : { ...plan, writable, grants: [grant] };
}

/** The rights for it. */
export function backupRights(plan: BackupPlan | undefined): WantedRights {
  const { read, write, ...others } = outputRights(plan?.output);
  return { read, write: [...write, ...plan?.grants ?? []], ...others };
}
