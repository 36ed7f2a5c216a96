/**
 * Globs over served paths: `*` and `?` match inside a folder, `**` across folders.
 *
 * Patterns are untrusted, so matching tracks the set of reachable positions instead of backtracking: the cost is the
 * length of the pattern times the length of the path.
 */
import { fail } from "../../../base/errors.ts";

/** More than any pattern of a person has. */
const MAX_PARTS = 40;

/** What tells whether a path fits. Fails for a pattern that would take long. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const parts = pattern.replace(/^bmad:\/\//, "").split(/(\*\*\/?|\*|\?)/).filter((part) => part !== "");
  if (parts.length > MAX_PARTS) {
    fail({ code: "invalid-input", field: "pattern", problem: `it has more than ${MAX_PARTS} parts` });
  }
  return (path) => {
    let reached: boolean[] = [true];
    for (const part of parts) reached = advance(path, reached, part);
    return reached[path.length] === true;
  };
}

/** The positions that are reachable after one more part of a pattern. */
function advance(path: string, reached: readonly boolean[], part: string): boolean[] {
  const next: boolean[] = [];
  let open = false;
  for (let end = 0; end <= path.length; end++) {
    const here = reached[end] === true;
    if (part === "?") next[end] = end > 0 && reached[end - 1] === true && path[end - 1] !== "/";
    else if (part === "*") {
      open = here || (open && path[end - 1] !== "/");
      next[end] = open;
    } else if (part === "**") next[end] = open ||= here;
    else if (part === "**/") {
      next[end] = here || (open && path[end - 1] === "/");
      open ||= here;
    } else {
      const from = end - part.length;
      next[end] = from >= 0 && reached[from] === true && path.startsWith(part, from);
    }
  }
  return next;
}
