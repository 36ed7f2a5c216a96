/**
 * The output of `--json` as JSON Schema, from the same table as docs/json.md: docs/json.schema.json.
 *
 * One definition for each command, on a line of its own; what fields mean is in docs/json.md. Fields that a later version adds are allowed.
 */
import { JSON_VERSION } from "../src/process/version.ts";
import { type Field, JSON_SHAPES } from "./json_shapes.ts";

interface Schema {
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema;
}

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  texts: "string",
  number: "number",
  "yes or no": "boolean",
  object: "object",
  objects: "object",
  null: "null",
};

/** The whole file. */
export function renderJsonSchema(): string {
  const head = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The output of bmad-mcp COMMAND --json, by command",
    version: JSON_VERSION,
  };
  const definitions = JSON_SHAPES.map(({ command, fields }) =>
    `    ${JSON.stringify(command)}: ${JSON.stringify(schemaOf(fields))}`
  );
  const rest = `  "$defs": {\n${definitions.join(",\n")}\n  }\n}\n`;
  return `${JSON.stringify(head, null, 2).replace(/\n\}$/, ",\n")}${rest}`;
}

/** The schema of one command's output. */
export function schemaOf(fields: readonly Field[]): unknown {
  const root: Schema = { type: "object" };
  for (const [path, type] of fields) {
    const steps = path.split(".");
    const [node, last] = steps.reduce<readonly [Schema, Schema]>(
      ([, parent], step) => {
        const name = step.replace("?", "").replaceAll("[]", "");
        const member = name === "*"
          ? parent.additionalProperties ??= {}
          : (parent.properties ??= {})[name] ??= {};
        return [member, step.includes("[]") ? member.items ??= {} : member];
      },
      [root, root],
    );
    // A path such as `items[]` says what each member is.
    const target = path.endsWith("[]") ? last : node;
    const { items, ...own } = typeOf(type);
    Object.assign(target, own);
    if (items !== undefined) target.items = { ...items, ...target.items };
    const parent = parentOf(root, steps);
    const name = steps.at(-1)!.replaceAll("[]", "");
    if (!/\?$|^\*$/.test(name)) parent.required = [...new Set([...parent.required ?? [], name])];
  }
  return root;
}

function parentOf(root: Schema, steps: readonly string[]): Schema {
  return steps.slice(0, -1).reduce((node, step) => {
    const name = step.replace("?", "").replaceAll("[]", "");
    const member = name === "*" ? node.additionalProperties! : node.properties![name]!;
    return step.includes("[]") ? member.items! : member;
  }, root);
}

/** `list of text`, `text or null`, `any`. */
function typeOf(words: string): Schema {
  const [, member] = /^list of (.*)$/.exec(words) ?? [];
  if (member !== undefined) return { type: "array", items: typeOf(member) };
  if (words === "any") return {};
  const exact = TYPES[words];
  if (exact !== undefined) return { type: exact };
  const types = words.split(" or ").map((word) => TYPES[word]);
  if (types.includes(undefined)) throw new Error(`No type is called "${words}"`);
  return { type: types as string[] };
}
