/** How does a test get several clones of one repository, whose claims go through that repository? */
import type { RemotePlan, SharedPlan } from "../../src/settings/plan/mod.ts";
import { openShared } from "../../src/project/files/mod.ts";
import { openRemoteRecords, type RemoteMemory } from "../../src/project/work/remote_records.ts";
import type { WriteContext } from "../../src/project/work/writer/mod.ts";
import { runGit } from "./git.ts";
import { withTree } from "./trees.ts";
import { NOON, writerIn } from "./writer.ts";

interface CloneOptions {
  readonly now?: number;
  readonly clock?: () => number;
  /** How old the last view of other clones may be; by default, it is renewed. */
  readonly maxAge?: number;
  readonly claimMs?: number;
  readonly memory?: RemoteMemory;
  readonly plan?: Partial<RemotePlan>;
  /** The linked worktree that the folder is, and the common directory of its clone. */
  readonly linked?: Pick<SharedPlan, "common" | "worktree">;
}

export interface Clones {
  readonly dir: string;
  readonly hub: string;
  in(clone: string, options?: CloneOptions): Promise<WriteContext>;
  refs(): readonly string[];
}

const SPRINT = "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n";

const GIT_ENVIRONMENT = { PATH: Deno.env.get("PATH") ?? "", HOME: "/nonexistent" };

/** In milliseconds: no machine is so slow. */
export const CLONE_TIMEOUT = 60_000;

export function withClones(
  names: readonly string[],
  fn: (clones: Clones) => void | Promise<void>,
  folder = "out/impl",
): Promise<void> {
  return withTree({ [`first/${folder}/sprint-status.yaml`]: SPRINT }, async (dir) => {
    const hub = makeHub(dir);
    const clone = ["clone", "--quiet", "--no-local", "--config=core.fsync=none", hub];
    for (const name of names) runGit(dir, ...clone, name);
    return await fn({
      dir,
      hub,
      in: (clone, options = {}) => openClone(`${dir}/${clone}`, options),
      refs: () => {
        const text = runGit(hub, "for-each-ref", "--format=%(objectname) %(refname)", "refs/bmad");
        return text === "" ? [] : text.split("\n");
      },
    });
  });
}

export function makeHub(dir: string): string {
  const hub = `${dir}/hub.git`;
  runGit(dir, "init", "--quiet", "--bare", "--initial-branch=main", hub);
  runGit(hub, "config", "core.fsync", "none");
  runGit(`${dir}/first`, "init", "--quiet", "--initial-branch=main");
  runGit(`${dir}/first`, "add", "--all");
  runGit(`${dir}/first`, "commit", "--quiet", "--message=Begin");
  runGit(`${dir}/first`, "push", "--quiet", hub, "main");
  return hub;
}

export async function openClone(
  folder: string,
  { now = NOON, clock = () => now, maxAge = -1, claimMs = 7_200_000, memory = {}, plan: given = {}, linked }:
    CloneOptions = {},
): Promise<WriteContext> {
  const git = { environment: GIT_ENVIRONMENT, timeout: CLONE_TIMEOUT };
  const plan: SharedPlan = {
    common: `${folder}/.git`,
    folder: "bmad",
    project: "",
    worktree: ".",
    head: "HEAD",
    ...linked,
    remote: { name: "origin", folder, git, ...given },
  };
  const shared = openShared(plan, clock);
  const clean = (text: string) => text;
  const remote = await openRemoteRecords({ plan, shared, memory, claimMs, maxAge, now: clock, clean });
  return await writerIn(folder, { now: clock(), claimMs, shared: plan, remote });
}
