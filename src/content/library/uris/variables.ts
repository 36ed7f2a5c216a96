/**
 * Customization variables where a path is expected: `{workflow.prd_template}` means the file that is configured.
 */
import { fail } from "../../../base/errors.ts";
import type { Entry } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asValues } from "../../../base/values.ts";
import type { Library } from "../library.ts";
import { resolveValues } from "../values/customize.ts";

/** A variable, and what follows it. */
const VARIABLE = /^\{((?:workflow|agent)\.[\w.-]{1,80})\}/;
/** How deep variables refer to each other. */
const MAX_DEPTH = 5;
const MAX_VALUE = 2_000;

/**
 * The path that a reference with a variable of an item means; undefined for any other reference, or an unknown variable.
 * Fails with the value if that is not a path.
 */
export function expandVariable(library: Library, reference: string, of: Entry): string | undefined {
  const { customization } = resolveValues(library, of);
  let path = reference;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const [spelled = "", name = ""] = VARIABLE.exec(path) ?? [];
    if (spelled === "") break;
    const value = name.split(".").reduce<unknown>((at, key) => {
      const values = asValues(at);
      return Object.hasOwn(values, key) ? values[key] : undefined;
    }, customization);
    if (value === undefined) return undefined;
    const isPath = typeof value === "string" && /[./]/.test(value) && !/\s/.test(value);
    if (!isPath) {
      const problem = `"${spelled}" is a value, not a file: ${shorten(JSON.stringify(value), MAX_VALUE)}`;
      return fail({ code: "invalid-input", problem });
    }
    path = value + path.slice(spelled.length);
  }
  return path === reference || VARIABLE.test(path) ? undefined : path;
}
