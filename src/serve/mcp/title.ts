/**
 * What a thing is called in lists for people.
 *
 * The emoji of an agent stands in the title: the icons of the protocol are images, and no BMAD content has any.
 */
import type { Entry } from "../../base/model.ts";

/** `📊 Mary (Business Analyst)`, `Create Brief`; the short name where the content gives no better one. */
export function titleOf({ icon, displayName, title, name }: Entry): string {
  const who = displayName === undefined
    ? title ?? name
    : title === undefined
    ? displayName
    : `${displayName} (${title})`;
  return [icon, who].filter(Boolean).join(" ");
}
