/**
 * What `--json` prints, as JSON Schema: docs/json.schema.json, one definition for each command, from the table of operations.
 *
 * Fields that a later version adds are allowed.
 */
import { COMMAND_NAMES, describeCommand, type Shape } from "../src/operations/mod.ts";
import { PROBLEM } from "../src/operations/shapes.ts";
import { STORY_FACTS } from "../src/project/work/formats/mod.ts";
import { JSON_VERSION } from "../src/process/version.ts";

/** What epics have, too. */
const SHARED_FACTS: readonly string[] = ["title", "owner", "after", "waitsFor", "covers", "drift"];

/** What each command prints, by the command as it is typed. */
export const SHAPES: Readonly<Record<string, Shape>> = withFacts(
  Object.assign({}, ...COMMAND_NAMES.map((name) => describeCommand(name).results)),
) as Readonly<Record<string, Shape>>;

/** A shape with the table of story facts in the places of `@facts`. */
function withFacts(shape: Shape): Shape {
  if (typeof shape === "string") return shape;
  if (Array.isArray(shape)) return shape.map(withFacts);
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, member]) =>
      name === "@facts" ? factShapes(member === "of stories") : [[name, withFacts(member)]]
    ),
  );
}

function factShapes(isOfStory: boolean): readonly (readonly [name: string, Shape])[] {
  // Lists count criteria, and a story in full has them.
  return Object.entries(STORY_FACTS)
    .filter(([name]) => name !== "criteria" && (isOfStory || SHARED_FACTS.includes(name)))
    .map(([name, row]) => {
      const [type, meaning, ...fields] = row.json;
      const isAlways = name === "title" || "none" in row;
      const inner = Object.fromEntries(fields.map(([path, type, meaning]) => [path, `${type}: ${meaning}`]));
      const shape: Shape = fields.length === 0
        ? name === "drift" ? [PROBLEM] : `${type}: ${meaning}`
        : type === "list of objects"
        ? [inner]
        : inner;
      return [isAlways ? name : `${name}?`, shape];
    });
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

const TYPES: Readonly<Record<string, string>> = {
  text: "string",
  number: "number",
  boolean: "boolean",
  object: "object",
  objects: "object",
  null: "null",
};

/** The whole file, each definition on a line of its own. */
export function renderJsonSchema(): string {
  const head = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The output of bmad-mcp COMMAND --json, by command",
    version: JSON_VERSION,
  };
  const definitions = Object.entries(SHAPES)
    .map(([command, shape]) => `    ${JSON.stringify(command)}: ${JSON.stringify(schemaOf(shape))}`);
  const rest = `  "$defs": {\n${definitions.join(",\n")}\n  }\n}\n`;
  return `${JSON.stringify(head, null, 2).replace(/\n\}$/, ",\n")}${rest}`;
}

export function schemaOf(shape: Shape): Schema {
  if (typeof shape === "string") return fieldSchema(shape);
  if (Array.isArray(shape)) return { type: "array", items: schemaOf(shape[0]) };
  const { "*": other, ...fields } = shape as Readonly<Record<string, Shape>>;
  const names = Object.keys(fields);
  const required = names.filter((name) => !name.endsWith("?")).map(bareName);
  return {
    type: "object",
    ...(names.length > 0 && {
      properties: Object.fromEntries(
        names.map((name) => [bareName(name), memberSchema(name, fields[name]!)]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...(other !== undefined && { additionalProperties: schemaOf(other) }),
  };
}

/** A field's name without the marks of what may be missing (`?`) or null (`|null`). */
function bareName(name: string): string {
  return name.replace(/\?$|\|null$/, "");
}

function memberSchema(name: string, shape: Shape): Schema {
  const schema = schemaOf(shape);
  return name.endsWith("|null") ? { ...schema, type: ["object", "null"] } : schema;
}

/** `text: what it means`, `list of text`, `text or null`, `any`. */
function fieldSchema(field: string): Schema {
  const [, words, description] = /^([^:]*)(?:: (.*))?$/s.exec(field)!;
  return { ...typeSchema(words!), ...(description && { description }) };
}

function typeSchema(words: string): Schema {
  const [, member] = /^list of (.*)$/.exec(words) ?? [];
  if (member !== undefined) return { type: "array", items: typeSchema(member) };
  if (words === "any") return {};
  if (words === "yes or no") return { type: "boolean" };
  const types = words.split(" or ").map((word) => TYPES[word]);
  if (types.includes(undefined)) throw new Error(`No type is called "${words}"`);
  return { type: types.length === 1 ? types[0] : types as string[] };
}

/** The same as paths with their types: `items[].name?`, as tests compare them with what was printed. */
export function pathsOf(shape: Shape, path = ""): readonly (readonly [path: string, type: string])[] {
  if (typeof shape === "string") {
    const type = shape.split(":")[0]!;
    return [[path, type === "boolean" ? "yes or no" : type]];
  }
  const bare = bareName(path);
  if (Array.isArray(shape)) {
    const [, ...members] = pathsOf(shape[0], `${bare}[]`);
    return [[path, "list of objects"], ...members];
  }
  return [
    [path.replace("|null", ""), path.endsWith("|null") ? "object or null" : "object"],
    ...Object.entries(shape).flatMap(([name, member]) =>
      pathsOf(member, bare === "" ? name : `${bare}.${name}`)
    ),
  ];
}
