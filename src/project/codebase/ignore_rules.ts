/**
 * What a project's .gitignore files leave out, by git's own rules.
 *
 * A file of rules counts for its folder and all below; of several rules that fit, the last one of the deepest file
 * decides. Nothing in a folder that is left out can be taken in again, so whoever walks does not enter it.
 */
import { baseName } from "../../content/tree/mod.ts";

/** The rules that count in one folder. */
export interface IgnoreRules {
  /** Whether a path from the root, in the folder of these rules, is left out. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** The rules of a folder below, where a text of further rules may stand. */
  below(folder: string, text: string | undefined): IgnoreRules;
}

interface Rule {
  /** What it must fit from beginning to end. */
  readonly source: string;
  /** Whether that is the whole path, from the folder of the rules on, and not only the name at its end. */
  readonly isForPaths: boolean;
  readonly isForFolders: boolean;
  /** Whether it takes in again what others leave out. */
  readonly takesIn: boolean;
}

interface RuleSet {
  /** Where the rules stand, with a slash behind it; empty for the root. */
  readonly base: string;
  /** Whether any of the rules could be about a path: nearly always none is, and that is asked of all at once. */
  mayFit(name: string, rest: string): boolean;
  readonly rules: readonly (Rule & { readonly pattern: RegExp })[];
}

/** No rules yet. */
export const NO_RULES: IgnoreRules = rulesOf([]);

function rulesOf(sets: readonly RuleSet[]): IgnoreRules {
  return {
    ignores(path, isDirectory) {
      const name = baseName(path);
      for (const { base, mayFit, rules } of sets) {
        const rest = path.slice(base.length);
        if (!mayFit(name, rest)) continue;
        const last = rules.findLast(({ pattern, isForFolders, isForPaths }) =>
          (isDirectory || !isForFolders) && pattern.test(isForPaths ? rest : name)
        );
        if (last !== undefined) return !last.takesIn;
      }
      return false;
    },
    below(folder, text) {
      const rules = text === undefined ? [] : text.split(/\r?\n/).flatMap(parseRule);
      if (rules.length === 0) return this;
      return rulesOf([setOf(folder === "" ? "" : `${folder}/`, rules), ...sets]);
    },
  };
}

function setOf(base: string, rules: readonly Rule[]): RuleSet {
  const paths = anyOf(rules.filter(({ isForPaths }) => isForPaths));
  const names = anyOf(rules.filter(({ isForPaths }) => !isForPaths));
  return {
    base,
    mayFit: (name, rest) => names.test(name) || paths.test(rest),
    rules: rules.map((rule) => ({ ...rule, pattern: patternOf(rule.source) })),
  };
}

function anyOf(rules: readonly Rule[]): RegExp {
  // Of no rules, nothing fits.
  return rules.length === 0 ? /(?!)/ : patternOf(rules.map(({ source }) => source).join("|"));
}

function patternOf(source: string): RegExp {
  return new RegExp(`^(?:${source})$`, "u");
}

/** Stars in a rule, and in one name of it: what has more could take for ever to compare, and nobody writes it. */
const MOST_STARS = 5, MOST_IN_NAME = 3;

function hasTooManyStars(path: string): boolean {
  const starsIn = (text: string) => text.match(/\*+/g)?.length ?? 0;
  return starsIn(path) > MOST_STARS || path.split("/").some((name) => starsIn(name) > MOST_IN_NAME);
}

function parseRule(line: string): readonly Rule[] {
  // A blank at the end counts only behind a backslash.
  const text = line.replace(/(?<!\\) +$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const takesIn = text.startsWith("!");
  const whole = takesIn ? text.slice(1) : text;
  const isForFolders = whole.endsWith("/");
  const path = (isForFolders ? whole.slice(0, -1) : whole).replaceAll(/(?<=^|\/)(?:\*\*\/)+/g, "**/");
  const isForPaths = path.includes("/");
  const source = toSource(path.replace(/^\//, ""));
  if (path === "" || source === undefined || hasTooManyStars(path)) return [];
  return [{ source, isForPaths, isForFolders, takesIn }];
}

/** What stands for the signs of a pattern; the longer ones first. */
const SIGNS: readonly (readonly [sign: RegExp, source: (found: RegExpExecArray) => string])[] = [
  [/\/\*\*(?=\/)/y, () => "(?:/.*)?"],
  // Behind a name, two stars are one.
  [/^\*\*\//y, () => "(?:.*/)?"],
  [/\/\*\*$/y, () => "/.+"],
  [/\*+/y, () => "[^/]*"],
  [/\?/y, () => "[^/]"],
  [
    /\[(!|\^)?(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]/y,
    ([, not, set]) => `(?!/)[${not === undefined ? "" : "^"}${classOf(set!)}]`,
  ],
  [/\\(.)/y, ([, sign]) => escaped(sign!)],
  [/[^]/y, ([sign]) => escaped(sign)],
];

/** A pattern as the source of a regular expression; undefined when it can fit nothing. */
function toSource(pattern: string): string | undefined {
  let source = "";
  for (let at = 0; at < pattern.length;) {
    for (const [sign, write] of SIGNS) {
      sign.lastIndex = at;
      const found = sign.exec(pattern);
      if (found === null) continue;
      source += write(found);
      at += found[0].length;
      break;
    }
  }
  try {
    new RegExp(source, "u");
    return source;
  } catch {
    return undefined;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  space: "\\s",
  upper: "A-Z",
  lower: "a-z",
};

function classOf(set: string): string {
  return set.replaceAll(
    /\[:(\w+):\]|\\(.)|[[\]^]/g,
    (found, name?: string, sign?: string) =>
      // A backslash before any other sign would be refused.
      name !== undefined ? CLASSES[name] ?? "" : (sign ?? found).replace(/[[\]\\^-]/, "\\$&"),
  );
}

function escaped(sign: string): string {
  return sign.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
}
