/**
 * Which values of an item its team or its user has changed, one by one, so that people see what is not BMAD's own.
 */
import type { Entry } from "../../../base/model.ts";
import { isValues, type Values } from "../../../base/values.ts";
import { perKey } from "../library.ts";
import { agentChanges, customizationSteps } from "./customize.ts";

/** One changed value. */
export interface CustomizedValue {
  /** Its path: `agent.icon`, `agent.menu.BP`. */
  readonly key: string;
  readonly value: unknown;
  /** What the item brings along; missing where it has no such value, or where its text has the change already. */
  readonly was?: unknown;
}

/** The changed values of an item. */
export const customizedValues = perKey((library, entry: Entry): readonly CustomizedValue[] => {
  const { base, merged } = customizationSteps(library, entry);
  const agent = agentChanges(library, entry);
  return [...changedIn("", base, merged), ...(agent === undefined ? [] : changedIn("", {}, { agent }))];
});

function* changedIn(path: string, was: unknown, value: unknown): Generator<CustomizedValue> {
  const [before, after] = [partsOf(was), partsOf(value)];
  if (after === undefined || (before === undefined && was !== undefined)) {
    if (JSON.stringify(was) !== JSON.stringify(value)) {
      yield { key: path, value, ...(was !== undefined && { was }) };
    }
    return;
  }
  for (const [key, inner] of Object.entries(after)) {
    yield* changedIn(path === "" ? key : `${path}.${key}`, before?.[key], inner);
  }
}

/** The parts of a table by key, those of a list of tables by their code or id; undefined for what has no such parts. */
function partsOf(value: unknown): Values | undefined {
  if (isValues(value)) return Object.hasOwn(value, "code") || Object.hasOwn(value, "id") ? undefined : value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const key = ["code", "id"].find((key) =>
    value.every((one) => isValues(one) && typeof one[key] === "string")
  );
  return key && Object.fromEntries(value.map((one) => [one[key], one]));
}
