/**
 * The settings for several people and agents on one project.
 *
 * Rows of THE table of settings, in a file of their own because they concern work that is shared.
 */
import { Invalid } from "../base/invalid.ts";
import { duration, last, oneOf, type Setting, smaller } from "./values.ts";

/** The values of these settings. */
export interface TeamSettings {
  /** Who sees a claim: the worktrees of the clone, or everybody who shares a remote repository with it. */
  readonly claims: "local" | "remote";
  /** The name of that repository in git's configuration. */
  readonly claimsRemote: string;
  /** In seconds. */
  readonly claimTime: number;
}

/** Their rows. */
export const TEAM_SETTINGS: { readonly [K in keyof TeamSettings]: Setting<TeamSettings[K]> } = {
  claims: {
    flag: "--claims",
    value: "WHERE",
    values: ["local", "remote"],
    variables: ["BMAD_CLAIMS"],
    files: "user",
    default: "local",
    help:
      "Who sees which stories are held: the worktrees of this clone (local), or all clones of a repository (remote), " +
      "which requires --allow-git.",
    parse: oneOf("local", "remote"),
  },
  claimsRemote: {
    flag: "--claims-remote",
    value: "NAME",
    variables: ["BMAD_CLAIMS_REMOTE"],
    files: "user",
    default: "origin",
    help: "The git remote that holds the claims of all clones.",
    parse: (texts) => {
      const name = last(texts);
      return /^\w[\w.-]{0,99}$/.test(name) ? name : new Invalid("expected the name of a git remote");
    },
  },
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
