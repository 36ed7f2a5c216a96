/**
 * What `--json` prints, as JSON Schema: docs/json.schema.json, one definition for each command, from the table of operations.
 *
 * Fields that a later version adds are allowed.
 */
import { COMMAND_NAMES, describeCommand, type Shape } from "../src/operations/mod.ts";
import { STORY_FACTS } from "../src/project/work/formats/mod.ts";
import { bareName, schemaOf, withFacts } from "../src/serve/api/schema.ts";
import { JSON_VERSION } from "../src/process/version.ts";

/** What each command prints, by the command as it is typed. */
export const SHAPES: Readonly<Record<string, Shape>> = Object.fromEntries(
  COMMAND_NAMES.flatMap((name) => Object.entries(describeCommand(name).results ?? {}))
    .map(([command, shape]) => [command, withFacts(shape, STORY_FACTS)]),
);

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
