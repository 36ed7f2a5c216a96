/** How does a test change a project's ledgers, without a server? */
import type { SharedPlan } from "../../src/settings/plan/mod.ts";
import type { Seat } from "../../src/base/work.ts";
import { fail } from "../../src/base/errors.ts";
import { readBoard, readRecords, withRecords } from "../../src/project/work/board/mod.ts";
import type { BoardFolders } from "../../src/project/work/formats/mod.ts";
import { openFiles } from "../../src/project/files/mod.ts";
import {
  mark,
  type Marked,
  type RemoteRecords,
  type WriteContext,
} from "../../src/project/work/writer/mod.ts";
import { FOLDERS } from "./board.ts";

export const NOON: number = new Date(2026, 7, 1, 12, 0).getTime();

export async function writerIn(
  root: string,
  { now = NOON, folders = FOLDERS, findings = [], shared, remote, journal, seat, claimMs = 2 * 3_600_000 }: {
    readonly now?: number;
    readonly folders?: BoardFolders;
    readonly findings?: readonly string[];
    readonly shared?: SharedPlan;
    readonly remote?: RemoteRecords;
    readonly journal?: string;
    readonly seat?: Seat;
    readonly claimMs?: number;
  } = {},
): Promise<WriteContext> {
  const plan = { root, output: "out", writable: [`${root}/out`, `${root}/docs`], shared };
  const files = openFiles(plan, () => now);
  const place = {
    tree: files.tree,
    folder: files.records,
    journal,
    shared: files.shared,
    others: remote?.others,
    otherMoves: remote?.otherMoves,
    seat,
    findSeat: files.seats.find,
  };
  const records = readRecords(place, { now, clean: (text) => text });
  return {
    files,
    board: withRecords(await readBoard(files.tree, folders), records),
    v4: folders.v4?.stories,
    now: () => now,
    journal,
    claimMs,
    remote,
    seat,
    demandForce: () => {},
    // Only a library knows which story comes next.
    chose: () => {},
    next: async () => await fail({ code: "not-allowed", what: "claim a story", hint: "none can be begun" }),
    overlap: () => Promise.resolve(undefined),
    check: () => Promise.resolve(findings.map((reason) => ({ reason, problem: reason, fix: "Fix it." }))),
    accept: () => Promise.resolve([]),
  };
}

export async function marked(
  root: string,
  [story, status, by]: readonly [story: string, status: string, by?: string],
  options: Parameters<typeof writerIn>[1] & { readonly isForced?: boolean } = {},
): Promise<Marked & { readonly told: readonly string[] }> {
  const { isForced } = options;
  const result = await mark(await writerIn(root, options), { story, status, by, isForced });
  return { ...result, told: result.changes.map(({ key, from, to }) => `${key}: ${from} → ${to}`) };
}
