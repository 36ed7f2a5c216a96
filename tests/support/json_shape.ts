/**
 * What form do some values of JSON have?
 *
 * `shapeOf` gives every path in them with its type, in the words of docs/json.md: `items[].name` is `text`. A field that
 * is not in every object ends with `?`.
 */

interface ShapeOptions {
  /** Paths of objects whose keys are data: one shape stands for all their members. */
  readonly maps: readonly string[];
  /** Paths of values that are not looked into. */
  readonly free: readonly string[];
}

export type JsonShape = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

export function shapeOf(values: readonly unknown[], { maps, free }: ShapeOptions): JsonShape {
  const shape: Record<string, string> = {};
  const walk = (path: string, found: readonly unknown[], mark: string) => {
    const plain = path.replaceAll("?", "");
    if (path !== "") shape[path + mark] = free.includes(plain) ? typeName(found, 1) : typeName(found, 2);
    if (free.includes(plain)) return;
    const members = found.filter(Array.isArray).flat();
    if (members.some(isObject)) walkFields(`${path}[]`, members.filter(isObject));
    const objects = found.filter(isObject);
    if (maps.includes(plain)) walk(`${path}.*`, objects.flatMap(Object.values), "");
    else walkFields(path, objects);
  };
  const walkFields = (path: string, objects: readonly Fields[]) => {
    for (const key of new Set(objects.flatMap(Object.keys))) {
      const having = objects.filter((object) => Object.hasOwn(object, key));
      const mark = having.length < objects.length ? "?" : "";
      walk(path === "" ? key : `${path}.${key}`, having.map((object) => object[key]), mark);
    }
  };
  walk("", values, "");
  return shape;
}

function typeName(values: readonly unknown[], depth: number): string {
  const names = new Set(values.map((value) => nameOf(value, depth)));
  // A list that happens to be empty says nothing about its members.
  if (names.size > 1) names.delete("list");
  return names.size > 3 ? "any" : [...names].sort((a, b) => rank(a) - rank(b)).join(" or ");
}

function nameOf(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    if (value.length === 0 || depth < 2) return "list";
    const member = typeName(value, depth - 1);
    return `list of ${member === "object" ? "objects" : member}`;
  }
  const names: Readonly<Record<string, string>> = {
    string: "text",
    number: "number",
    boolean: "yes or no",
    object: "object",
  };
  return names[typeof value]!;
}

function rank(name: string): number {
  return name === "null" ? 1 : 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
