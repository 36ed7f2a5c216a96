/**
 * The scripts that a text mentions, each with the arguments that follow it.
 */

/** A script with a usual extension, in a folder `scripts`. */
const SCRIPT = /scripts\/[\w-]{1,80}\.(?:py|sh|[cm]?js|ts|rb|ps1)\b/g;
/** How many characters before the folder are searched for the path, and after the name for the arguments. */
const REACH = 200;
const ARGUMENTS = 600;

/** The path of each script that a text mentions, and the rest of the line, with the arguments. */
export function scriptsIn(text: string): readonly { readonly path: string; readonly rest: string }[] {
  return Array.from(text.matchAll(SCRIPT), ({ 0: script, index }) => {
    const end = index + script.length;
    const [before = ""] = /(?<![\w{}./-])[\w{}./-]*$/.exec(text.slice(Math.max(0, index - REACH), index)) ??
      [];
    // A backslash continues the command on the next line.
    const [line = ""] = /^(?:[^`\n\\]|\\[^])*/.exec(text.slice(end, end + ARGUMENTS)) ?? [];
    // The path may be in quotes; what follows it without a space is the sentence or list that it is mentioned in.
    const rest = line.replace(/^["']/, "").replaceAll(/\\\r?\n/g, " ");
    return { path: before + script, rest: /^\s/.test(rest) ? rest : "" };
  });
}
