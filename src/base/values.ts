/**
 * Unknown values as texts, lists and maps, and what several readers make of them.
 *
 * Pure and without any package, so that whoever needs no parser need not load one.
 */
import type { MenuItem } from "./model.ts";

/** A map of unknown values, as configuration files hold them. */
export type Values = Readonly<Record<string, unknown>>;

/** A value as text, if it is one that a person would write as text. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** A value as a list of texts; one text is a list of one. */
export function asTexts(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map(asText).filter((text) => text !== undefined);
}

/** A value as a map, empty when it is none. */
export function asValues(value: unknown): Values {
  return isValues(value) ? value : {};
}

/** Whether a value is a map. */
export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A line of a menu as `customize.toml` has it. */
export function menuItemOf(item: Values): MenuItem {
  return {
    code: asText(item["code"]) ?? "",
    label: asText(item["description"]) ?? "",
    target: asText(item["skill"]),
    prompt: asText(item["prompt"]),
  };
}

/** `Meal Prep & Nutrition Plan` → `meal-prep-nutrition-plan`. Empty for a name without letters and digits. */
export function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
}
