/** Every value is escaped unless it is markup, and control characters are replaced. */
import { safeText } from "./text.ts";

export class Markup {
  constructor(readonly text: string) {}
}

export type Content = string | number | Markup | undefined | false | readonly Content[];

export function markup(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.reduce((text, part, at) => text + render(values[at - 1]) + part));
}

function render(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return safeText(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
