/**
 * The comments in a text, to see whether an edit loses any.
 *
 * Those of YAML are found roughly: a text in quotes may count as one. That only leaves one backup more.
 */
import type { Format } from "./client.ts";

/** Each pattern skips texts in quotes, and captures comments. */
const COMMENTS: Readonly<Record<Format, RegExp>> = {
  json: /()(?!)/g,
  jsonc: /"(?:[^"\\\n]|\\[^\n])*"?|(\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$))/g,
  toml:
    /"""(?:[^\\]|\\(?:[^]|$))*?(?:"{3,5}|$)|'''[^]*?(?:'{3,5}|$)|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|(#[^\r\n]*)/g,
  yaml: /(?:^|\s)(#[^\r\n]*)/g,
};

/** Whether a comment of the old text is missing in the new one. */
export function losesComment(format: Format, before: string, after: string): boolean {
  const left = commentsIn(format, after);
  return commentsIn(format, before).some((comment) => {
    const at = left.indexOf(comment);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function commentsIn(format: Format, text: string): string[] {
  return Array.from(text.matchAll(COMMENTS[format]), ([, comment]) => comment?.trimEnd() ?? "")
    .filter((comment) => comment !== "");
}
