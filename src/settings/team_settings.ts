/**
 * The settings for several people and agents on one project.
 *
 * Rows of THE table of settings, in a file of their own because they concern work that is shared.
 */
import { duration, type Setting, smaller } from "./values.ts";

/** The values of these settings. */
export interface TeamSettings {
  /** In seconds. */
  readonly claimTime: number;
}

/** Their rows. */
export const TEAM_SETTINGS: { readonly [K in keyof TeamSettings]: Setting<TeamSettings[K]> } = {
  claimTime: {
    flag: "--claim-time",
    value: "TIME",
    variables: ["BMAD_CLAIM_TIME"],
    files: "user",
    default: 7_200,
    narrow: smaller,
    help: "How long a claimed story is held, unless it is claimed or marked again: up to a day.",
    parse: duration(10, 86_400),
  },
};
