/** `--json` is taken: it asks for JSON output. */
import { failField } from "../../base/errors.ts";
import { isValues, type Values } from "../../base/values.ts";
import { LIMITS } from "../limits.ts";
import { readInput } from "./input.ts";
import { printText } from "./output.ts";
import type { Answer, Session } from "./session.ts";

const TOOL_FAILED = 1;

export async function call({ host, open, invocation, json }: Session): Promise<Answer> {
  const { operands: [tool = "", given = "{}"] } = invocation;
  const args = parseArgs(given === "-" ? await readInput(host, LIMITS.input.toolCharacters) : given);
  const { callTool } = await import("../../serve/mcp/mod.ts");
  const result = await callTool(await open(), tool, args);
  if (!json) { for (const { text } of result.content) if (text !== undefined) printText(host, text); }
  return { data: result, code: result.isError ? TOOL_FAILED : 0 };
}

function parseArgs(text: string): Values {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse((error as Error).message);
  }
  return isValues(value) ? value : refuse("expected an object");
}

function refuse(problem: string): never {
  const hint = `Example: bmad-mcp call bmad '{"operation":"list","query":"agents"}'`;
  return failField("JSON arguments", problem, hint);
}
