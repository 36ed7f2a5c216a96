import type { Report } from "../../base/report.ts";
import { command } from "../../base/text.ts";
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
  verify(): Promise<Report>;
  /** Why that failed, or undefined; completes "because …". */
  remember(text: string): Promise<string | undefined>;
  readonly embed: Embed;
  readonly boardWatch: BoardWatch;
  readonly ledgers: Ledgers;
  readonly remoteMemory: RemoteMemory;
  /** If claims are shared and were opened for this request. */
  readonly remote?: RemoteRecords;
  refuse(what?: string): never;
}

/** For the lines of an answer: a terminal may stand elsewhere than in the project. */
export function openShell({ config: { kit, invocation, place } }: Pick<WorkTools, "config">) {
  const { name } = invocation;
  const root = name === "serve" || place?.isElsewhere === false ? undefined : kit?.root;
  return {
    isTerminal: name !== "serve" && name !== "call",
    git: { line: root === undefined ? "git" : command`git -C ${root}` },
    root,
    pathOf: (path: string) => root === undefined ? path : `${root}/${path}`,
  };
}
