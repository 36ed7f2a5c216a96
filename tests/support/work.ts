/** How does a test work on a project as a client would, without a server? */
import { openLibrary } from "../../src/content/library/mod.ts";
import { openLedgers, openWork, type ProjectWork, type WorkTools } from "../../src/project/work/mod.ts";
import { opening } from "./library.ts";

/** The work of the project in a folder; it may change what lies below `out` and `docs`. No git. */
export async function workIn(root: string): Promise<ProjectWork> {
  const library = await openLibrary([opening("project", 1, root)], { project: root });
  const tools = {
    config: {
      kit: { root, base: "_bmad", output: "out" },
      project: root,
      settings: {},
      work: { root, output: "out", writable: [`${root}/out`, `${root}/docs`], refused: [] },
    },
    clock: { now: () => Date.now() },
    ledgers: openLedgers({ now: Date.now }),
    ask: (work: (given: typeof library) => unknown) => Promise.resolve(work(library)),
    remember: () => Promise.resolve("project memory is off"),
    verify: () => Promise.resolve({ text: "", data: { status: "PASS" } }),
  } as unknown as WorkTools;
  return openWork(tools);
}
