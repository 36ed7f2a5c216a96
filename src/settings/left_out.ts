/** A small reader of `.gitignore`: the package for it may be loaded only when rights are dropped. */
import { splitLines } from "../base/text.ts";

export type LeavesOut = (path: string) => boolean | undefined;

const MAX_RULES = 500;
const MAX_LENGTH = 300;

export function withIgnoreFile(text: string, folder: string, above: LeavesOut): LeavesOut {
  const rules = splitLines(text).slice(0, MAX_RULES).flatMap((line) => ruleIn(line) ?? []).reverse();
  const start = folder === "" ? 0 : folder.length + 1;
  return (path) => {
    const names = path.slice(start).split("/");
    const rule = rules.find((rule) => matchesNames(names, rule.names));
    return rule === undefined ? above(path) : !rule.isKept;
  };
}

/** `**` stands for any number of names. */
function ruleIn(line: string) {
  const trimmed = line.trimEnd();
  const text = trimmed.endsWith("\\") && trimmed !== line ? `${trimmed} ` : trimmed;
  if (text === "" || text.startsWith("#") || text.length > MAX_LENGTH) return undefined;
  const isKept = text.startsWith("!");
  const pattern = text.slice(isKept ? 1 : 0).replace(/\/$/, "");
  if (pattern === "") return undefined;
  const names = pattern.replace(/^\//, "").split("/");
  return { names: pattern.includes("/") ? names : ["**", ...names], isKept };
}

function matchesNames(names: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return names.length === 0;
  if (first !== "**") {
    return names.length > 0 && matchesName(names[0]!, first) && matchesNames(names.slice(1), rest);
  }
  // What is in a folder is left out by `folder/**`, but not the folder.
  if (rest.length === 0) return names.length > 0;
  return names.some((_, at) => matchesNames(names.slice(at), rest));
}

/** With `*`, `?`, `[a-z]` and `\`, without backtracking that could explode. */
function matchesName(name: string, pattern: string): boolean {
  const parts = pattern.match(/\\.|\[!?\]?[^\]]{0,100}\]|[^]/gu) ?? [];
  const characters = [...name];
  let [at, part, star, from] = [0, 0, -1, 0];
  while (at < characters.length) {
    if (parts[part] === "*") [star, from] = [part++, at];
    else if (parts[part] !== undefined && matchesOne(characters[at]!, parts[part]!)) {
      [at, part] = [at + 1, part + 1];
    } else if (star >= 0) [part, at] = [star + 1, ++from];
    else return false;
  }
  return parts.slice(part).every((rest) => rest === "*");
}

function matchesOne(character: string, part: string): boolean {
  if (part === "?") return true;
  if (part.length > 1 && part.startsWith("\\")) return part.slice(1) === character;
  if (part.length < 3 || !part.startsWith("[")) return part === character;
  const isNot = part[1] === "!" || part[1] === "^";
  const ranges = part.slice(isNot ? 2 : 1, -1).match(/[^]-[^]|[^]/gu) ?? [];
  const isIn = ranges.some((range) => {
    const [first, , last = first] = [...range];
    return first! <= character && character <= last!;
  });
  return isIn !== isNot;
}
