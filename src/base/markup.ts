/**
 * HTML templates in which every value is escaped, unless it is markup already.
 *
 * Control characters and bidirectional marks are replaced, too (`safeText`).
 */
import { safeText } from "./text.ts";

/** HTML that needs no escaping. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What can be inserted into markup; undefined and false insert nothing, a list all its members. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

/** A template: `markup\`<p>${text}</p>\``. */
export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.reduce((text, part, at) => text + render(values[at - 1]) + part));
}

function render(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return safeText(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
