/**
 * One cell of a table as HTML: escaped, with its first link or address made a link if it is one of the web.
 */

const ADDRESS = /https?:\/\/[^\s|)\]]+/;
const SPACE = /\s/g;

/** `html.escape`. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    '"',
    "&quot;",
  )
    .replaceAll("'", "&#x27;");
}

/** The cell; what looks like a link but leads elsewhere goes to `invalid`, and stays text. */
export function linkedCell(cell: string, invalid: string[]): string {
  const link = findLink(cell) ?? findAddress(cell);
  if (link === undefined) return escapeHtml(cell);
  const { start, end, label, url } = link;
  if (isOfWeb(url)) {
    return `${escapeHtml(cell.slice(0, start))}<a href="${escapeHtml(url)}" target="_blank" rel="noopener">${
      escapeHtml(label)
    }</a>${escapeHtml(cell.slice(end))}`;
  }
  invalid.push(url);
  return escapeHtml(cell.replaceAll(cell.slice(start, end), () => label));
}

interface Link {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly url: string;
}

/** The first `[label](url)`, in linear time: a cell may be as long as the file. */
function findLink(cell: string): Link | undefined {
  let [space, end] = [-1, -1];
  for (let start = cell.indexOf("["); start >= 0;) {
    const close = cell.indexOf("]", start);
    if (close < 0) return undefined;
    if (cell[close + 1] === "(") {
      const from = close + 2;
      if (end < from + 1) end = cell.indexOf(")", from + 1);
      if (end < 0) return undefined;
      if (space < from) {
        SPACE.lastIndex = from;
        space = SPACE.exec(cell)?.index ?? cell.length;
      }
      if (space > end) {
        const url = cell.slice(from, end);
        return { start, end: end + 1, label: cell.slice(start + 1, close) || url, url };
      }
    }
    start = cell.indexOf("[", close);
  }
  return undefined;
}

function findAddress(cell: string): Link | undefined {
  const match = ADDRESS.exec(cell);
  if (match === null) return undefined;
  const [url] = match;
  return { start: match.index, end: match.index + url.length, label: url, url };
}

function isOfWeb(url: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(url);
}
