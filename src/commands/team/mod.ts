/**
 * A team on one repository: sets up git so that ledgers merge by themselves, says what is set up, and takes it back. It
 * changes `.gitattributes` of the project, and the configuration of its clone, which all its worktrees share.
 */
import { fail } from "../../base/errors.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import { command, withCommand } from "../../base/text.ts";
import { actionNamed } from "../../operations/mod.ts";
import type { Host } from "../../process/host.ts";
import { resolveRight } from "../../settings/mod.ts";
import { type Config, findRepository } from "../../settings/plan/mod.ts";
import {
  type Change,
  changeFile,
  type ChangeOptions,
  type Edit,
  type FilePlace,
  type Launch,
  placeOf,
  rightsFor,
  stableLaunch,
} from "../clients/mod.ts";
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

type TeamAction = ReturnType<typeof actionNamed<"team">>;

export interface SetupPlan {
  readonly action: TeamAction;
  readonly attributes: FilePlace;
  readonly config: FilePlace;
  /** What overrules our lines in `.gitattributes`, and cannot be changed by them. */
  readonly overruled?: string;
  readonly launch: Launch;
  readonly rights: WantedRights;
}

type SetupHost = Pick<Host, "home" | "look" | "readHead" | "namesIn" | "os" | "launch">;

export function planSetup({ invocation, project, settings, rights }: Config, host: SetupHost): SetupPlan {
  const [given = ""] = invocation.operands;
  const action = actionNamed("team", given);
  if (settings.readOnly && action !== "status") {
    return fail({ code: "not-allowed", what: `team ${action}`, hint: "--read-only allows no change" });
  }
  const root = project && host.look(project)?.real;
  if (root === undefined) {
    return fail({ code: "invalid-input", problem: "No project. Name its folder with --project DIR" });
  }
  const repository = findRepository(root, host);
  if (repository === undefined) {
    const hint = withCommand("Share it with git first", command`git init ${root}`);
    return fail({ code: "invalid-input", problem: `No git repository has ${root}`, hint });
  }
  if (repository.reason !== undefined) {
    const hint = `${repository.path} ${repository.reason}`;
    return fail({ code: "not-allowed", what: "use the repository of the project", hint });
  }
  const attributes = placeOf(`${root}/.gitattributes`, [root], root, host);
  const config = configOf(`${repository.common}/config`, host);
  const purpose = action === "status" ? "read" : action === "init" ? "add" : "remove";
  const wanted = rightsFor([attributes, config], purpose, host);
  // Git's own file of attributes in a clone counts more than those of the project.
  const stronger = `${repository.common}/info/attributes`;
  const line = foreignDriver(host.readHead(stronger) ?? "");
  return {
    action,
    attributes,
    config,
    ...(line && { overruled: `${stronger} gives them another merge driver: ${line}` }),
    launch: stableLaunch(host.launch, host),
    rights: joinRights(action === "status" ? { ...rights, write: [] } : rights, wanted),
  };
}

/** Git's own file, in which nothing may lead elsewhere; git takes the lock beside it. */
function configOf(path: string, { look }: Pick<Host, "look">): FilePlace {
  const lock = `${path}.lock`;
  const place = { path, real: path, exists: look(path) !== undefined, parents: [], lock };
  const { exists, reason } = resolveRight({ path, kind: "file", isPlain: true }, look);
  const problem = reason !== undefined ? `it ${reason}` : exists ? undefined : "there is no such file";
  return { ...place, ...(problem && { problem }) };
}

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
  return { file: path, outcome, before, after: "text" in change ? change.text : before };
}

/** What a file is like: what `init` would do to it, from the other side. */
function stateOf({ place: { path } }: Part, change: Change): TeamFile {
  if (change.outcome === "invalid") return { file: path, outcome: "differs", problem: change.problem };
  if (change.outcome === "updated") {
    return { file: path, outcome: "differs", problem: "our lines were edited, or name another program" };
  }
  return { file: path, outcome: change.outcome === "same" ? "same" : "absent" };
}
