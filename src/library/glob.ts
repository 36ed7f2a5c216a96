/**
 * Globs over served paths: `*` and `?` stay inside a folder, `**` does not.
 *
 * Patterns come from models and strangers, so matching keeps the set of reachable positions instead of
 * backtracking: the cost is the length of the pattern times the length of the path, whatever the pattern.
 */

/** A test for the paths that fit a pattern. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const parts = pattern.replace(/^bmad:\/\//, "").split(/(\*\*\/?|\*|\?)/).filter((part) => part !== "");
  return (path) => {
    let reached: ReadonlySet<number> = new Set([0]);
    for (const part of parts) reached = new Set([...reached].flatMap((at) => [...advance(path, at, part)]));
    return reached.has(path.length);
  };
}

/** The positions that one part of a pattern leads to. */
function* advance(path: string, at: number, part: string): Generator<number> {
  if (!part.startsWith("*") && part !== "?") {
    if (path.startsWith(part, at)) yield at + part.length;
  } else if (part === "?") {
    if (at < path.length && path[at] !== "/") yield at + 1;
  } else {
    for (let end = at; end <= path.length; end++) {
      // `**/` ends only where a folder does, or takes nothing at all.
      if (part !== "**/" || end === at || path[end - 1] === "/") yield end;
      if (part === "*" && path[end] === "/") return;
    }
  }
}
