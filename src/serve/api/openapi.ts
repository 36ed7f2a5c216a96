import { loadStoryFacts } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { asValues } from "../../base/values.ts";
import { type Operation, OPERATIONS, type Param, type Shape } from "../../operations/mod.ts";
import type { Address } from "./addresses.ts";
import { ADDRESSES, API_PATH } from "./answer.ts";
import { schemaOf, withFacts } from "./schema.ts";

type Values = Readonly<Record<string, unknown>>;

export async function describeApi(): Promise<Values> {
  const facts = await loadStoryFacts();
  const schema = (shape: Shape) => schemaOf(withFacts(shape, facts));
  const paths = Map.groupBy(ADDRESSES, ({ path }) => path);
  return {
    openapi: "3.1.0",
    info: {
      title: `${PRODUCT.name}: ${PRODUCT.title} over HTTP`,
      version: PRODUCT.version,
      description: "The operations of the server as plain JSON.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: API_PATH }],
    security: [{ bearer: [] }, { key: [] }],
    paths: {
      ...Object.fromEntries(
        paths.entries().map(([path, methods]) => [
          path,
          Object.fromEntries(
            methods.map((address) => [address.method.toLowerCase(), methodOf(address, schema)]),
          ),
        ]),
      ),
      "/events": {
        get: {
          operationId: "events",
          summary: "Stay, and hear of every change of the board.",
          parameters: [PROJECT],
          responses: { 200: { description: EVENTS, content: { "text/event-stream": {} } }, default: FAILURE },
        },
      },
    },
    components: {
      schemas: { Error: ERROR },
      responses: {
        Error: {
          description: "An error.",
          content: { "application/json": { schema: ref("schemas/Error") } },
        },
      },
      parameters: {
        project: { name: "project", in: "query", schema: { type: "string" }, description: OF_PROJECT },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        key: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
    },
  };
}

const OF_PROJECT = "The project, where the server has several.";
const EVENTS = "`board` with its counts at first, then `change` with each difference, both with JSON.";

const ref = (name: string) => ({ $ref: `#/components/${name}` });
const PROJECT = ref("parameters/project");
const FAILURE = ref("responses/Error");

const ERROR = schemaOf({
  error: {
    code: "integer: The protocol's.",
    message: "text: What is wrong, and what to do about it.",
    "data?": {
      "code?": "text: What failed, for programs: `not-found`, `not-allowed` …",
      "suggestions?": "list of text",
      "objections?": [{ problem: "text", fix: "text" }],
    },
  },
});

function methodOf(address: Address, schema: (shape: Shape) => unknown): Values {
  const { path, method, operation, params, list } = address;
  const { purpose, summaries = {} }: Operation = OPERATIONS[operation];
  const all = Object.entries<Param>(params);
  const inPath = all.filter(([name]) => path.includes(`{${name}}`));
  const others = all.filter((row) => !inPath.includes(row));
  const isPost = method === "POST";
  const shapes = shapesOf(address).map(schema);
  return {
    operationId: idOf(address),
    summary: summaries[list ?? method] ?? (list === undefined ? purpose : `List ${list}.`),
    parameters: [
      ...inPath.map((row) => parameterOf("path", row)),
      ...(isPost ? [] : others.map((row) => parameterOf("query", row))),
      PROJECT,
    ],
    ...(isPost && { requestBody: bodyOf(others) }),
    responses: {
      200: {
        description: "What was asked for.",
        content: {
          "application/json": {
            schema: shapes.length > 1 ? { anyOf: shapes } : shapes[0] ?? { type: "object" },
          },
        },
      },
      default: FAILURE,
    },
  };
}

function idOf({ operation, list, path, method }: Address): string {
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key);
  return [method === "POST" ? "post" : "get", operation, list, ...keys].filter(Boolean).join("-");
}

function parameterOf(where: "path" | "query", [name, param]: readonly [string, Param]): Values {
  return {
    name,
    in: where,
    ...((where === "path" || param.isRequired) && { required: true }),
    description: param.about,
    schema: valueSchema(param),
  };
}

function bodyOf(params: readonly (readonly [string, Param])[]): Values {
  const required = params.filter(([, { isRequired, isAsked }]) => isRequired || isAsked).map(([name]) =>
    name
  );
  const properties = params.map(([name, param]) =>
    [name, { ...valueSchema(param), description: param.about }] as const
  );
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  return { required: required.length > 0, content: { "application/json": { schema } } };
}

function valueSchema({ kind, choices, range, maxLength, schema, form }: Param): Values {
  const [minimum, maximum] = range ?? [1];
  switch (kind) {
    case "flag":
      return { type: "boolean" };
    case "number":
      return { type: "integer", minimum, ...(maximum !== undefined && { maximum }) };
    case "list":
      return { type: ["string", "array"], items: { type: "string" } };
    case "json":
      return { type: "object", ...asValues(schema) };
    case "text": {
      const text = { type: "string", ...(choices && { enum: choices }), ...(form && { pattern: form[0] }) };
      return maxLength !== undefined && Number.isFinite(maxLength) ? { ...text, maxLength } : text;
    }
  }
}

/** Of several shapes, those with words of the user are about what is named or changed. */
function shapesOf({ operation, list, method, path }: Address): readonly Shape[] {
  const { result, results = {}, changes }: Operation = OPERATIONS[operation];
  if (list !== undefined) return [results[`list ${list}`] ?? results["list skills"]!];
  if (operation === "read") return [...Object.values(results), OPERATIONS.execute.result];
  if (result !== undefined) return [result];
  const isNamed = Array.isArray(changes) ? method === "POST" : path.includes("{");
  const all = Object.entries(results);
  const fitting = all.filter(([command]) => /[A-Z]/.test(command) === isNamed);
  return (fitting.length > 0 ? fitting : all).map(([, shape]) => shape);
}
