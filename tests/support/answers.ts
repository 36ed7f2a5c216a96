/**
 * What does a tool say, `bmad` if none is named?
 *
 * One call each, with its answer as text, as facts, or as the words of a refusal. Every answer is held to what
 * all answers must be: one text and nothing beside it.
 */
import assert from "node:assert/strict";
import type { ProgramClient } from "./client.ts";

export type Arguments = Readonly<Record<string, unknown>>;

export async function callBmad(
  client: ProgramClient,
  args: Arguments,
  tool = "bmad",
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const answer = await client.callTool(tool, args);
  assert.deepEqual(answer.content.map(({ type }) => type), ["text"], JSON.stringify(args));
  assert.equal("structuredContent" in answer, false);
  return { text: answer.content[0]!.text, isError: answer.isError === true };
}

export async function say(client: ProgramClient, args: Arguments, tool = "bmad"): Promise<string> {
  const { text, isError } = await callBmad(client, args, tool);
  assert.equal(isError, false, `${tool} ${JSON.stringify(args)} was refused: ${text}`);
  return text;
}

export async function refusal(client: ProgramClient, args: Arguments, tool = "bmad"): Promise<string> {
  const { text, isError } = await callBmad(client, args, tool);
  assert.equal(isError, true, `${tool} ${JSON.stringify(args)} was answered: ${text.slice(0, 200)}`);
  return text;
}

/** A call works, and its answer is this text, or matches. */
export async function says(client: ProgramClient, args: Arguments, expected: string | RegExp, tool = "bmad") {
  assertText(await say(client, args, tool), expected, args);
}

/** A call is refused in these words, or in some that match. */
export async function refuses(
  client: ProgramClient,
  args: Arguments,
  expected: string | RegExp,
  tool = "bmad",
) {
  assertText(await refusal(client, args, tool), expected, args);
}

/** One tool of a client. */
export function toolOf(client: ProgramClient, tool: string) {
  return {
    say: (args: Arguments) => say(client, args, tool),
    says: (args: Arguments, expected: string | RegExp) => says(client, args, expected, tool),
    refusal: (args: Arguments) => refusal(client, args, tool),
    refuses: (args: Arguments, expected: string | RegExp) => refuses(client, args, expected, tool),
    facts: (args: Arguments) => facts(client, args, tool),
  };
}

function assertText(text: string, expected: string | RegExp, args: Arguments): void {
  if (typeof expected === "string") assert.equal(text, expected);
  else assert.match(text, expected, `${JSON.stringify(args).slice(0, 200)}: ${text}`);
}

// deno-lint-ignore no-explicit-any
export async function facts(client: ProgramClient, args: Arguments, tool = "bmad"): Promise<any> {
  return JSON.parse(await say(client, { ...args, format: "json" }, tool));
}

// deno-lint-ignore no-explicit-any
export async function allItems(client: ProgramClient, args: Arguments): Promise<readonly any[]> {
  const question = { operation: "list", limit: 10, ...args };
  let page = await facts(client, question);
  const items = [...page.items];
  while (page.nextCursor !== undefined) {
    page = await facts(client, { ...question, cursor: page.nextCursor });
    items.push(...page.items);
  }
  assert.equal(items.length, page.total);
  return items;
}

/** The line that says what an executed answer is of: `agent: bmm/bmad-agent-analyst`. */
export function headLine(text: string): string | undefined {
  return /^---\n(?:agent: .*\n(?=workflow))?((?:agent|workflow|skill|task): .*)\n/.exec(text)?.[1];
}

export async function allUris(client: ProgramClient): Promise<readonly string[]> {
  let page = await client.listResources();
  const uris = page.items.map((item) => item.uri);
  while (page.nextCursor !== undefined) {
    assert.equal(page.items.length, 100);
    page = await client.listResources(page.nextCursor);
    uris.push(...page.items.map((item) => item.uri));
  }
  return uris;
}
