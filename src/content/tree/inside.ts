/**
 * Paths that somebody names, held to the inside of the project.
 */
import { fail } from "../../base/errors.ts";
import { isInside } from "./disk.ts";
import { normalizePath } from "./paths.ts";

const MOST_LETTERS = 500;

/**
 * A path inside the project, as a caller may write it: relative to the project, behind `{project-root}`, or absolute.
 * Fails for one that leads out. Whether anything is there, and where links lead, is found out by who opens it.
 */
export function insidePath(field: string, given: string, root: string): string {
  const shown = JSON.stringify(given.length > 80 ? `${given.slice(0, 80).toWellFormed()}…` : given);
  const refuse = (problem: string) =>
    fail({
      code: "invalid-input",
      field,
      problem: `${shown} ${problem}`,
      hint: "Name it relative to the project",
    });
  if (given.length > MOST_LETTERS) refuse(`has more than ${MOST_LETTERS} characters`);
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(given)) refuse("holds signs that no path has");
  const path = given.trim().replace(/^\{project-root\}(?=\/|$)/, root);
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  if (isAbsolute && !isInside(path, root)) refuse("lies outside the project");
  const clean = normalizePath(isAbsolute ? path.slice(root.length) : path);
  return clean ?? refuse("lies outside the project");
}
