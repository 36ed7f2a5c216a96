/**
 * The latest answers of tools that must not run again when the model asks for the next part of an answer.
 *
 * They are cached with the configuration, which lives as long as the process: a server lives only as long as its
 * connection, or a single request.
 */
import type { Config } from "../../app.ts";
import { cachedWith } from "../../base/cache.ts";
import { fail } from "../../base/errors.ts";
import type { Answer } from "./reply.ts";
import type { Args } from "./tool.ts";

/** Older answers are dropped. */
const MAX_ANSWERS = 10;

const answersOf = cachedWith((_: Config) => new Map<string, Answer>());

/** Caches the answer to a call. */
export function cacheAnswer(config: Config, tool: string, args: Args, answer: Answer): void {
  const answers = answersOf(config);
  const key = keyOf(tool, args);
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > MAX_ANSWERS) answers.delete(oldest!);
}

/** The cached answer to a call. */
export function cachedAnswer(config: Config, tool: string, args: Args): Answer {
  return answersOf(config).get(keyOf(tool, args)) ??
    fail({
      code: "invalid-input",
      field: "part",
      problem: `no recent answer of ${tool} to these arguments`,
      hint: "Call it without part to run it again",
    });
}

function keyOf(tool: string, args: Args): string {
  return JSON.stringify([tool, args]);
}
