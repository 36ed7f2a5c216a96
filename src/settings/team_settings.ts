/**
 * The settings for several people and agents on one project.
 *
 * Rows of THE table of settings, in a file of their own because they concern work that is shared.
 */
import { Invalid } from "../base/invalid.ts";
import { duration, last, oneOf, setting, smaller } from "./values.ts";

export const TEAM_SETTINGS = {
  claims: setting<"local" | "remote">({
    flag: "--claims",
    value: "WHERE",
    values: ["local", "remote"],
    default: "local",
    help:
      "Who sees which stories are held: the worktrees of this clone (local), or all clones of a repository (remote), " +
      "which requires --allow-git.",
    parse: oneOf("local", "remote"),
  }),
  claimsRemote: setting({
    flag: "--claims-remote",
    value: "NAME",
    default: "origin",
    help: "The git remote that holds the claims of all clones.",
    parse: (texts) => {
      const name = last(texts);
      return /^\w[\w.-]{0,99}$/.test(name) ? name : new Invalid("expected the name of a git remote");
    },
  }),
  claimTime: setting({
    flag: "--claim-time",
    value: "TIME",
    default: 7_200,
    narrow: smaller,
    help: "How long a claimed story is held, unless it is claimed or marked again: up to a day.",
    parse: duration(10, 86_400),
  }),
};
