/**
 * HTML from values: everything that is put into it is escaped, unless it is markup already.
 *
 * What steers a page beside signs of HTML (controls, marks that turn the order of writing) is made safeText, too.
 */
import { safeText } from "../../base/text.ts";

/** Text that is HTML and needs no escaping. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What can be put into markup; a list is put in one after the other, nothing for undefined and false. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

/** Markup with values in it. */
export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.reduce((text, part, at) => text + render(values[at - 1]) + part));
}

function render(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return safeText(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
