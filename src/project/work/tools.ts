/**
 * What the work on a project is done with.
 */
import type { Report } from "../../base/report.ts";
import type { Clock, Work } from "../../base/work.ts";
import type { Ask } from "../../content/live/mod.ts";
import type { Config } from "../../settings/plan/mod.ts";
import type { Embed } from "./context/mod.ts";
import type { BoardWatch } from "./watch.ts";
import type { RemoteMemory } from "./remote_claims.ts";
import type { BashCall, CommandEnd, RemoteClaims } from "./writer/mod.ts";

/** Whether the project's own commands may be run. */
export function mayRun({ script, settings }: Pick<Config, "script" | "settings">): boolean {
  return script !== undefined && !settings.readOnly;
}

/** What the work is done with. */
export interface WorkTools extends Pick<Work, "signal" | "person" | "changing"> {
  readonly config: Config;
  readonly clock: Clock;
  readonly ask: Ask;
  /** Runs the project's completion contract, if the user allows it. */
  verify(): Promise<Report>;
  /** Runs a command within the limits of that contract, if the user allows it. */
  run(call: BashCall): Promise<CommandEnd>;
  /** Has a decision remembered; why that did not happen, or undefined. Completes "because …". */
  remember(text: string): Promise<string | undefined>;
  readonly embed: Embed;
  /** The watch of its board, which all requests share. */
  readonly boardWatch: BoardWatch;
  /** What was last seen of the claims of other clones, which all requests share. */
  readonly remoteMemory: RemoteMemory;
  /** The claims of other clones, where they are shared and were opened for this request. */
  readonly remote?: RemoteClaims;
  /** Fails because no project is served; `what` is what cannot be done. */
  refuse(what?: string): never;
}
