/**
 * The title of an item in lists for people.
 *
 * It includes an agent's emoji: icons in the protocol are images, and no BMAD content has any.
 */
import type { Entry } from "../../base/model.ts";

/** `📊 Mary (Business Analyst)`, `Create Brief`; the short name if the content has no title. */
export function titleOf({ icon, displayName, title, name }: Entry): string {
  const text = displayName === undefined
    ? title ?? name
    : title === undefined
    ? displayName
    : `${displayName} (${title})`;
  return [icon, text].filter(Boolean).join(" ");
}
