/**
 * One cell of a table as HTML: escaped, with its first link or address made a link if it is one of the web.
 */
import { raise } from "./program.ts";
import { pythonPattern } from "./python.ts";

const ADDRESS = pythonPattern(String.raw`https?://[^\s|)\]]+`);
const SPACE = pythonPattern(String.raw`\s`, "g");

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

/** Whether `urlparse` finds http or https and a host; raises a ValueError where it does. */
function isOfWeb(url: string): boolean {
  // deno-lint-ignore no-control-regex
  const clean = url.replace(/^[\x00-\x20]+/, "").replaceAll(/[\t\r\n]/g, "");
  const [, scheme, host = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?/.exec(clean) ?? [];
  if (scheme === undefined) checkHost(/^\/\/([^/?#]*)/.exec(clean)?.[1] ?? "");
  checkHost(host);
  return (scheme === undefined ? false : /^https?$/i.test(scheme)) && host !== "";
}

function checkHost(host: string): void {
  if (host.includes("[") !== host.includes("]")) raise("ValueError", "Invalid IPv6 URL");
  const start = host.indexOf("[");
  if (start >= 0) {
    const inner = host.slice(start + 1).split("]")[0]!;
    const isAddress = inner.startsWith("v")
      ? /^v[a-fA-F0-9]+\.[^\n]+$/.test(inner)
      : URL.canParse(`http://[${inner.replace(/%[^%]+$/, "")}]/`);
    if (!isAddress) raise("ValueError", `${inner} does not appear to be an IPv4 or IPv6 address`);
  }
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(host)) return;
  const plain = host.replaceAll(/[@:#?]/g, "");
  const normal = plain.normalize("NFKC");
  if (normal !== plain && /[/?#@:]/.test(normal)) {
    raise("ValueError", "netloc contains invalid characters under NFKC normalization");
  }
}
