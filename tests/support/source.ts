/**
 * What does a source file say, once comments and texts are set aside?
 *
 * The checks that read our own sources (layering, promises) look for words and imports. `blankText` makes a
 * copy of a source in which comments, strings and regular expressions are spaces, so that a word found in it
 * is code and stands where it stands in the file. `findImports` lists what a module loads. Both are rough
 * where TypeScript is hard to read without a parser (a regular expression after a `)`), which is enough here.
 */

/** Code after which a slash begins a regular expression and does not divide; a `!` behind a value negates nothing. */
const BEFORE_REGEX =
  /(?:^|[(,=:[&|?{};+\-*%<>~^]|(?<![\w)\]])!|\b(?:return|typeof|case|in|of|do|else|void|throw|await|yield))$/;

const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

/** An import or re-export up to the quote that opens its specifier. */
const STATEMENT =
  /(?<![.\w$#])(?:import\s*|(?:import|export)\b\s*(type\b\s+)?[\w$*{},\s]*?\bfrom\s*)(?=["'])/g;

export function findPatterns(source: string) {
  const found: { readonly pattern: string; readonly line: number }[] = [];
  blankText(
    source,
    (at, length) => found.push({ pattern: source.slice(at, at + length), line: lineAt(source, at) }),
  );
  return found;
}

/** The source with the inside of comments, strings and regular expressions as spaces; line breaks and quotes stay. */
export function blankText(source: string, onPattern?: (at: number, length: number) => void): string {
  let out = "";
  /** For each template that we are in: how many braces are open in its present `${…}`. */
  const templates: number[] = [];
  const blank = (until: number) => out += source.slice(out.length, until).replace(/[^\n]/g, " ");
  const copy = (until: number) => out += source.slice(out.length, until);

  const skipString = (quote: string) => {
    let end = out.length + 1;
    while (end < source.length && source[end] !== quote && source[end] !== "\n") {
      end += source[end] === "\\" ? 2 : 1;
    }
    copy(out.length + 1);
    blank(Math.min(end, source.length));
    copy(out.length + 1);
  };
  const skipTemplate = () => {
    let end = out.length;
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
      end += source[end] === "\\" ? 2 : 1;
    }
    blank(Math.min(end, source.length));
    if (source[end] === "$") templates.push(0);
    copy(out.length + (source[end] === "$" ? 2 : 1));
  };

  while (out.length < source.length) {
    const at = out.length;
    const char = source[at]!;
    if (source.startsWith("//", at)) blank(endOf(source, "\n", at));
    else if (source.startsWith("/*", at)) blank(endOf(source, "*/", at + 2, 2));
    else if (char === '"' || char === "'") skipString(char);
    else if (char === "`") {
      copy(at + 1);
      skipTemplate();
    } else if (char === "}" && templates.at(-1) === 0) {
      templates.pop();
      copy(at + 1);
      skipTemplate();
    } else if (char === "/" && BEFORE_REGEX.test(out.trimEnd().slice(-12))) {
      REGEX.lastIndex = at;
      const length = REGEX.exec(source)?.[0].length ?? 1;
      if (length > 1) onPattern?.(at, length);
      length > 1 ? blank(at + length) : copy(at + 1);
    } else {
      if (templates.length > 0 && (char === "{" || char === "}")) {
        templates.push(templates.pop()! + (char === "{" ? 1 : -1));
      }
      copy(at + 1);
    }
  }
  return out;
}

/** The string literals that stand from `at` on, with commas between them; `code` is the blanked source. */
function readLiterals(source: string, code: string, at: number): string[] {
  const values: string[] = [];
  const literal = /\s*(["'])( *)\1(?!\s*[+.])\s*,?/y;
  literal.lastIndex = at;
  for (let found; (found = literal.exec(code)) !== null;) {
    const from = found.index + found[0].indexOf(found[1]!) + 1;
    values.push(source.slice(from, from + found[2]!.length));
  }
  return values;
}

export function findImports(source: string) {
  const code = blankText(source);
  /** How the module is named: at the top, as types only, or by `import(…)` and `getBuiltinModule(…)`. */
  type Form = "static" | "type" | "dynamic";
  const found: { at: number; specifier: string | undefined; line: number; form: Form }[] = [];
  const add = (match: RegExpExecArray, form: Form) => {
    // Undefined when the name is computed, which `import(…)` can do.
    const [specifier] = readLiterals(source, code, match.index + match[0].length);
    found.push({ at: match.index, specifier, line: lineAt(source, match.index), form });
  };
  for (const match of code.matchAll(STATEMENT)) add(match, match[1] === undefined ? "static" : "type");
  for (const match of code.matchAll(/(?:(?<![.\w$#])import|\bgetBuiltinModule)\s*\(\s*/g)) {
    add(match, "dynamic");
  }
  return found.sort((a, b) => a.at - b.at).map(({ specifier, line, form }) => ({ specifier, line, form }));
}

export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function endOf(source: string, mark: string, from: number, extra = 0): number {
  const at = source.indexOf(mark, from);
  return at === -1 ? source.length : at + extra;
}
