/**
 * HTML from values: everything that is put into it is escaped, unless it is HTML already.
 */
import { harmless } from "../safe_text.ts";

/** Text that is HTML and needs no escaping. */
export class Html {
  constructor(readonly text: string) {}
}

/** What can be put into HTML; a list is put in one after the other, nothing for undefined. */
export type Content = string | number | Html | undefined | readonly Content[];

/** HTML with values in it. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.reduce((text, part, at) => text + render(values[at - 1]) + part));
}

function render(value: Content): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return harmless(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
