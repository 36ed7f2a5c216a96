/**
 * Where native scripts are compared with the installed ones: in a folder of ours, by bash and the user's Python.
 */
import type { WantedRights } from "../../base/model.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { type Command, COMMANDS, type Invocation } from "../mod.ts";

/** What the comparison may use. */
export interface VerifyPlan {
  /** Absolute; made when it is missing. */
  readonly folder: string;
  /** The environment of Python. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Plans it; undefined for any other command, or where no folder can hold it. */
export function planVerify(
  { name }: Invocation,
  place: Place & { env(name: string): string | undefined },
  planned: (path: string) => string | undefined,
): VerifyPlan | undefined {
  const command: Command = COMMANDS[name];
  const { cache } = userFolders(place);
  const folder = command.verifies && cache !== undefined ? planned(`${cache}/verify`) : undefined;
  if (folder === undefined) return undefined;
  const variables = ["PATH", "HOME", "SYSTEMROOT"].map((name) => [name, place.env(name)] as const);
  return {
    folder,
    environment: Object.fromEntries(
      variables.filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
    ),
  };
}

/** The rights of the plan. */
export function verifyRights(plan: VerifyPlan | undefined): WantedRights {
  const own = plan === undefined ? [] : [plan.folder];
  return { read: own, write: own, run: plan === undefined ? [] : ["bash"], net: false };
}
