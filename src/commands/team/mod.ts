/** A team on one repository: sets up git so that ledgers merge by themselves, says what is set up, and takes it back. */
import { fail } from "../../base/errors.ts";
import { type Change, changeFile, type ChangeOptions, type Edit, type FilePlace } from "../clients/mod.ts";
import {
  ATTRIBUTE_LINES,
  configLines,
  findBlock,
  foreignDriver,
  hasSection,
  leavesKeys,
  withBlock,
  withoutBlock,
} from "./lines.ts";
import type { SetupPlan, TeamAction } from "./plan.ts";

export { planSetup, type SetupPlan } from "./plan.ts";

export interface TeamFile {
  readonly file: string;
  readonly outcome: "added" | "updated" | "removed" | "same" | "absent" | "differs";
  readonly problem?: string;
  readonly before?: string;
  readonly after?: string;
}

interface Part {
  readonly place: FilePlace;
  readonly lines: readonly string[];
  /** What others say in the file that contradicts ours, given their own part of it. */
  readonly foreign: (rest: string) => string | undefined;
  /** What in the file needs our lines, given what follows them. */
  readonly needed: (after: string) => string | undefined;
}

/** Does what the plan says; changes nothing if one of the files cannot be changed. */
export function runSetup(plan: SetupPlan, options: ChangeOptions): readonly TeamFile[] {
  const { action } = plan;
  // The configuration comes first: without it, git merges the files as it always does, whatever their attributes say.
  const parts = partsOf(plan);
  const run = (part: Part, dryRun: boolean) =>
    changeFile(part.place, (text) => editOf(action, part, text), { ...options, dryRun });
  if (action !== "status") parts.forEach((part) => resultOf(part, run(part, true)));
  return parts.map((part) =>
    action === "status" ? stateOf(part, run(part, true)) : resultOf(part, run(part, options.dryRun))
  );
}

function partsOf({ attributes, config, overruled, launch }: SetupPlan): readonly Part[] {
  return [
    {
      place: config,
      lines: configLines(launch),
      foreign: (rest) => hasSection(rest) ? "it has such a section already, which is not ours" : undefined,
      needed: (after) => leavesKeys(after) ? "lines below ours belong to their section" : undefined,
    },
    {
      place: attributes,
      lines: ATTRIBUTE_LINES,
      foreign: (rest) => {
        const line = foreignDriver(rest);
        return line ? `it gives them another merge driver: ${line}` : overruled;
      },
      needed: () => undefined,
    },
  ];
}

/** What is to be written; with `status`, what `init` would write. */
function editOf(action: TeamAction, { lines, foreign, needed }: Part, text: string | undefined): Edit {
  const found = text === undefined ? undefined : findBlock(text);
  if (found === "broken") {
    return { outcome: "invalid", problem: "the comments around our lines are not as they were" };
  }
  if (action === "remove") {
    if (found === undefined) return { outcome: "absent" };
    const problem = needed(found.after);
    if (problem !== undefined) return { outcome: "invalid", problem };
    return { outcome: "removed", text: withoutBlock(found), needsBackup: false };
  }
  const problem = foreign(found === undefined ? text ?? "" : `${found.before}\n${found.after}`);
  if (problem !== undefined) return { outcome: "invalid", problem };
  if (found?.lines.join("\n") === lines.join("\n")) return { outcome: "same" };
  const outcome = found === undefined ? "added" : "updated";
  return { outcome, text: withBlock(text, lines, found), needsBackup: false };
}

function resultOf({ place: { path } }: Part, change: Change): TeamFile {
  if (change.outcome === "invalid") {
    return fail({ code: "not-allowed", what: `change ${path}`, hint: change.problem });
  }
  const outcome = change.outcome as TeamFile["outcome"];
  const { before } = change;
  const after = "text" in change ? change.text : before;
  return {
    file: path,
    outcome,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** What a file is like: what `init` would do to it, from the other side. */
function stateOf({ place: { path } }: Part, change: Change): TeamFile {
  if (change.outcome === "invalid") return { file: path, outcome: "differs", problem: change.problem };
  if (change.outcome === "updated") {
    return { file: path, outcome: "differs", problem: "our lines were edited, or name another program" };
  }
  return { file: path, outcome: change.outcome === "same" ? "same" : "absent" };
}
