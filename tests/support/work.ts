/** How does a test work on a project as a client would, without a server? */
import { openLibrary } from "../../src/content/library/mod.ts";
import { openLedgers, openWork, type ProjectWork, type WorkTools } from "../../src/project/work/mod.ts";
import { opening } from "./library.ts";

/** The work of the project in a folder; it may change what lies below `out` and `docs`. Git only if asked for. */
export async function workIn(root: string, hasGit = false): Promise<ProjectWork> {
  const environment = { PATH: Deno.env.get("PATH") ?? "" };
  const git = { environment, timeout: 60_000, within: root, folders: [`${root}/.git`], settings: [] };
  const shared = { common: `${root}/.git`, folder: "bmad", project: "", worktree: ".", head: "HEAD" };
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const tools = {
    config: {
      kit: { root, base: "_bmad", output: "out" },
      project: root,
      invocation: { name: "serve" },
      settings: { claimTime: 7_200 },
      ...(hasGit && { team: { shared } }),
      work: {
        ...{ root, output: "out", writable: [`${root}/out`, `${root}/docs`], refused: [] },
        ...(hasGit && { git }),
      },
    },
    clock: { now: () => Date.now() },
    ledgers: openLedgers({ now: Date.now }),
    ask: (work: (given: typeof library) => unknown) => Promise.resolve(work(library)),
    remember: () => Promise.resolve("project memory is off"),
    verify: () => Promise.resolve({ text: "", data: { status: "PASS" } }),
  } as unknown as WorkTools;
  return openWork(tools);
}
