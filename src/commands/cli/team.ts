/**
 * `bmad-mcp team`: prints what was set up in git, is, or was taken back.
 */
import type { App } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../operations/mod.ts";
import { safeText } from "../../base/text.ts";
import { runSetup, type SetupPlan, type TeamFile } from "../team/mod.ts";
import { renderDiff } from "./diff.ts";
import { printJson } from "./output.ts";
import { painter } from "./style.ts";

const SAID: Readonly<Record<TeamFile["outcome"], string>> = {
  added: "added to",
  updated: "updated in",
  removed: "removed from",
  same: "set up in",
  absent: "not set up in",
  differs: "different in",
};

const JOURNAL = { added: "begun:", removed: "removed:", same: "kept:", absent: "not kept:" } as const;

/** Does what the command line asks for; with `status`, exit status 1 says that something is missing. */
export async function team(
  host: Host,
  plan: SetupPlan,
  { options }: Invocation,
  open: () => Promise<App>,
): Promise<number> {
  const dryRun = options.dryRun !== undefined;
  const files = runSetup(plan, { dryRun, now: host.now });
  const isChanged = !dryRun && plan.action !== "status";
  const journal = isChanged
    ? await (await (await open()).project.work()).keepJournal(plan.action === "init")
    : undefined;
  const isSetUp = files.every(({ outcome }) => ["added", "updated", "same"].includes(outcome)) && !dryRun;
  const code = plan.action === "status" && !isSetUp ? 1 : 0;
  const diffOf = ({ file, before, after }: TeamFile, colours: boolean) =>
    renderDiff(file, before, after, painter(colours));
  if (options.json) {
    printJson(host, {
      action: plan.action,
      isSetUp,
      items: files.map((one) => ({
        file: one.file,
        outcome: one.outcome,
        ...(one.problem && { problem: one.problem }),
        ...(one.before !== one.after && { diff: diffOf(one, false) }),
      })),
      total: files.length,
      ...(journal?.path && { journal: { path: journal.path, outcome: journal.outcome } }),
    });
    return code;
  }
  for (const one of files) {
    const show = (text: string | undefined) => host.terminal.stdout && text ? safeText(text) : text;
    if (dryRun && one.before !== one.after) {
      host.writeOut(
        diffOf({ ...one, before: show(one.before), after: show(one.after) }, host.colours.stdout),
      );
    } else {
      const why = one.problem === undefined ? "" : `: ${safeText(one.problem)}`;
      host.writeOut(`Merging of ledgers ${SAID[one.outcome]} ${one.file}${why}\n`);
    }
  }
  if (journal?.path !== undefined) host.writeOut(`Journal ${JOURNAL[journal.outcome]} ${journal.path}\n`);
  const hint = hintOf(plan, [...files, ...(journal === undefined ? [] : [journal])], dryRun);
  if (hint !== undefined) host.writeErr(`${hint}\n`);
  return code;
}

function hintOf(
  { action }: SetupPlan,
  files: readonly Pick<TeamFile, "outcome">[],
  dryRun: boolean,
): string | undefined {
  if (dryRun) return "This was a dry run: nothing was changed.";
  if (action === "status") {
    return files.every(({ outcome }) => outcome === "same") ? undefined : "bmad-mcp team init sets it up.";
  }
  if (files.every(({ outcome }) => outcome === "same" || outcome === "absent")) return "Nothing changed.";
  return action === "init"
    ? "Commit .gitattributes and the journal. In every other clone, run bmad-mcp team init once: the rest is not committed."
    : undefined;
}
