/**
 * Checks paths and names that a caller gives, before they become part of a path in the project.
 *
 * Pure text work: whether anything exists there, and where links point, is left to the code that opens it.
 */
import { fail } from "../../base/errors.ts";
import { isPortableName } from "../../base/paths.ts";
import { normalizePath } from "./paths.ts";
import { isInside } from "./resolve.ts";

const MAX_PATH_LENGTH = 500;

/** A path inside the project, given relative to it, after `{project-root}`, or absolute. Fails for any other. */
export function insidePath(field: string, given: string, root: string): string {
  const hint = "Use a path relative to the project";
  const refuse = (problem: string) =>
    fail({ code: "invalid-input", field, problem: `${quoteShort(given, 80)} ${problem}`, hint });
  if (given.length > MAX_PATH_LENGTH) refuse(`has more than ${MAX_PATH_LENGTH} characters`);
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(given)) refuse("contains control characters");
  const path = given.trim().replace(/^\{project-root\}(?=\/|$)/, root);
  const [placeholder] = /^\{[\w.-]+\}/.exec(path) ?? [];
  if (placeholder !== undefined) refuse(`starts with ${placeholder}, which is not filled in`);
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  if (isAbsolute && !isInside(path, root)) refuse("is outside the project");
  const clean = normalizePath(isAbsolute ? path.slice(root.length) : path);
  return clean ?? refuse("is outside the project");
}

const MAX_NAME_BYTES = 100;

/**
 * A name that becomes one part of a path: an agent, a run, a branch, a team, a key. Letters of any script, digits, dots,
 * dashes and underscores; nothing that a system could take for more than a name.
 */
export function checkName(field: string, given: string): string {
  const name = given.normalize("NFC");
  const isName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && isPortableName(name);
  if (isName && new TextEncoder().encode(name).length <= MAX_NAME_BYTES) return name;
  return fail({
    code: "invalid-input",
    field,
    problem: `${quoteShort(given, 60)} is not a valid name`,
    hint: `Use letters, digits, dots, dashes and underscores, starting with a letter or digit, ` +
      `at most ${MAX_NAME_BYTES} bytes`,
  });
}

function quoteShort(text: string, max: number): string {
  return JSON.stringify(text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text);
}
