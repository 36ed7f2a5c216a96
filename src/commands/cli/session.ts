import type { App, Config, Row } from "../../app.ts";
import type { Failure } from "../../base/errors.ts";
import type { RightsInForce } from "../../base/model.ts";
import type { Work } from "../../base/work.ts";
import type { Invocation } from "../../operations/mod.ts";
import type { Host } from "../../process/host.ts";
import type { Listener } from "../../serve/http/mod.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import type { Greeting } from "../hooks.ts";
import type { SourcesPlan } from "../sources/mod.ts";
import type { SetupPlan } from "../team.ts";
import type { Log } from "./log.ts";

/** What a command plans for itself while the whole disk can still be seen. */
export interface CommandPlan {
  readonly clients?: ClientsPlan;
  readonly sources?: SourcesPlan;
  readonly setup?: SetupPlan;
  readonly greeting?: Greeting;
}

export interface Prepared extends CommandPlan {
  readonly printVersion: (json: boolean) => void;
  readonly listener?: Listener;
}

export interface Session extends Prepared {
  readonly host: Host;
  readonly config: Config;
  readonly rights: RightsInForce;
  readonly log: Log;
  readonly invocation: Invocation;
  readonly json: boolean;
  readonly progress: Work["progress"];
  open(): Promise<App>;
  serve(): Promise<App>;
}

export type ContentSession = Pick<Session, "host" | "open" | "invocation">;

export interface Answer {
  readonly text?: string;
  readonly rows?: readonly Row[];
  readonly list?: string;
  readonly notes?: readonly (string | false | undefined)[];
  readonly data: unknown;
  readonly code?: number;
  /** The command fails with it once the answer is printed. */
  readonly failure?: Failure;
}

export type Outcome = Answer | number | void;
