/**
 * What the commands for sources work with.
 */
import type { Host } from "../../process/host.ts";
import type { Work } from "../../base/work.ts";
import type { openLive } from "../../content/live/mod.ts";
import type { Invocation } from "../../settings/mod.ts";
import type { Fetching } from "./fetch.ts";
import type { SourcesPlan } from "./plan.ts";

/** The configuration that content is opened with. */
export type ContentConfig = Parameters<typeof openLive>[0];

/** One run of a command. */
export interface SourcesSession {
  readonly host: Host;
  readonly config: ContentConfig;
  readonly invocation: Invocation;
  readonly plan: SourcesPlan;
  readonly progress?: Work["progress"];
  /** Shows a text before anything is changed; without it, the report has the text. */
  show?(text: string): void;
}

export function fetchingOf({ plan, host, progress }: SourcesSession): Fetching {
  return { rules: plan.fetching, clock: host, ...(progress && { progress }) };
}
