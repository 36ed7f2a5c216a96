/** What the work on a project is done with. */
import type { Report } from "../../base/report.ts";
import type { Clock, Work } from "../../base/work.ts";
import type { Ask } from "../../content/live/mod.ts";
import type { Config } from "../../settings/plan/mod.ts";
import type { Embed } from "./context/mod.ts";
import type { Ledgers } from "./ledgers.ts";
import type { BoardWatch } from "./watch.ts";
import type { RemoteMemory } from "./remote_records.ts";
import type { RemoteRecords } from "./writer/mod.ts";

export interface WorkTools extends Pick<Work, "signal" | "person" | "seat" | "changing" | "together"> {
  readonly config: Config;
  readonly clock: Clock;
  readonly ask: Ask;
  /** Runs the project's completion contract, if the user allows it. */
  verify(): Promise<Report>;
  /** Returns why that failed, or undefined; completes "because …". */
  remember(text: string): Promise<string | undefined>;
  readonly embed: Embed;
  readonly boardWatch: BoardWatch;
  readonly ledgers: Ledgers;
  readonly remoteMemory: RemoteMemory;
  /** Only where claims are shared and were opened for this request. */
  readonly remote?: RemoteRecords;
  /** Fails because no project is served. */
  refuse(what?: string): never;
}
