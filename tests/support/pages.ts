/** The pages of a server, as a person reads them: text without markup. */
import assert from "node:assert/strict";

export const textOf = (html: string) =>
  html.replace(/<style>[^]*?<\/style>/, "").replaceAll(/<noscript>[^]*?<\/noscript>/g, "").replaceAll(
    /<[^>]*>/g,
    " ",
  )
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll(/\s+/g, " ");

export type Page = Awaited<ReturnType<typeof readPage>>;

export async function readPage(
  { url }: { readonly url: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(url + path, { headers });
  const html = await answer.text();
  return { status: answer.status, headers: answer.headers, html, text: textOf(html) };
}

export async function checkTexts(
  program: { readonly url: string },
  texts: Readonly<Record<string, RegExp>>,
  status = 200,
): Promise<void> {
  for (const [path, pattern] of Object.entries(texts)) {
    const page = await readPage(program, path);
    assert.equal(page.status, status, path);
    assert.match(page.text, pattern, path);
  }
}
