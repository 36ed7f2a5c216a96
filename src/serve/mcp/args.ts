/** Models write synonyms, numbers as text and JSON in a string. */
import type { ExecuteRequest } from "../../app.ts";
import { describe, failField, failInput, failUnknown } from "../../base/errors.ts";
import { type Kind, kindNamed, KINDS } from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";
import { divided } from "../../base/text.ts";
import { isValues, parseJson } from "../../base/values.ts";
import type { Args } from "./tool.ts";

const MAX_TEXT = 1_000;

export function textArg(args: Args, ...names: readonly string[]): string | undefined {
  return longTextArg(args, MAX_TEXT, ...names);
}

export function longTextArg(args: Args, max = MAX_TEXT, ...names: readonly string[]): string | undefined {
  const name = givenName(args, names);
  if (name === undefined) return undefined;
  const value = args[name];
  if (typeof value === "object") {
    failField(name, `expected text, got ${Array.isArray(value) ? "a list" : "an object"}`);
  }
  const text = String(value);
  if (text.length > max) failField(name, `expected at most ${max} characters, got ${text.length}`);
  return text;
}

export function operationArg(args: Args): string | undefined {
  return textArg(args, "operation", "action", "op")?.toLowerCase();
}

export function formatArg(args: Args): string | undefined {
  return textArg(args, "format")?.toLowerCase();
}

export function unknownOperation(name: string, known: readonly string[], call?: string): never {
  const suggestions = suggest(name, known);
  const problem = describe({ code: "not-found", what: "operation", name, known, suggestions });
  return failInput(problem, call && `Call ${call}`);
}

export function givenName(args: Args, names: readonly string[]): string | undefined {
  return names.find((name) => isGiven(args[name]));
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

export function listArg(args: Args, ...names: readonly string[]): readonly unknown[] {
  const given = args[givenName(args, names) ?? ""];
  const value = typeof given === "string" && given.trimStart().startsWith("[")
    ? parseJson(given) ?? given
    : given;
  return Array.isArray(value) ? value : isGiven(value) ? [value] : [];
}

export function textsArg(
  args: Args,
  { max, isDivided }: { readonly max?: number | undefined; readonly isDivided?: boolean | undefined },
  ...names: readonly string[]
): readonly string[] {
  const [name = ""] = names;
  const texts = listArg(args, ...names).map((item) => longTextArg({ [name]: item }, max, name) ?? "");
  const isText = typeof args[givenName(args, names) ?? ""] === "string" && texts.length === 1;
  return (isText && isDivided ? divided(texts[0]!) : texts).filter((text) => text !== "");
}

export function numberArg(args: Args, name: string, min: number, max: number): number | undefined {
  const text = textArg(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  return failField(name, `expected a whole number from ${min} to ${max}, got "${text}"`);
}

export function flagArg(args: Args, name: string): boolean {
  return ["true", "1", "yes"].includes(textArg(args, name)?.toLowerCase() ?? "");
}

export function kindIn(text: string | undefined): Kind | undefined {
  if (text === undefined || /^\s*(all|any|\*)\s*$/i.test(text)) return undefined;
  return kindNamed(text) ?? failUnknown("type", text, KINDS);
}

export function inputArg(args: Args, name: string): Pick<ExecuteRequest, "message" | "params"> {
  const values = objectOf(args[name]);
  const text = (args: Args, ...names: readonly string[]) => longTextArg(args, Infinity, ...names);
  if (values === undefined) return { message: text(args, name, "message", "prompt", "input") };
  const { message = args["message"], ...params } = values;
  return {
    message: text({ message }, "message"),
    params: Object.keys(params).length > 0 ? params : undefined,
  };
}

function objectOf(value: unknown): Args | undefined {
  if (typeof value === "string" && value.trimStart().startsWith("{")) return objectOf(parseJson(value));
  return isValues(value) ? value : undefined;
}
