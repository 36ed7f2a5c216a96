/**
 * Rules for the values of a map: which keys it needs, and of which type they are.
 */
import { asText, isValues, type Values } from "../../../base/values.ts";
import type { CheckedFile } from "./fault.ts";

/** The type of a value, in words that a message can use. */
export type ValueType = "a text" | "a list" | "a list of texts" | "a map" | "a list of maps";

const IS: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  "a text": (value) => asText(value) !== undefined,
  "a list": Array.isArray,
  "a list of texts": (value) => Array.isArray(value) && value.every((each) => asText(each) !== undefined),
  "a map": isValues,
  "a list of maps": (value) => Array.isArray(value) && value.every(isValues),
};

/** Reports keys that are missing or empty. `where` says in which part of the file: `agent.metadata`. */
export function requireKeys(
  file: CheckedFile,
  values: Values,
  keys: readonly string[],
  where = "",
  at: string | number | undefined = where.split(".").at(-1),
): void {
  for (const key of keys) {
    const value = values[key];
    const isThere = isValues(value) || Array.isArray(value) || asText(value) !== undefined;
    if (!isThere) file.fault("missing-key", `${where === "" ? key : `${where}.${key}`} is missing`, at);
  }
}

/** Reports values of another type than theirs. */
export function checkTypes(
  file: CheckedFile,
  values: Values,
  types: Readonly<Record<string, ValueType>>,
  where = "",
): void {
  for (const [key, type] of Object.entries(types)) {
    const value = values[key];
    if (value === undefined || value === null || value === "" || IS[type](value)) continue;
    file.fault("wrong-type", `${where === "" ? key : `${where}.${key}`} is not ${type}`, key);
  }
}

/** Reports keys that nothing reads. */
export function checkKeys(
  file: CheckedFile,
  values: Values,
  known: readonly string[],
  where = "",
): void {
  for (const key of Object.keys(values).filter((key) => !known.includes(key))) {
    file.fault("unknown-key", `${where === "" ? key : `${where}.${key}`} is not a known key`, key);
  }
}

/** Reports texts that occur twice. */
export function checkTwice(file: CheckedFile, texts: readonly (string | undefined)[], what: string): void {
  const seen = new Set<string>();
  for (const text of texts) {
    if (text === undefined || text === "") continue;
    if (seen.has(text)) file.fault("duplicate", `${what} ${text} occurs twice`, text);
    seen.add(text);
  }
}
