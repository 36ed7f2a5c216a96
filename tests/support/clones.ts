/**
 * How does a test get several clones of one repository, whose claims go through that repository?
 */
import type { RemotePlan, SharedPlan } from "../../src/settings/plan/mod.ts";
import { openShared } from "../../src/project/files/mod.ts";
import { openRemoteClaims, type RemoteMemory } from "../../src/project/work/remote_claims.ts";
import type { WriterWorld } from "../../src/project/work/writer/mod.ts";
import { runGit } from "./git.ts";
import { withTree } from "./trees.ts";
import { NOON, writerIn } from "./writer.ts";

/** How a clone is opened for one request. */
export interface CloneOptions {
  readonly now?: number;
  /** A clock that goes on, instead of that time. */
  readonly clock?: () => number;
  /** How old may be what was seen last of other clones; by default, it is looked at. */
  readonly maxAge?: number;
  readonly claimMs?: number;
  readonly memory?: RemoteMemory;
  readonly plan?: Partial<RemotePlan>;
  /** The linked worktree that the folder is, and the common directory of its clone. */
  readonly linked?: Pick<SharedPlan, "common" | "worktree">;
}

/** A bare repository called `hub.git`, and clones of it. */
export interface Clones {
  readonly dir: string;
  readonly hub: string;
  /** The writer of a clone. */
  in(clone: string, options?: CloneOptions): Promise<WriterWorld>;
  /** The refs of the hub below `refs/bmad`, with what they lead to. */
  refs(): readonly string[];
}

const SPRINT = "development_status:\n  1-1-a: backlog\n  1-2-b: backlog\n";

/** What git gets of our environment. */
export const GIT_ENVIRONMENT = { PATH: Deno.env.get("PATH") ?? "", HOME: "/nonexistent" };

/** Has clones of one hub, in none of which git knows who works there; `folder` holds their ledger. */
export function withClones(
  names: readonly string[],
  fn: (clones: Clones) => void | Promise<void>,
  folder = "out/impl",
): Promise<void> {
  return withTree({ [`first/${folder}/sprint-status.yaml`]: SPRINT }, async (dir) => {
    const hub = makeHub(dir);
    for (const name of names) runGit(dir, "clone", "--quiet", "--no-local", hub, name);
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

/** Makes the bare repository `hub.git` of what lies in the folder `first`; returns its path. */
export function makeHub(dir: string): string {
  const hub = `${dir}/hub.git`;
  runGit(dir, "init", "--quiet", "--bare", "--initial-branch=main", hub);
  runGit(`${dir}/first`, "init", "--quiet", "--initial-branch=main");
  runGit(`${dir}/first`, "add", "--all");
  runGit(`${dir}/first`, "commit", "--quiet", "--message=Begin");
  runGit(`${dir}/first`, "push", "--quiet", hub, "main");
  return hub;
}

/** The writer of a clone whose claims go through its remote `origin`. */
export async function openClone(
  folder: string,
  { now = NOON, clock = () => now, maxAge = -1, claimMs = 7_200_000, memory = {}, plan: given = {}, linked }:
    CloneOptions = {},
): Promise<WriterWorld> {
  const git = { environment: GIT_ENVIRONMENT, timeout: 10_000 };
  const plan: SharedPlan = {
    common: `${folder}/.git`,
    folder: "bmad",
    project: "",
    worktree: ".",
    ...linked,
    remote: { name: "origin", folder, git, ...given },
  };
  const shared = openShared(plan, clock);
  const clean = (text: string) => text;
  const remote = await openRemoteClaims({ plan, shared, memory, claimMs, maxAge, now: clock, clean });
  return await writerIn(folder, { now: clock(), claimMs, shared: plan, remote });
}
