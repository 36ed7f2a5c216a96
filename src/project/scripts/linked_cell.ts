/**
 * One cell of a table as HTML: escaped, with its first link or address made a link if it is one of the web.
 */
import type { Values } from "../../base/values.ts";

/** `[label](url)`, of lengths that people write: a cell may be as long as the file. */
const LINK = /\[([^\][]{0,500})\]\(([^\s)[]{1,2000})\)/;
const OF_WEB = /^https?:\/\/[^/?#]/i;
const ADDRESS = /(https?:\/\/[^\s|)\]]+)/;

const SIGNS: Values = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

/** `html.escape`. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `${SIGNS[sign]}`);
}

/** The cell; what looks like a link but leads elsewhere goes to `invalid`, and stays text. */
export function linkedCell(cell: string, invalid: string[]): string {
  const link = LINK.exec(cell) ?? ADDRESS.exec(cell);
  if (link === null) return escapeHtml(cell);
  const [whole, name, url = name!] = link;
  const [start, end, label] = [link.index, link.index + whole.length, name || url];
  if (OF_WEB.test(url)) {
    return `${escapeHtml(cell.slice(0, start))}<a href="${escapeHtml(url)}" target="_blank" rel="noopener">${
      escapeHtml(label)
    }</a>${escapeHtml(cell.slice(end))}`;
  }
  invalid.push(url);
  return escapeHtml(cell.replaceAll(cell.slice(start, end), () => label));
}
