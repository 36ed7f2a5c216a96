/** Markdown of strangers in linear time: HTML is shown as text, and only web addresses become links. */
import MarkdownIt from "markdown-it";
import { safeText, splitLines } from "../../base/text.ts";
import { Markup, markup } from "../../base/markup.ts";

const MAX_LENGTH = 200_000;

export function renderProse(text: string) {
  if (text.length > MAX_LENGTH) return { body: markup`<pre dir="auto">${text}</pre>`, headings: [] };
  const [front, rest] = splitFrontMatter(text);
  const tokens = parser.parse(safeText(rest), {});
  const headings = tokens.flatMap((token, at) => {
    if (token.type !== "heading_open") return [];
    // The page has its own first heading.
    const level = Math.min(6, Number(token.tag.slice(1)) + 1);
    tokens[at + 2]!.tag = token.tag = `h${level}`;
    const anchor = `line-${(token.map?.[0] ?? at) + 1}`;
    token.attrSet("id", anchor);
    return [{ level, text: tokens[at + 1]!.content, anchor }];
  });
  const body = new Markup(parser.renderer.render(tokens, parser.options, {}));
  return {
    body: markup`${
      front && markup`<pre class="front" dir="auto">${front}</pre>`
    }<article class="prose" dir="auto">${body}</article>`,
    headings,
  };
}

function splitFrontMatter(text: string): readonly [front: string, rest: string] {
  const lines = splitLines(text);
  const isFence = (line: string) => line.trimEnd() === "---";
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (!isFence(lines[0]!.replace(/^\uFEFF/, "")) || end < 0) return ["", text];
  return [lines.slice(1, end).join("\n"), lines.slice(end + 1).join("\n")];
}

const parser = openParser();

function openParser(): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: false, linkify: true });
  // Its time is quadratic in addresses that we refuse; the rule for whole texts finds them, too.
  parser.inline.ruler.disable("linkify");
  parser.validateLink = (address) => /^https?:\/\/\S+$/i.test(address) && address.length <= 2_000;
  const { rules } = parser.renderer;
  rules["image"] = (tokens, at) =>
    markup`<span class="quiet">[${tokens[at]!.content || "picture"}]</span>`.text;
  rules["link_open"] = (tokens, at) =>
    markup`<a href="${tokens[at]!.attrGet("href") ?? ""}" rel="noreferrer">`.text;
  // They scroll by themselves, also by keyboard.
  rules["table_open"] = () => '<div class="scroll" tabindex="0"><table>';
  rules["table_close"] = () => "</table></div>";
  rules["text"] = (tokens, at) => markup`${tokens[at]!.content}`.text;
  parser.core.ruler.push("boxes", ({ tokens }) => {
    for (const [at, { type, children }] of tokens.entries()) {
      const first = children?.[0];
      if (type !== "inline" || tokens[at - 2]?.type !== "list_item_open" || first === undefined) continue;
      const [all, mark] = /^\[([ xX])\] /.exec(first.content) ?? [];
      if (all === undefined) continue;
      first.content = `${mark === " " ? "☐" : "☑"} ${first.content.slice(all.length)}`;
    }
  });
  return parser;
}
