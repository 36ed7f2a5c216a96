/**
 * Generated parts of hand-written pages.
 *
 * Each part follows a comment that names it, between two comments that switch the formatter off; `deno task docs`
 * writes it.
 */

/** A page whose generated parts are replaced with what the functions render. */
export function fillSections(
  page: string,
  sections: Readonly<Record<string, () => readonly string[]>>,
): string {
  return Object.entries(sections).reduce((text, [name, render]) => {
    const begin = `<!-- ${name} -->\n\n<!-- deno-fmt-ignore-start -->`;
    const at = text.indexOf(begin);
    const end = text.indexOf("<!-- deno-fmt-ignore-end -->", at);
    if (at < 0 || end < 0) throw new Error(`The page has no generated part <!-- ${name} -->`);
    return text.slice(0, at + begin.length) + ["", "", ...render(), "", ""].join("\n") + text.slice(end);
  }, page);
}
