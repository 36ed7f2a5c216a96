/**
 * Completion of template variables and prompt arguments.
 *
 * Every value can be used: those of a template come from all ways to fill it, those of a prompt from menus. Values that
 * start with the typed text come before those that contain it, and recently used ones first.
 */
import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { findPrompt } from "./prompts.ts";
import { SKILL_TEMPLATE } from "./skills.ts";

/** The protocol's limit. */
const MAX_VALUES = 100;

/** The values that complete the typed text. */
export async function complete(
  app: App,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const values = ref.type === "ref/prompt"
    ? await wishesFor(app, ref.name, argument.name)
    : await valuesFor(app, ref.uri, argument.name, context?.arguments ?? {});
  const typed = argument.value.toLowerCase();
  const matching = values.filter((value) => value.toLowerCase().includes(typed));
  const isStart = (value: string) => value.toLowerCase().startsWith(typed);
  const all = [...matching.filter(isStart), ...matching.filter((value) => !isStart(value))];
  const hasMore = all.length > MAX_VALUES;
  return { completion: { values: all.slice(0, MAX_VALUES), total: all.length, hasMore } };
}

/** The values of a variable among all ways to fill a template that agree with the given variables. */
async function valuesFor(
  app: App,
  uriTemplate: string,
  variable: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  // A skill has the same files under both schemes.
  const template = uriTemplate === SKILL_TEMPLATE.uriTemplate
    ? uriTemplate.replace(/^skill:/, "bmad:")
    : uriTemplate;
  const agrees = (values: Readonly<Record<string, string>>) =>
    Object.entries(given).every(([name, value]) =>
      name === variable || values[name] === undefined || values[name].toLowerCase() === value.toLowerCase()
    );
  const found = (await app.fillings(template)).filter(({ values }) => agrees(values))
    .flatMap(({ values, entry }) =>
      values[variable] === undefined ? [] : [{ value: values[variable], entry }]
    );
  const sorted = found.sort((a, b) => a.value < b.value ? -1 : Number(a.value > b.value));
  return [...new Set((await app.rank(sorted, ({ entry }) => entry)).map(({ value }) => value))];
}

async function wishesFor(app: App, prompt: string, argument: string): Promise<readonly string[]> {
  if (argument !== "message") return [];
  try {
    return await app.wishes((await findPrompt(app, prompt)).entry);
  } catch (error) {
    // An unknown prompt has no completions; getting it will fail with a message.
    if (error instanceof BmadError) return [];
    throw error;
  }
}
