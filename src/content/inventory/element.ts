/**
 * Whether the tags of an XML element fit together.
 *
 * Not a parser: customized prompts are written into agents unescaped, so that only the tags which are read must be right.
 */
import { splitLines } from "../../base/text.ts";

/** The tags of an agent that are read; those between others may be part of somebody's text. */
const AGENT_TAGS: ReadonlySet<string> = new Set(
  "agent persona role identity communication_style principles menu item".split(" "),
);

/** What is wrong with the `<agent>` element of a Markdown file; undefined if it has none, or only speaks of one. */
export function agentProblem(text: string): string | undefined {
  const { index } = /^[ \t]*<agent(?![\w:.-])/m.exec(text) ?? {};
  return index === undefined ? undefined : elementProblem(text, index, AGENT_TAGS);
}

/** What is wrong with the first element of an XML file. */
export function xmlProblem(text: string): string | undefined {
  return elementProblem(text, 0);
}

interface Tag {
  readonly name: string;
  readonly at: number;
  readonly isEnd: boolean;
}

function elementProblem(text: string, from: number, known?: ReadonlySet<string>): string | undefined {
  const open: Tag[] = [];
  const problem = ({ at }: Pick<Tag, "at">, what: string) =>
    `the XML cannot be parsed: ${what} (line ${splitLines(text.slice(0, at)).length})`;
  for (const tag of tagsIn(text, from)) {
    if (tag === undefined) return "the XML cannot be parsed: a comment is never closed";
    const { name, at, isEnd } = tag;
    if (known?.has(name) === false) continue;
    const innermost = open.at(-1);
    if (!isEnd) {
      const end = tagEnd(text, at, innermost === undefined);
      if (end === undefined) return problem(tag, `the tag <${name}> is broken`);
      if (text[end - 2] !== "/") open.push(tag);
    } else if (innermost?.name === name) open.pop();
    else {
      const isOpen = open.some((one) => one.name === name);
      return isOpen
        ? problem(innermost!, `<${innermost!.name}> is never closed`)
        : problem(tag, `</${name}> closes nothing`);
    }
    // What follows the element is not part of it.
    if (open.length === 0) return undefined;
  }
  const last = open.at(-1);
  return last && problem(last, `<${last.name}> is never closed`);
}

const TAG = /<(\/?)([A-Za-z_][\w:.-]*)/y;
/** Texts in which `<` has no meaning. */
const QUIET: readonly (readonly [begin: string, end: string])[] = [["<!--", "-->"], ["<![CDATA[", "]]>"]];

/** The tags from a position on; undefined for a comment without an end. */
function* tagsIn(text: string, from: number): Generator<Tag | undefined> {
  for (let at = text.indexOf("<", from); at >= 0; at = text.indexOf("<", at + 1)) {
    const quiet = QUIET.find(([begin]) => text.startsWith(begin, at));
    if (quiet !== undefined) {
      at = text.indexOf(quiet[1], at);
      if (at < 0) return yield undefined;
      continue;
    }
    TAG.lastIndex = at;
    const [, slash, name] = TAG.exec(text) ?? [];
    if (name !== undefined) yield { name, at, isEnd: slash === "/" };
  }
}

const WHOLE_TAG = /<[\w:.-]+(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*\/?>/y;

/** Where a tag ends; undefined if it does not. The attributes of the first are read, so that they must be right. */
function tagEnd(text: string, at: number, isFirst: boolean): number | undefined {
  if (!isFirst) return text.indexOf(">", at) + 1 || undefined;
  WHOLE_TAG.lastIndex = at;
  return WHOLE_TAG.test(text) ? WHOLE_TAG.lastIndex : undefined;
}
