/** What a comparison of scripts has shown, as data. */
import type { ScriptState } from "../scripts/mod.ts";

/** How a call ended. */
export interface CallResult {
  readonly status: number;
  readonly stdout: string;
  /** The files that it left, by their paths; those that stayed as they were are missing. */
  readonly files: Readonly<Record<string, string>>;
}

/** A call that both answered, and not alike. */
export interface ScriptDifference {
  /** As a shell would be given it. */
  readonly call: string;
  readonly ours: CallResult;
  readonly theirs: CallResult;
}

/** One script that was to be compared. */
export interface ScriptComparison extends Pick<ScriptState, "name" | "place" | "release" | "rules"> {
  /** How many calls were compared. */
  readonly calls: number;
  readonly differences: readonly ScriptDifference[];
  /** Why it was not compared; then there are no calls. */
  readonly problem: string | undefined;
}

/** The whole comparison. */
export interface Verification {
  /** `Python 3.12.3`; undefined where there is none that could run the scripts. */
  readonly python: string | undefined;
  readonly seed: number;
  readonly scripts: readonly ScriptComparison[];
}
