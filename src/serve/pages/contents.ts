/**
 * A Markdown text as a page: its contents first, if it is long. The parser is loaded with the first such text.
 */
import { type Markup, markup } from "../../base/markup.ts";

/** A Markdown text, with its contents before it if it is long. */
export async function proseOf(text: string): Promise<Markup> {
  const { renderProse } = await import("./prose.ts");
  const { body, headings } = renderProse(text);
  const main = headings.filter(({ level }) => level <= 3).slice(0, MAX_HEADINGS);
  if (main.length < 4) return body;
  return markup`<details class="card"><summary>Contents</summary><ul>${
    main.map(({ level, text, anchor }) =>
      markup`<li class="level-${level}"><a href="#${anchor}">${text}</a></li>`
    )
  }</ul></details>${body}`;
}

const MAX_HEADINGS = 200;
