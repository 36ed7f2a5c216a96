/**
 * A list on the terminal to choose from. Drawn on stderr: stdout carries results.
 */
import { isCancel, multiselect } from "@clack/prompts";
import process from "node:process";

/** One thing to choose. */
export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint: string;
  /** Whether it is chosen to begin with. */
  readonly isChosen: boolean;
}

/** Lets somebody choose some of the things; none when they would rather not. */
export async function pick<T>(message: string, choices: readonly Choice<T>[]): Promise<readonly T[]> {
  const chosen = await multiselect<number>({
    message,
    options: choices.map(({ label, hint }, value) => ({ value, label, hint })),
    initialValues: choices.flatMap(({ isChosen }, at) => isChosen ? [at] : []),
    required: false,
    output: process.stderr,
  });
  return isCancel(chosen) ? [] : chosen.map((at) => choices[at]!.value);
}
