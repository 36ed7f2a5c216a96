/**
 * Which two files `team` changes, and the rights for them: `.gitattributes` of the project, and the configuration of its
 * clone, which all its worktrees share.
 */
import { fail } from "../../base/errors.ts";
import { joinRights, type WantedRights } from "../../base/model.ts";
import { command, withCommand } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import { actionNamed } from "../../operations/mod.ts";
import { resolveRight } from "../../settings/mod.ts";
import { type Config, findRepository } from "../../settings/plan/mod.ts";
import { foreignDriver } from "./lines.ts";
import { type FilePlace, type Launch, placeOf, rightsFor, stableLaunch } from "../clients/mod.ts";

export type TeamAction = ReturnType<typeof actionNamed<"team">>;

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
    const hint = "--read-only allows no change";
    return fail({ code: "not-allowed", what: `team ${action}`, hint });
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
  const launch = stableLaunch(host.launch, host);
  const wanted = rightsFor([attributes, config], purpose, host);
  const overruled = overruling(`${repository.common}/info/attributes`, host);
  return {
    action,
    attributes,
    config,
    ...(overruled && { overruled }),
    launch,
    rights: joinRights(action === "status" ? { ...rights, write: [] } : rights, wanted),
  };
}

/** Git's own file of attributes in a clone counts more than those of the project. */
function overruling(path: string, { readHead }: Pick<Host, "readHead">): string | undefined {
  const line = foreignDriver(readHead(path) ?? "");
  return line && `${path} gives them another merge driver: ${line}`;
}

/** Git's own file, in which nothing may lead elsewhere; git takes the lock beside it. */
function configOf(path: string, { look }: Pick<Host, "look">): FilePlace {
  const lock = `${path}.lock`;
  const place = { path, real: path, exists: look(path) !== undefined, parents: [], lock };
  const { exists, reason } = resolveRight({ path, kind: "file", isPlain: true }, look);
  const problem = reason !== undefined ? `it ${reason}` : exists ? undefined : "there is no such file";
  return { ...place, ...(problem && { problem }) };
}
