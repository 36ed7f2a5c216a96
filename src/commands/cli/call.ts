/**
 * `bmad-mcp call`: every MCP tool from the shell.
 *
 * The arguments are an operand, because `--json` means in every command that the result is printed as JSON: `call TOOL
 * --json '{…}'`. A dash reads them from stdin.
 */
import type { App } from "../../app.ts";
import type { Invocation } from "../../operations/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { readInput } from "./input.ts";
import { printJson, printText } from "./output.ts";

/** More than any tool takes. */
const MAX_INPUT = 10 << 20;

const TOOL_FAILED = 1;

/** Calls a tool and prints its text or, as JSON, the result that a client would get. Returns the exit code. */
export async function call(host: Host, app: App, { operands, options }: Invocation): Promise<number> {
  const [tool, given = "{}"] = operands;
  const args = parseArgs(given === "-" ? await readInput(host, MAX_INPUT) : given);
  const { callTool } = await import("../../serve/mcp/mod.ts");
  const result = await callTool(app, tool!, args);
  if (options.json) printJson(host, result);
  else for (const { text } of result.content) if (text !== undefined) printText(host, text);
  return result.isError ? TOOL_FAILED : 0;
}

function parseArgs(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse((error as Error).message);
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value as Readonly<Record<string, unknown>> : refuse("expected an object");
}

function refuse(problem: string): never {
  const hint = `Example: bmad-mcp call bmad '{"operation":"list","query":"agents"}'`;
  return fail({ code: "invalid-input", field: "JSON arguments", problem, hint });
}
