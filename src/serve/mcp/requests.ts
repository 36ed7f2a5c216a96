/**
 * What is wrong with a request before anybody looks closer: parameters that the SDK would answer with a dump of its
 * schema, and names that are longer than any real one.
 */
/** Longer than any name, URI or cursor; a look-up of what is longer would only cost time. */
export const MAX_NAME = 4_096;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a text that can be a name, a URI or a cursor. */
export function isName(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_NAME;
}

/** Whether a value is a map of fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A sentence about what a request should have been; undefined for what is none, or when all is well. */
export function complaintAbout({ id, method, params = {} }: Fields): string | undefined {
  const isRequest = typeof method === "string" && (typeof id === "string" || typeof id === "number");
  if (!isRequest || !isFields(params) || !Object.hasOwn(CHECKS, method)) return undefined;
  return CHECKS[method]!(params);
}

/** The requests that the SDK checks by itself. */
const CHECKS: Readonly<Record<string, (params: Fields) => string | undefined>> = {
  "initialize": ({ capabilities }) =>
    isFields(capabilities) && Object.values(capabilities).every(isFields)
      ? undefined
      : "The request needs capabilities, each of them a map",
  "tools/list": ({ cursor }) =>
    cursor === undefined ? undefined : "The tools are listed on one page: no cursor is known",
  "tools/call": ({ name, arguments: args }) =>
    isName(name) && (args === undefined || isFields(args))
      ? undefined
      : "The request needs the name of a tool, and arguments that are a map",
};
