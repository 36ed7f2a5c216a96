/** With `status`, exit status 1 says that something is missing. */
import type { Host } from "../../process/host.ts";
import { safeText } from "../../base/text.ts";
import { runSetup, type SetupPlan, type TeamFile } from "../team.ts";
import { printChange, renderDiff } from "./diff.ts";
import type { Answer, Session } from "./session.ts";

const SAID: Readonly<Record<TeamFile["outcome"], string>> = {
  added: "added to",
  updated: "updated in",
  removed: "removed from",
  same: "set up in",
  absent: "not set up in",
  differs: "different in",
};

const JOURNAL = { added: "begun:", removed: "removed:", same: "kept:", absent: "not kept:" } as const;

export async function team({ host, setup, invocation: { options }, open, json }: Session): Promise<Answer> {
  const plan = setup!;
  const { action, config, neededBy } = plan;
  const dryRun = options.dryRun !== undefined;
  const files = runSetup(plan, { dryRun, now: host.now });
  const isChanged = !dryRun && action !== "status";
  if (!json) { for (const one of files) printFile(host, one, dryRun); }
  const journal = isChanged
    ? await (await (await open()).project.work()).keepJournal(action === "init")
    : undefined;
  const isSetUp = files.every(({ outcome }) => ["added", "updated", "same"].includes(outcome)) && !dryRun;
  const kept = journal?.path === undefined ? undefined : { path: journal.path, outcome: journal.outcome };
  if (!json && kept) host.writeOut(`Journal ${JOURNAL[kept.outcome]} ${kept.path}\n`);
  return {
    notes: [
      neededBy && `${config.path} stays as it is: ${neededBy} needs it.`,
      hintOf(plan, [...files, ...(journal === undefined ? [] : [journal])], dryRun),
    ],
    data: {
      action,
      isSetUp,
      items: files.map(({ file, outcome, problem, before, after }) => ({
        file,
        outcome,
        ...(problem && { problem }),
        ...(before !== after && { diff: renderDiff(file, before, after) }),
      })),
      total: files.length,
      ...(kept && { journal: kept }),
    },
    code: action === "status" && !isSetUp ? 1 : 0,
  };
}

function printFile(host: Host, { file, outcome, problem, before, after }: TeamFile, dryRun: boolean): void {
  if (dryRun && before !== after) return printChange(host, file, before, after);
  const why = problem === undefined ? "" : `: ${safeText(problem)}`;
  host.writeOut(`Merging of ledgers ${SAID[outcome]} ${file}${why}\n`);
}

function hintOf({ action }: SetupPlan, files: readonly Pick<TeamFile, "outcome">[], dryRun: boolean) {
  if (dryRun) return "This was a dry run: nothing was changed.";
  if (action === "status") {
    return files.every(({ outcome }) => outcome === "same") ? undefined : "bmad-mcp team init sets it up.";
  }
  if (files.every(({ outcome }) => outcome === "same" || outcome === "absent")) return "Nothing changed.";
  return action === "init"
    ? "Commit .gitattributes and the journal. In every other clone, run bmad-mcp team init once: the rest is not committed."
    : undefined;
}
