/**
 * Completion: values for the variables of templates and for the argument of prompts.
 *
 * Every value leads somewhere: those of a template are read off all ways to fill it, those of a prompt are what menus
 * say. What begins with the typed text comes before what only contains it, and what was used before what was not.
 */
import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { BmadError } from "../../base/errors.ts";
import { findPrompt } from "./prompts.ts";
import { SKILL_TEMPLATE } from "./skills.ts";

/** As many values as the protocol lets one answer have. */
const MOST = 100;

/** What fits the typed text. */
export async function complete(
  app: App,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const values = ref.type === "ref/prompt"
    ? await wishesFor(app, ref.name, argument.name)
    : await valuesFor(app, ref.uri, argument.name, context?.arguments ?? {});
  const typed = argument.value.toLowerCase();
  const begins = values.filter((value) => value.toLowerCase().startsWith(typed));
  const contains = values.filter((value) => {
    const text = value.toLowerCase();
    return text.includes(typed) && !text.startsWith(typed);
  });
  const all = [...begins, ...contains];
  return { completion: { values: all.slice(0, MOST), total: all.length, hasMore: all.length > MOST } };
}

/** The values of a variable among all ways to fill a template that agree with what is given already. */
async function valuesFor(
  app: App,
  uriTemplate: string,
  variable: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  // The files of a skill are the same under both schemes.
  const asked = uriTemplate === SKILL_TEMPLATE.uriTemplate
    ? uriTemplate.replace(/^skill:/, "bmad:")
    : uriTemplate;
  const fits = (values: Readonly<Record<string, string>>) =>
    Object.entries(given).every(([name, value]) =>
      name === variable || values[name] === undefined || values[name].toLowerCase() === value.toLowerCase()
    );
  const found = (await app.fillings(asked)).filter(({ values }) => fits(values))
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
    // Nothing fits a prompt that is not there; asking for its text will say so.
    if (error instanceof BmadError) return [];
    throw error;
  }
}
