/**
 * The latest answers of tools that must not run again for the next part of what they said.
 *
 * A server is made anew for each connection, in places for each request, so they are kept with the configuration, which
 * is there as long as the program is.
 */
import type { Config } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Answer } from "./reply.ts";
import type { Args } from "./tool.ts";

/** More are forgotten, the oldest first. */
const MOST = 10;

const answers = new WeakMap<Config, Map<string, Answer>>();

/** Keeps what a call was answered. */
export function keepAnswer(config: Config, tool: string, args: Args, answer: Answer): void {
  const kept = answers.get(config) ?? new Map<string, Answer>();
  answers.set(config, kept);
  const key = keyOf(tool, args);
  kept.delete(key);
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > MOST) kept.delete(oldest!);
}

/** What a call was answered before. */
export function keptAnswer(config: Config, tool: string, args: Args): Answer {
  return answers.get(config)?.get(keyOf(tool, args)) ??
    fail({
      code: "invalid-input",
      field: "part",
      problem: `no answer of ${tool} to these arguments is kept`,
      hint: "Call it without part: it then does its work anew",
    });
}

function keyOf(tool: string, args: Args): string {
  return JSON.stringify([tool, args]);
}
