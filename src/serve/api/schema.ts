/** Fields that a later version adds are allowed. */
import type { StoryFacts } from "../../app.ts";
import { PROBLEM, type Shape } from "../../operations/mod.ts";

const SHARED_FACTS: readonly string[] = ["title", "owner", "after", "waitsFor", "covers", "drift"];

/** Fields one by one, with story facts in the places of `@facts`. */
export function withFacts(shape: Shape, facts: StoryFacts): Shape {
  if (typeof shape === "string") return shape;
  if (Array.isArray(shape)) return shape.map((one) => withFacts(one, facts));
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, member]) =>
      name === "@facts"
        ? factShapes(facts, member === "of stories")
        : name.split(" ").map((one) => [one, withFacts(member, facts)] as const)
    ),
  );
}

function factShapes(facts: StoryFacts, isOfStory: boolean): readonly (readonly [name: string, Shape])[] {
  // Lists count criteria, and a story in full has them.
  return Object.entries(facts)
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
  integer: "integer",
  boolean: "boolean",
  object: "object",
  objects: "object",
  null: "null",
};

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

export function bareName(name: string): string {
  return name.replace(/\?$|\|null$/, "");
}

function memberSchema(name: string, shape: Shape): Schema {
  const schema = schemaOf(shape);
  return name.endsWith("|null") ? { ...schema, type: ["object", "null"] } : schema;
}

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
